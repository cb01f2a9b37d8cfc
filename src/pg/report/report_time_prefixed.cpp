#include "pg/report/report_time_prefixed.hpp"

#include "pg/report/hints.hpp"
#include "pg/report/message_text.hpp"

namespace idgen::pg {
namespace {

int times_between(int64 first_ms, int64 last_ms) {
    return errdetail("Its times are from %s to %s.", instant_text(first_ms), instant_text(last_ms));
}

}  // namespace

void report_bytes(const TextForm &form, size_t size, size_t wanted, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid %s: wrong size", form.name),
                errdetail("It has %zu bytes.", size), errhint("Give %zu bytes.", wanted)));
}

void report_tail(const TextForm &form, size_t size, size_t wanted, Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid tail of %s: wrong size", form.name),
         errdetail("It has %zu bytes.", size), errhint("What follows the time has %zu bytes: give as many.", wanted)));
}

void report_stamp(const TextForm &form, TimestampTz instant, int64 first_ms, int64 last_ms, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                errmsg("no %s can hold the time %s", form.name, timestamptz_to_str(instant)),
                times_between(first_ms, last_ms), errhint("%s", time_between_hint)));
}

void report_clock_stamp(const TextForm &form, int64 now_ms, int64 first_ms, int64 last_ms, Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
         errmsg("no %s can hold the time of the clock, %s", form.name, instant_text(now_ms)),
         times_between(first_ms, last_ms), errhint("Correct the clock; if it is right, use another kind of ID.")));
}

void report_no_ulid(int64 unix_ms, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
                errmsg("no ULID is left in the millisecond of %s", instant_text(unix_ms)),
                errdetail("Those of a millisecond rise by 1 from a random one, and the largest was "
                          "reached."),
                errhint("Try again in the next millisecond.")));
}

}  // namespace idgen::pg
