#include "pg/draw/tally.hpp"

#include "pg/host/clock.hpp"
#include "pg/report/report_log.hpp"
#include "pg/state/clock_steps.hpp"
#include "pg/state/log_limit.hpp"
#include "pg/state/slot_guard.hpp"

namespace idgen::pg {
namespace {

// A shard that has been out of IDs for so long is told to the log.
constexpr uint32 long_full_ms = 10000;

// A draw begins to wait for a tick of its slot.
void count_wait(const Source &source) noexcept {
    pg_atomic_fetch_add_u64(&self.backend->waits, 1);
    SlotGuard guard(*source.handle.slot);
    if (guard.is_current(source.handle)) source.handle.slot->waits++;
}

// It slept so long.
void count_wait_time(const Source &source, int64 us) noexcept {
    pg_atomic_fetch_add_u64(&self.backend->wait_us, us);
    SlotGuard guard(*source.handle.slot);
    if (guard.is_current(source.handle)) source.handle.slot->wait_us += static_cast<uint64>(us);
}

}  // namespace

void sleep_for_tick(const Source &source, const Limits &limits, const Take &taken, Patience &patience) {
    int64 us = (limits.now_ms + taken.wait_ms) * 1000 - wall_us();
    if (us <= 0) return;
    if (!patience.is_counted) count_wait(source);
    patience.is_counted = true;
    int64 began_us = monotonic_us();
    sleep_us(us);
    count_wait_time(source, monotonic_us() - began_us);
}

void count_full(const Source &source) {
    int64 now_ms = monotonic_ms();
    uint32 full_ms = 0;
    {
        SharedSlot &slot = *source.handle.slot;
        SlotGuard guard(slot);
        if (guard.is_current(source.handle)) full_ms = note_full(slot.full, now_ms, source.packing.unit_ms);
    }
    if (full_ms >= long_full_ms && may_log(self.state, Cause::shard_full))
        log_shard_full(source.layout, source.shard, full_ms);
}

void count_ahead(const Source &source, int64 tick, uint32 ids) {
    int64 lead_ms = start_of(source.packing, tick) - wall_ms();
    if (lead_ms <= 0) return;
    bool is_held = false;
    {
        SharedSlot &slot = *source.handle.slot;
        SlotGuard guard(slot);
        if (guard.is_current(source.handle)) {
            is_held = !is_borrowed(slot.slot, tick);
            count_lead(slot.slot, tick, ids, lead_ms);
        }
    }
    if (is_held) look_for_clock_step(self.state);
}

void reset_tallies(SharedState *state) noexcept {
    LWLockAcquire(&state->lock, LW_SHARED);
    for (uint32 i = 0; i < state->max_slots; i++) {
        SharedSlot &slot = slots_of(state)[i];
        if (slot.link.key.database != MyDatabaseId) continue;
        SlotGuard guard(slot);
        reset_counters(slot.slot);
        slot.waits = slot.wait_us = 0;
    }
    LWLockRelease(&state->lock);
    for (uint32 i = 0; i < state->backend_count; i++) {
        SharedBackend &backend = backends_of(state)[i];
        if (pg_atomic_read_u32(&backend.pid) == 0 || backend.database != MyDatabaseId) continue;
        pg_atomic_write_u64(&backend.ids_before, pg_atomic_read_u64(&backend.ids));
        pg_atomic_write_u64(&backend.waits, 0);
        pg_atomic_write_u64(&backend.wait_us, 0);
    }
}

}  // namespace idgen::pg
