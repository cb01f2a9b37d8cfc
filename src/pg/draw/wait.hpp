// How long one draw has waited, for ticks, renewals and numbers from the registry together; the waits themselves; and
// what is counted of draws. A draw whose slot was given to another shard meanwhile counts no wait.
#pragma once

#include "core/draw/draw_order.hpp"
#include "pg/horizon/renew.hpp"
#include "pg/report/report_renewal.hpp"
#include "pg/state/own_shards.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/source.hpp"

namespace idgen::pg {

struct Wait {
    int64 began_ms;       // by the clock that no step touches; 0: it has not begun
    int64 began_wall_ms;  // the time of day then
    bool is_counted;      // as one draw that waited for a tick
};

inline int64 waited_ms(const Wait &wait) noexcept {
    return wait.began_ms == 0 ? 0 : monotonic_ms() - wait.began_ms;
}

// Sleeps, and begins the wait.
inline void sleep_in(Wait &wait, int64 us) {
    if (wait.began_ms == 0) {
        wait.began_wall_ms = wall_ms();
        wait.began_ms = monotonic_ms();
    }
    sleep_us(us);
}

// Sleeps until the clock admits the refused tick, or a while, and counts it.
void wait_for_tick(const Source &source, const Limits &limits, const Take &taken, Wait &wait);

inline AwaitedNumber awaited_by(const Source &source) noexcept {
    return {source.follows_pool, source.shard};
}

// Moves the session to a shard of its pool that is held, if that in use, which was given by hand, is not to be had now.
bool turn_to_held(SharedLeases &leases, Source &source);

// Asks for what the source lacks and sleeps a while; then its slot is to be selected again. Raises an error if the wait
// takes too long, or if the number can never arrive.
void wait_for_number(Source &source, Wait &wait);

// What a draw from a record asks the server for if nothing is left of that (core/draw/draw_order.hpp).
template <Record record>
struct RecordWaits {
    using Wait = pg::Wait;

    static int64 waited_ms(const Wait &wait) noexcept { return pg::waited_ms(wait); }
    static bool wait_for_renewal(Wait &wait) {
        constexpr int64 poll_us = 200;
        sleep_in(wait, poll_us);
        return true;
    }
    [[noreturn]] static void refuse_renewal(Patience, const Outcome &outcome, const Wait &) {
        refuse(refusal_of_renewal(outcome, record, settings.max_wait_ms));
    }
    static DrawRules rules() noexcept { return draw_rules(); }
    static uint64 machine() noexcept { return pg::machine(); }
    static void mark(uint64 machine) { mark_own_transaction(machine); }
    static void require_server() { require_postmaster(); }
};

// Counts what draws make, both IDs and timestamps of the hybrid logical clock. If a draw gets an ID ahead of the clock,
// and its slot was given to another shard meanwhile, it counts nothing. Every other draw counts only its IDs; those of
// the slot are counted by the take itself.

// The slot had no ID left in a tick. Logs it if that goes on for long; not for the clock, whose ticks carry.
void count_full(const Source &source);

// IDs of one tick that was ahead of the clock when the take read it. Counts those that still are.
void count_ahead(const Source &source, int64 tick, uint32 ids);

// Counts what this backend made, and where: a tag_of(), or no_slot_tag.
inline void count_made(uint32 ids, int64 last_id, uint64 slot_tag) noexcept {
    SharedBackend &backend = *self.backend;
    pg_atomic_write_u64(&backend.ids, pg_atomic_read_u64(&backend.ids) + ids);
    pg_atomic_write_u64(&backend.last_id, static_cast<uint64>(last_id));
    pg_atomic_write_u64(&backend.slot_tag, slot_tag);
}

// Counts what a draw took from its slot, in a tick that was ahead of the clock or not.
inline void count_taken(const Source &source, const Take &taken, int64 last_id, bool is_ahead) {
    count_made(taken.count, last_id, source.slot_tag);
    if (unlikely(is_ahead)) count_ahead(source, taken.tick, taken.count);
}

// Sets back what was counted for this session's database.
void reset_tallies(SharedState *state) noexcept;

}  // namespace idgen::pg
