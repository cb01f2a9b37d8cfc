#include "pg/draw/tally.hpp"

#include "core/layout/layout.hpp"
#include "core/layout/packing.hpp"
#include "pg/host/clock.hpp"
#include "pg/report/words.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {
namespace {

// A shard that has been out of IDs for that long is logged.
constexpr uint32 long_full_ms = 10000;

// Notes a full tick; how long the slot has been out of IDs.
uint32 full_for(const Source &source) noexcept {
    int64 now_ms = monotonic_ms();
    Guard<SpinLock> guard(source.slot.entry->mutex);
    if (!is_current(source.slot)) return 0;
    return note_full(source.slot.entry->full, now_ms, source.packing.unit_us);
}

void reset_slot(SharedSlot &entry) noexcept {
    Guard<SpinLock> guard(entry.mutex);
    if (entry.link.key.database == MyDatabaseId) reset_counters(entry);
}

void log_shard_full(const Layout &layout, uint32 shard, int64 full_ms) {
    LayoutName name(layout);
    uint32 ids = ids_per_tick(packing_of(layout));
    ereport(
        LOG,
        errmsg("shard %u of database \"%s\" has been out of IDs for %s", shard, get_database_name(MyDatabaseId),
               duration_text(full_ms)),
        errdetail_plural(
            "Layout \"%s\" makes %u ID in %s for each shard; sessions wait, borrow to the limit, or fail, as idgen.overflow says.",
            "Layout \"%s\" makes %u IDs in %s for each shard; sessions wait, borrow to the limit, or fail, as idgen.overflow says.",
            ids, name.text, ids, unit_text(layout)),
        errhint("Give this node more shards, or use a layout with a longer sequence."));
}

}  // namespace

void count_full(const Source &source) {
    uint32 full_ms = full_for(source);
    if (full_ms >= long_full_ms && !source.carries && may_log(self.state, Cause::shard_full))
        log_shard_full(source.layout, source.shard, full_ms);
}

void count_ahead(const Source &source, int64 tick, uint32 ids) {
    int64 lead_ms = counted_lead_ms(make_tick(source.packing, tick), wall_us());
    if (lead_ms > 0 && note_ahead(source, tick, ids, lead_ms)) watched_clock(self.state);
}

void reset_tallies(SharedState *state) noexcept {
    uint32 used = unlocked_directory_of(state).slots_used();
    for (uint32 i = 0; i < used; i++) reset_slot(slots_of(state)[i]);
    for (uint32 i = 0; i < state->backend_count; i++) {
        SharedBackend &backend = backends_of(state)[i];
        if (pg_atomic_read_u32(&backend.pid) == 0 || backend.database != MyDatabaseId) continue;
        // Its IDs are counted by plain writes of the backend itself, so they are not set back but subtracted.
        pg_atomic_write_u64(&backend.ids_before, pg_atomic_read_u64(&backend.ids));
        pg_atomic_write_u64(&backend.waits, 0);
        pg_atomic_write_u64(&backend.wait_us, 0);
    }
    if (SharedDatabase *database = find_database(state); database != nullptr) database->arrivals.forget();
}

}  // namespace idgen::pg
