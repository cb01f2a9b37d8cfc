// What the planner makes of id_within(id, period, layout): two comparisons of the id,
//
//      id >= id_within_first(period, layout) AND id <= id_within_last(period, layout)
//
// the bounds being constants where period and layout are. That is the same for every id, null and
// negative ones too, so nothing is lost, nothing need be checked again, and all that the server knows
// of comparisons holds: indexes of every kind, pruning of partitions when planning or running,
// exclusion by constraints, partial indexes, statistics, pushing down to foreign servers and below
// security barriers. An id64 column is compared itself, not its cast to bigint, so that its own indexes and
// partitions serve. So the call is replaced (Simplify) wherever its arguments may be written twice.
// Where they may not (a sub-select as the period), it stays, and the same comparisons serve as index
// condition and for the estimate.
#include "pg/postgres.hpp"

namespace idgen::pg {
namespace {

// A helper's call, folded to a constant where its arguments are. Null where there is no helper.
Node *bound_call(PlannerInfo *root, Oid funcid, const char *name, Node *period, Node *layout) {
    Oid types[] = {exprType(period), exprType(layout)};
    Oid helper =
        GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
                        PointerGetDatum(buildoidvector(types, 2)), ObjectIdGetDatum(get_func_namespace(funcid)));
    if (!OidIsValid(helper)) return nullptr;
    FuncExpr *call =
        makeFuncExpr(helper, INT8OID, list_make2(period, layout), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
    return eval_const_expressions(root, reinterpret_cast<Node *>(call));
}

// The id64 that an argument was cast from; otherwise the argument itself.
Node *uncast(Oid funcid, Node *id) {
    if (!IsA(id, RelabelType)) return id;
    Oid id64 = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("id64"),
                               ObjectIdGetDatum(get_func_namespace(funcid)));
    auto *source = reinterpret_cast<Node *>(reinterpret_cast<RelabelType *>(id)->arg);
    if (!OidIsValid(id64) || getBaseType(exprType(source)) != id64) return id;
    if (exprType(source) == id64) return source;
    return reinterpret_cast<Node *>(
        makeRelabelType(reinterpret_cast<Expr *>(source), id64, -1, InvalidOid, COERCE_IMPLICIT_CAST));
}

// The btree family that compares a type.
Oid order_of(Oid type) {
    return type == INT8OID ? INTEGER_BTREE_FAM_OID : get_opclass_family(GetDefaultOpClass(type, BTREE_AM_OID));
}

// The comparison of a bigint or id64 with a bigint that a btree knows by that number.
Expr *comparison(StrategyNumber strategy, Node *left, Node *right) {
    Oid type = exprType(left);
    Oid op = get_opfamily_member(order_of(type), type, INT8OID, static_cast<int16>(strategy));
    Expr *clause = make_opclause(op, BOOLOID, false, reinterpret_cast<Expr *>(left), reinterpret_cast<Expr *>(right),
                                 InvalidOid, InvalidOid);
    set_opfuncid(reinterpret_cast<OpExpr *>(clause));
    return clause;
}

// Both comparisons for a call's arguments; NIL where they cannot be made.
List *comparisons(PlannerInfo *root, Oid funcid, List *args) {
    if (list_length(args) != 3) return NIL;
    Node *id = uncast(funcid, static_cast<Node *>(linitial(args)));
    auto *period = static_cast<Node *>(lsecond(args));
    auto *layout = static_cast<Node *>(lthird(args));
    Node *first = bound_call(root, funcid, "id_within_first", period, layout);
    Node *last = bound_call(root, funcid, "id_within_last", period, layout);
    if (first == nullptr || last == nullptr) return NIL;
    return list_make2(comparison(BTGreaterEqualStrategyNumber, id, first),
                      comparison(BTLessEqualStrategyNumber, id, last));
}

// The comparisons instead of the call. Null where an argument must not be evaluated twice.
Node *simplify(const SupportRequestSimplify &request) {
    auto *args = reinterpret_cast<Node *>(request.fcall->args);
    if (contain_volatile_functions(args) || contain_subplans(args)) return nullptr;
    List *clauses = comparisons(request.root, request.fcall->funcid, request.fcall->args);
    return clauses == NIL ? nullptr : reinterpret_cast<Node *>(make_ands_explicit(clauses));
}

// The comparisons as conditions on an index of the id; exact.
Node *index_condition(SupportRequestIndexCondition &request) {
    if (!is_funcclause(request.node) || request.indexarg != 0) return nullptr;
    const auto *call = reinterpret_cast<FuncExpr *>(request.node);
    List *clauses = comparisons(request.root, call->funcid, call->args);
    ListCell *cell;
    foreach (cell, clauses) {
        const auto *clause = static_cast<OpExpr *>(lfirst(cell));
        if (!op_in_opfamily(clause->opno, request.opfamily) ||
            !is_pseudo_constant_for_index(request.root, static_cast<Node *>(lsecond(clause->args)), request.index))
            return nullptr;
    }
    request.lossy = false;
    return reinterpret_cast<Node *>(clauses);
}

// The share of rows that both comparisons leave. Null where there are none.
Node *selectivity(SupportRequestSelectivity &request) {
    List *clauses = comparisons(request.root, request.funcid, request.args);
    if (clauses == NIL) return nullptr;
    request.selectivity =
        clauselist_selectivity(request.root, clauses, request.varRelid, request.jointype, request.sjinfo);
    return reinterpret_cast<Node *>(&request);
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_within_support);

Datum idgen_within_support(PG_FUNCTION_ARGS) {
    auto *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));
    if (IsA(request, SupportRequestSimplify))
        PG_RETURN_POINTER(simplify(*reinterpret_cast<SupportRequestSimplify *>(request)));
    if (IsA(request, SupportRequestIndexCondition))
        PG_RETURN_POINTER(index_condition(*reinterpret_cast<SupportRequestIndexCondition *>(request)));
    if (IsA(request, SupportRequestSelectivity))
        PG_RETURN_POINTER(selectivity(*reinterpret_cast<SupportRequestSelectivity *>(request)));
    PG_RETURN_POINTER(static_cast<Node *>(nullptr));
}

}  // extern "C"
}  // namespace idgen::pg
