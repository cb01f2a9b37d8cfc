// The SQL face of the type ulid.
#include "core/kinds/time_prefixed.hpp"

#include "core/kinds/rising.hpp"
#include "pg/host/clock.hpp"
#include "pg/host/entropy.hpp"
#include "pg/host/spin_lock.hpp"
#include "pg/report/report_log.hpp"
#include "pg/sql/time_prefixed_entries.hpp"
#include "pg/sql/ulid_type.hpp"
#include "pg/state/log_limit.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {
namespace {

// The next ULID of the server, or false; see core/kinds/time_prefixed.hpp and core/kinds/rising.hpp.
bool next_in_order(SharedOrder<Ulid> &order, Reading &reading, const uint8 (&random)[Ulid::tail_size],
                   Ulid &next) noexcept {
    int64 allowed_ms = allowed_back_ms(settings.max_lead_ms);
    Guard<SpinLock> guard(order.mutex);
    reading = settle_reading(time_of(order.last), reading.now, allowed_ms, wall_ms);
    if (unlikely(reading.behind > 0)) order.last = Ulid{};
    bool is_next = advance(order.last, reading.now, random);
    next = order.last;
    return is_next;
}

}  // namespace

extern "C" {

TIME_PREFIXED_ENTRIES(ulid, Ulid);
PG_FUNCTION_INFO_V1(idgen_next_ulid);

Datum idgen_next_ulid(PG_FUNCTION_ARGS) {
    uint8 random[Ulid::tail_size];
    fill_random(random, sizeof(random));
    SharedState *state = shared_state();
    Reading reading{recent_wall_ms(), 0};
    Ulid next;
    if (!next_in_order(state->ulid_order, reading, random, next)) report_no_ulid(time_of(next));
    if (unlikely(reading.behind > 0) && may_log(state, Cause::ulid_order))
        log_order_anew("ULIDs", reading.now, reading.behind);
    return prefixed_datum(next);
}

}  // extern "C"

// It is the one whose text this library reads.
bool is_ulid_type(Oid type) {
    if (!OidIsValid(type)) return false;
    Oid input, parameter;
    getTypeInputInfo(type, &input, &parameter);
    FmgrInfo function;
    fmgr_info(input, &function);
    return function.fn_addr == idgen_ulid_in;
}

}  // namespace idgen::pg
