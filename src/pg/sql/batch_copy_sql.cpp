// What lets COPY insert rows in batches although a default makes their IDs.
//
// COPY inserts rows one by one if a default is volatile, because the default might look at the table. It makes an
// exception only for nextval(). No maker looks at a table either. COPY has each default planned by itself, and there a
// call of a maker becomes
//
//      COALESCE(idgen.draw(arguments of the maker ..., OID of the maker), NextValueExpr)
//
// idgen.draw() calls the maker, as often as it is evaluated, but is declared STABLE; COPY also passes over
// NextValueExpr, the node of identity columns. Whoever asks whether an expression is volatile finds that node: ADD
// COLUMN would evaluate a stable default once for all rows. It is never evaluated, because no maker gives null. COALESCE
// keeps it when the expression is planned again, because its first argument is not a constant.
//
// Catalogs store expressions as they were parsed, so none holds this one, and no role sees it.

#include "pg/postgres.hpp"

#include "pg/state/settings.hpp"

namespace idgen::pg {

namespace {

bool may_execute(Oid maker) {
    return check_execute(maker, GetUserId()) == ACLCHECK_OK;
}

// Whether COPY may batch rows with such a call. Functions that are counted stay as they are called, and a call that the
// role has no right to, so that the server refuses it.
bool is_batched(const SupportRequestSimplify &request) {
    return copy_is_known && settings.batch_copy && request.root == nullptr && !request.fcall->funcretset &&
           pgstat_track_functions != TRACK_FUNC_ALL && may_execute(request.fcall->funcid);
}

// The function idgen.draw(), in the schema of the support function. Invalid if there is none.
Oid find_draw(Oid schema) {
    Oid type = INTERNALOID;
    return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum("draw"),
                           PointerGetDatum(buildoidvector(&type, 1)), ObjectIdGetDatum(schema));
}

// idgen.draw() declares only what SQL cannot give, so that one function serves all makers: the call has their arguments
// in front and their result.
Node *call_of_draw(Oid draw, const FuncExpr &call) {
    Const *maker = makeConst(INTERNALOID, -1, InvalidOid, sizeof(Datum), ObjectIdGetDatum(call.funcid), false, true);
    return reinterpret_cast<Node *>(makeFuncExpr(draw, call.funcresulttype, lappend(list_copy(call.args), maker),
                                                 call.funccollid, call.inputcollid, COERCE_EXPLICIT_CALL));
}

Node *batched(Oid draw, const FuncExpr &call) {
    NextValueExpr *never = makeNode(NextValueExpr);
    never->typeId = call.funcresulttype;
    CoalesceExpr *first = makeNode(CoalesceExpr);
    first->coalescetype = call.funcresulttype;
    first->coalescecollid = call.funccollid;
    first->args = list_make2(call_of_draw(draw, call), never);
    first->location = -1;
    return reinterpret_cast<Node *>(first);
}

// The maker that a call of idgen.draw() names, looked up once for each call site, with the server's checks and error.
FmgrInfo &maker_of(FunctionCallInfo fcinfo) {
    FmgrInfo *site = fcinfo->flinfo;
    if (site->fn_extra != nullptr) return *static_cast<FmgrInfo *>(site->fn_extra);
    short last = static_cast<short>(fcinfo->nargs - 1);
    if (PG_ARGISNULL(last))
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("idgen.draw() cannot be called in SQL"),
                errdetail("The server calls it for defaults, in COPY and its like."),
                errhint("Call a maker, such as next_id()."));
    Oid maker = PG_GETARG_OID(last);
    if (!may_execute(maker)) aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_FUNCTION, get_func_name(maker));
    InvokeFunctionExecuteHook(maker);
    auto *known = static_cast<FmgrInfo *>(MemoryContextAlloc(site->fn_mcxt, sizeof(FmgrInfo)));
    fmgr_info_cxt(maker, known, site->fn_mcxt);
    site->fn_extra = known;
    return *known;
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_maker_support);
PG_FUNCTION_INFO_V1(idgen_draw);

Datum idgen_maker_support(PG_FUNCTION_ARGS) {
    const auto *request = reinterpret_cast<SupportRequestSimplify *>(PG_GETARG_POINTER(0));
    if (!IsA(request, SupportRequestSimplify) || !is_batched(*request)) PG_RETURN_POINTER(nullptr);
    Oid draw = find_draw(get_func_namespace(fcinfo->flinfo->fn_oid));
    PG_RETURN_POINTER(OidIsValid(draw) ? batched(draw, *request->fcall) : nullptr);
}

Datum idgen_draw(PG_FUNCTION_ARGS) {
    LOCAL_FCINFO(call, FUNC_MAX_ARGS);
    InitFunctionCallInfoData(*call, &maker_of(fcinfo), static_cast<short>(fcinfo->nargs - 1), fcinfo->fncollation,
                             fcinfo->context, fcinfo->resultinfo);
    for (int i = 0; i < call->nargs; i++) call->args[i] = fcinfo->args[i];
    Datum made = FunctionCallInvoke(call);
    Assert(!call->isnull);
    return made;
}

}  // extern "C"

}  // namespace idgen::pg
