// Refusals of what should become a ULID, a KSUID or an ObjectId.
#include "pg/report/message_text.hpp"
#include "pg/report/report.hpp"

namespace idgen::pg {

void report_bytes(TextForm form, size_t size, size_t wanted) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
                    errmsg("invalid %s: wrong size", form_name(form)), errdetail("It has %zu bytes.", size),
                    errhint("Give %zu bytes.", wanted)));
}

void report_tail(TextForm form, size_t size, size_t wanted) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("invalid tail of %s: wrong size", form_name(form)), errdetail("It has %zu bytes.", size),
             errhint("What follows the time has %zu bytes: give as many.", wanted)));
}

void report_stamp(TextForm form, TimestampTz at, int64 first_ms, int64 last_ms) {
    ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                    errmsg("no %s can hold the time %s", form_name(form), timestamptz_to_str(at)),
                    errdetail("Its times are from %s to %s.", instant_text(first_ms), instant_text(last_ms)),
                    errhint("Give a time in between.")));
}

void report_clock_stamp(TextForm form, int64 now_ms, int64 first_ms, int64 last_ms) {
    ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                    errmsg("no %s can hold the time of the clock, %s", form_name(form), instant_text(now_ms)),
                    errdetail("Its times are from %s to %s.", instant_text(first_ms), instant_text(last_ms)),
                    errhint("Correct the clock; if it is right, use another kind of ID.")));
}

void report_no_ulid(int64 unix_ms) {
    ereport(ERROR,
            (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
             errmsg("no ULID is left in the millisecond of %s", instant_text(unix_ms)),
             errdetail("Those of a millisecond rise by 1 from a random one, and the largest was reached."),
             errhint("Try again in the next millisecond.")));
}

void report_no_entropy() {
    ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not get random bytes"),
                    errdetail("The server's strong source of random bytes failed."),
                    errhint("Look at the entropy source of the operating system, and at OpenSSL's.")));
}

}  // namespace idgen::pg
