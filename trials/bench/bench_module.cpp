// What the benchmark needs inside the server: a function that does nothing, the baseline of every call; the time that
// single calls of a maker take; and the end of a count of instructions.
#include <valgrind/callgrind.h>

#include <algorithm>
#include <ctime>

#include "pg/postgres.hpp"

namespace {

int64 monotonic_ns() noexcept {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64{now.tv_sec} * 1000000000 + now.tv_nsec;
}

// Calls, each begun at least interval_ns after the one before; fills in what each took.
void time_calls(FunctionCallInfo call, int64 interval_ns, int64 *took_ns, int count) {
    int64 due = monotonic_ns();
    for (int i = 0; i < count; i++) {
        CHECK_FOR_INTERRUPTS();
        int64 began = monotonic_ns();
        while (began < due) began = monotonic_ns();
        FunctionCallInvoke(call);
        took_ns[i] = monotonic_ns() - began;
        due = began + interval_ns;
    }
}

// The smallest value that is not below `per_myriad` ten-thousandths of the sorted values.
Datum percentile(const int64 *sorted, int count, int per_myriad) noexcept {
    int64 rank = (int64{count} * per_myriad + 9999) / 10000;
    return Int64GetDatum(sorted[std::max(rank, int64{1}) - 1]);
}

}  // namespace

extern "C" {

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(bench_empty);
PG_FUNCTION_INFO_V1(bench_latency);
PG_FUNCTION_INFO_V1(bench_dump);

Datum bench_empty(PG_FUNCTION_ARGS) {
    PG_RETURN_INT64(1);
}

// Below callgrind: writes what this backend has executed since the last time into its next file.
Datum bench_dump(PG_FUNCTION_ARGS) {
    CALLGRIND_DUMP_STATS;
    PG_RETURN_VOID();
}

// (maker, shard, layout, calls, interval_ns): p50, p99, p99.9, p99.99 and the longest of maker(shard, layout), ns.
Datum bench_latency(PG_FUNCTION_ARGS) {
    int count = PG_GETARG_INT32(3);
    if (count < 1) ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("calls must be at least 1"));
    FmgrInfo maker;
    fmgr_info(PG_GETARG_OID(0), &maker);
    LOCAL_FCINFO(call, 2);
    InitFunctionCallInfoData(*call, &maker, 2, InvalidOid, nullptr, nullptr);
    call->args[0] = {PG_GETARG_DATUM(1), false};
    call->args[1] = {PG_GETARG_DATUM(2), false};

    auto *took_ns = static_cast<int64 *>(palloc_extended(sizeof(int64) * count, MCXT_ALLOC_HUGE));
    time_calls(call, PG_GETARG_INT32(4), took_ns, count);
    std::sort(took_ns, took_ns + count);
    Datum figures[] = {percentile(took_ns, count, 5000), percentile(took_ns, count, 9900),
                       percentile(took_ns, count, 9990), percentile(took_ns, count, 9999),
                       percentile(took_ns, count, 10000)};
    PG_RETURN_ARRAYTYPE_P(construct_array(figures, lengthof(figures), INT8OID, sizeof(int64), true, TYPALIGN_DOUBLE));
}
}
