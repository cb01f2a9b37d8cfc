// The SQL face of reading by ID.

#include "pg/reading/settled.hpp"
#include "pg/sql/arguments.hpp"

namespace idgen::pg {
namespace {

[[noreturn]] void report_no_snapshot() {
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("cannot call id_settled() without a snapshot of a query"),
            errdetail("It says what the snapshot of the query that calls it shows in full."),
            errhint("Call it in the query that reads: ... WHERE id < id_settled() ..."));
}

const SnapshotData &query_snapshot() {
    if (IsParallelWorker())
        ereport(ERROR, errcode(ERRCODE_INVALID_TRANSACTION_STATE),
                errmsg("cannot call id_settled() in a parallel worker"),
                errdetail("A function that is declared PARALLEL SAFE calls it."),
                errhint("Declare that function PARALLEL RESTRICTED, or write (SELECT id_settled()) in the query."));
    if (!ActiveSnapshotSet() || HistoricSnapshotActive()) report_no_snapshot();
    Snapshot snapshot = GetActiveSnapshot();
    if (snapshot->snapshot_type != SNAPSHOT_MVCC) report_no_snapshot();
    return *snapshot;
}

// What a call site keeps from row to row: the answer to the query that it stands in.
struct Site {
    const KeptAnswer *answer;
    LocalTransactionId transaction;
    uint32 generation;
    Layout layout;
    int64 id;
};

// Whether the site has the answer. An answer lives as long as its transaction, in memory that another may use again.
inline bool is_answered(const Site *site, const Layout &layout) {
    bool is_kept =
        site != nullptr && site->transaction == *transaction_of(MyProc) && site->generation == generation_of_answers();
    return is_kept && site->layout == layout && ActiveSnapshotSet() &&
           is_same(site->answer->query, view_of(*GetActiveSnapshot()));
}

[[gnu::noinline, gnu::cold]] Site *answer(FmgrInfo *call, const Layout &layout) {
    const SnapshotData &snapshot = query_snapshot();
    Packing p = packing_of(layout);
    if (p.wraps)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("layout \"%s\" has no order to read by", LayoutName(layout).text),
                errdetail("Its time wraps, so a later ID can be the smaller one."),
                errhint("Read by another column, or use a layout whose time does not wrap."));
    const KeptAnswer &kept = answer_for(snapshot);
    if (call->fn_extra == nullptr) call->fn_extra = MemoryContextAlloc(call->fn_mcxt, sizeof(Site));
    auto *site = static_cast<Site *>(call->fn_extra);
    *site = {&kept, *transaction_of(MyProc), generation_of_answers(), layout, settled_id(p, kept.until)};
    return site;
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_settled);

Datum idgen_settled(PG_FUNCTION_ARGS) {
    if (PG_ARGISNULL(0)) report_null("layout", "Each layout has a bound of its own.");
    const Layout &layout = layout_argument(fcinfo, 0);
    auto *site = static_cast<const Site *>(fcinfo->flinfo->fn_extra);
    if (unlikely(!is_answered(site, layout))) site = answer(fcinfo->flinfo, layout);
    if (site->answer->until == none_settled) PG_RETURN_NULL();
    PG_RETURN_INT64(site->id);
}

}  // extern "C"
}  // namespace idgen::pg
