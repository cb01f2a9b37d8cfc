// The SQL face of reading by ID.

#include "pg/draw/settled.hpp"
#include "pg/sql/arguments.hpp"
#include "pg/state/libraries.hpp"
#include "pg/state/source.hpp"

namespace idgen::pg {

namespace {

constexpr const char *read_committed_hint = "Call it, and read, in a transaction that is READ COMMITTED.";

[[noreturn]] void report_old_snapshot() {
    ereport(ERROR, errcode(ERRCODE_INVALID_TRANSACTION_STATE),
            errmsg("cannot call id_settled() in a %s transaction",
                   XactIsoLevel == XACT_SERIALIZABLE ? "SERIALIZABLE" : "REPEATABLE READ"),
            errdetail("What follows reads by a snapshot that may be older than the answer, and would miss rows."),
            errhint("%s", read_committed_hint));
}

[[noreturn]] void report_standby() {
    ereport(ERROR, errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION), errmsg("cannot call id_settled() during recovery"),
            errdetail("This server is a standby; which transactions have ended, its primary knows."),
            errhint("Call it on the primary, then pg_current_wal_insert_lsn(), and read here once that is replayed."));
}

[[noreturn]] void report_wrapping_order(const Layout &layout) {
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("layout \"%s\" has no order to read by", LayoutName(layout).text),
            errdetail("Its time wraps, so a later ID can be the smaller one."),
            errhint("Read by another column, or use a layout whose time does not wrap."));
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_settled);

// The first argument is the result.
Datum idgen_settled(PG_FUNCTION_ARGS) {
    require_argument(fcinfo, 1, "layout");
    const Layout &layout = layout_argument(fcinfo, 1);
    Packing p = packing_of(layout);
    if (p.wraps) report_wrapping_order(layout);
    if (RecoveryInProgress()) report_standby();
    if (IsolationUsesXactSnapshot()) report_old_snapshot();
    attach_backend();
    Settled settled;
    bool nulls[] = {!settle(settled)};
    // After the look: a session of another state that has drawn since is seen here, or joined none.
    require_one_state("id_settled()");
    Datum values[] = {nulls[0] ? Datum{0} : Int64GetDatum(settled_id(p, settled.until_ms))};
    PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(result_row(fcinfo), values, nulls)));
}

}  // extern "C"

}  // namespace idgen::pg
