// What the planner makes of a call of a maker: idgen.maker_support(), its support function.
//
// Everywhere, a default that is a function becomes its constant. A call of next_id() by both defaults loses its arguments:
// then nobody copies, sets up or compares them.
//
// Where the server plans an expression by itself, as COPY has each default planned, a call becomes
//
//      COALESCE(idgen.draw(arguments of the maker ..., OID of the maker), NextValueExpr)
//
// so that COPY inserts rows in batches. It does not if a default is volatile, because the default might look at the
// table, and makes an exception only for nextval(). No maker looks at a table either. idgen.draw() calls the maker, as
// often as it is evaluated, but is declared STABLE; COPY also passes over NextValueExpr, the node of identity columns.
// Whoever asks whether an expression is volatile finds that node: ADD COLUMN would evaluate a stable default once for
// all rows. It is never evaluated, because no maker gives null. COALESCE keeps it when the expression is planned again,
// because its first argument is not a constant. Catalogs store expressions as they were parsed, so none holds this one,
// and no role sees it.

#include "pg/sql/arguments.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/source.hpp"

namespace idgen::pg {
namespace {

// Functions in the schema of a support function; invalid if there are none. Looked for once in a session, and again
// after a function of the database has changed.
struct Known {
    Oid support;
    Oid own_shards;
    Oid instagram;
    Oid draw;
};
Known known{};

void find_functions_beside(Oid support) {
    static bool is_watched = false;
    if (!is_watched)
        CacheRegisterSyscacheCallback(
            PROCOID, [](Datum, auto, uint32) { known.support = InvalidOid; }, Datum{0});
    is_watched = true;
    if (known.support == support) return;
    known = {support, InvalidOid, InvalidOid, InvalidOid};
    // What changes meanwhile has them looked for again.
    Oid schema = get_func_namespace(support);
    constexpr Oid internal = INTERNALOID;
    known.own_shards = find_function(schema, "own_shards", nullptr, 0);
    known.instagram = find_function(schema, "instagram", nullptr, 0);
    known.draw = find_function(schema, "draw", &internal, 1);
}

Oid function_of(const void *argument) {
    return IsA(argument, FuncExpr) ? static_cast<const FuncExpr *>(argument)->funcid : InvalidOid;
}

// An argument, or the constant that its default stands for.
Node *without_default(Node *argument) {
    Oid function = function_of(argument);
    if (!OidIsValid(function)) return argument;
    Const *constant = nullptr;
    if (function == known.own_shards)
        constant = makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(own_shards), false, true);
    if (function == known.instagram)
        constant =
            makeConst(exprType(argument), -1, InvalidOid, sizeof(Layout), copy_datum(presets[0].layout), false, false);
    return constant == nullptr ? argument : reinterpret_cast<Node *>(constant);
}

// The arguments with constants for defaults; none if both of next_id() are defaults.
List *short_arguments(List *args) {
    if (list_length(args) == 2 && function_of(linitial(args)) == known.own_shards &&
        function_of(lsecond(args)) == known.instagram && OidIsValid(known.own_shards) && OidIsValid(known.instagram))
        return NIL;
    List *result = NIL;
    ListCell *cell;
    foreach (cell, args) result = lappend(result, without_default(static_cast<Node *>(lfirst(cell))));
    return result;
}

bool may_execute(Oid function) {
    return check_execute(function, GetUserId()) == ACLCHECK_OK;
}

// Whether COPY may batch rows with such a call. Functions that are counted stay as they are called, and so does a call
// that the role has no right to, which the server refuses.
bool is_batched(const SupportRequestSimplify &request) {
    return copy_is_known && settings.batch_copy && request.root == nullptr && !request.fcall->funcretset &&
           pgstat_track_functions != TRACK_FUNC_ALL && OidIsValid(known.draw) && may_execute(known.draw) &&
           may_execute(request.fcall->funcid);
}

FuncExpr *call_with(const FuncExpr &call, Oid function, List *args) {
    FuncExpr *copy = makeNode(FuncExpr);
    *copy = call;
    copy->funcid = function;
    copy->args = args;
    return copy;
}

// idgen.draw() declares only what SQL cannot give, so that one function serves all makers: the call has their arguments
// in front, and their result.
Node *batched(const FuncExpr &call, List *args) {
    Const *maker = makeConst(INTERNALOID, -1, InvalidOid, sizeof(Datum), ObjectIdGetDatum(call.funcid), false, true);
    NextValueExpr *never = makeNode(NextValueExpr);
    never->typeId = call.funcresulttype;
    CoalesceExpr *first = makeNode(CoalesceExpr);
    first->coalescetype = call.funcresulttype;
    first->coalescecollid = call.funccollid;
    first->args = list_make2(call_with(call, known.draw, lappend(args, maker)), never);
    first->location = -1;
    return reinterpret_cast<Node *>(first);
}

Node *simplify(const SupportRequestSimplify &request) {
    const FuncExpr &call = *request.fcall;
    bool is_planned_alone = is_batched(request);
    if (call.args == NIL && !is_planned_alone) return nullptr;
    List *args = short_arguments(call.args);
    return is_planned_alone ? batched(call, args) : reinterpret_cast<Node *>(call_with(call, call.funcid, args));
}

// The maker that a call of idgen.draw() names.
Oid maker_argument(FunctionCallInfo fcinfo) {
    int last = fcinfo->nargs - 1;
    // Later minors of the server refuse it themselves.
    if (PG_ARGISNULL(last))
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("idgen.draw() cannot be called in SQL"),
                errdetail("The server calls it for defaults, in COPY and its like."),
                errhint("Call a maker, such as next_id()."));
    return PG_GETARG_OID(last);
}

