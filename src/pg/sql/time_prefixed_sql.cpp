#include "pg/sql/time_prefixed_sql.hpp"

#include "core/kinds/rising.hpp"
#include "core/kinds/time_prefixed.hpp"
#include "pg/host/clock.hpp"
#include "pg/host/entropy.hpp"
#include "pg/host/server_locks.hpp"
#include "pg/report/report_log.hpp"
#include "pg/sql/arguments.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {

namespace {

// Registers for the estimate: 2^10, an error of about 3 %.
constexpr uint8 register_bits = 10;

// Below so many values a sort is short either way.
constexpr int fewest_values = 10000;

// With less than one distinct key in so many values, most comparisons need the whole value.
constexpr double most_values_per_key = 16;

bool is_abbreviation_useless(int values, SortSupport sort) {
    auto *count = static_cast<AbbreviationCount *>(sort->ssup_extra);
    if (values < fewest_values || count->keys < fewest_values) return false;
    double distinct = estimateHyperLogLog(&count->distinct);
    return distinct * most_values_per_key < static_cast<double>(count->keys);
}

}  // namespace

void begin_abbreviation(SortSupport sort) {
    auto *count = static_cast<AbbreviationCount *>(MemoryContextAllocZero(sort->ssup_cxt, sizeof(AbbreviationCount)));
    MemoryContext caller = MemoryContextSwitchTo(sort->ssup_cxt);
    initHyperLogLog(&count->distinct, register_bits);
    MemoryContextSwitchTo(caller);
    sort->ssup_extra = count;
    sort->comparator = ssup_datum_unsigned_cmp;
    sort->abbrev_abort = is_abbreviation_useless;
}

// The SQL face of the type ulid.

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

// The SQL face of the type ksuid.

extern "C" {

TIME_PREFIXED_ENTRIES(ksuid, Ksuid);
PG_FUNCTION_INFO_V1(idgen_next_ksuid);

Datum idgen_next_ksuid(PG_FUNCTION_ARGS) {
    uint8 random[Ksuid::tail_size];
    fill_random(random, sizeof(random));
    return prefixed_datum(composed<Ksuid>(stamp_of_clock<Ksuid, ksuid_form>(), random));
}

}  // extern "C"

// The SQL face of the type objectid.

namespace {

// This process's own; begun at its first ObjectId, so never before a fork.
ObjectIdSource &object_id_source() {
    static ObjectIdSource source{};
    static int owner = 0;
    if (owner != MyProcPid) {
        fill_random(source.tail, sizeof(source.tail));
        owner = MyProcPid;
    }
    return source;
}

}  // namespace

extern "C" {

TIME_PREFIXED_ENTRIES(objectid, ObjectId);
PG_FUNCTION_INFO_V1(idgen_next_objectid);

Datum idgen_next_objectid(PG_FUNCTION_ARGS) {
    return prefixed_datum(next_object_id(object_id_source(), stamp_of_clock<ObjectId, objectid_form>()));
}

}  // extern "C"

}  // namespace idgen::pg