// The maker for idgen.next_id(): next_id(), which stands in the schema of its layout's type.
Oid next_id_for(Oid function) {
    Oid layout = get_func_rettype(find_function(get_func_namespace(function), "instagram", nullptr, 0));
    Oid schema = GetSysCacheOid1(TYPEOID, Anum_pg_type_typnamespace, ObjectIdGetDatum(layout));
    Oid arguments[] = {INT8OID, layout};
    return find_function(schema, "next_id", arguments, lengthof(arguments));
}

// What a call site calls, looked up once, with the server's checks and error: `find` gives the maker.
template <typename Find>
FmgrInfo &maker_of(FmgrInfo *site, Find find) {
    if (site->fn_extra != nullptr) return *static_cast<FmgrInfo *>(site->fn_extra);
    Oid maker = find();
    if (!may_execute(maker)) aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_FUNCTION, get_func_name(maker));
    InvokeFunctionExecuteHook(maker);
    auto *found = static_cast<FmgrInfo *>(MemoryContextAlloc(site->fn_mcxt, sizeof(FmgrInfo)));
    fmgr_info_cxt(maker, found, site->fn_mcxt);
    site->fn_extra = found;
    return *found;
}

// Calls a maker with the first arguments of a call.
Datum call_maker(FunctionCallInfo fcinfo, FmgrInfo &maker, int nargs) {
    LOCAL_FCINFO(call, FUNC_MAX_ARGS);
    InitFunctionCallInfoData(*call, &maker, static_cast<short>(nargs), fcinfo->fncollation, fcinfo->context,
                             fcinfo->resultinfo);
    for (int i = 0; i < nargs; i++) call->args[i] = fcinfo->args[i];
    Datum made = FunctionCallInvoke(call);
    Assert(!call->isnull);
    return made;
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_maker_support);
PG_FUNCTION_INFO_V1(idgen_draw);
PG_FUNCTION_INFO_V1(idgen_own_next_id);

Datum idgen_maker_support(PG_FUNCTION_ARGS) {
    const auto *request = reinterpret_cast<SupportRequestSimplify *>(PG_GETARG_POINTER(0));
    Node *simpler = nullptr;
    if (IsA(request, SupportRequestSimplify)) {
        find_functions_beside(fcinfo->flinfo->fn_oid);
        simpler = simplify(*request);
    }
    PG_RETURN_POINTER(simpler);
}

Datum idgen_draw(PG_FUNCTION_ARGS) {
    FmgrInfo &maker = maker_of(fcinfo->flinfo, [fcinfo] { return maker_argument(fcinfo); });
    return call_maker(fcinfo, maker, fcinfo->nargs - 1);
}

Datum idgen_own_next_id(PG_FUNCTION_ARGS) {
    FmgrInfo &maker = maker_of(fcinfo->flinfo, [fcinfo] { return next_id_for(fcinfo->flinfo->fn_oid); });
    return call_maker(fcinfo, maker, 0);
}

}  // extern "C"
}  // namespace idgen::pg
