#include "pg/draw/wait.hpp"

namespace idgen::pg {
namespace {

// A draw begins to wait for a tick of its slot.
void count_wait(const Source &source) noexcept {
    pg_atomic_fetch_add_u64(&self.backend->waits, 1);
    Guard<SpinLock> guard(source.slot.entry->mutex);
    if (is_current(source.slot)) source.slot.entry->waits++;
}

// It slept that long.
void count_wait_time(const Source &source, int64 us) noexcept {
    pg_atomic_fetch_add_u64(&self.backend->wait_us, us);
    Guard<SpinLock> guard(source.slot.entry->mutex);
    if (is_current(source.slot)) source.slot.entry->wait_us += static_cast<uint64>(us);
}

// How long a session sleeps between looks at the number that it waits for.
constexpr int64 number_poll_us = 1000;

// Has the keeper get what the source draws from. If the registry chooses the numbers, a shard that was named is one
// of those, or an error: the server does not ask for it.
void want(const Source &source) {
    SharedLeases &leases = *self.leases;
    if (source.follows_pool) return want_pool(leases);
    if (settings.shards_from == ShardsFrom::lease) return require_shard(source);
    if (!want_number(leases, source.shard))
        ereport(
            ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
            errmsg("shard %u cannot be used: this server holds at most %u shards from the registry", source.shard,
                   max_leases),
            errdetail(
                "It holds that many already: those of idgen.lease_count, and every shard given by hand that a session has used since the server started."),
            errhint("Give idgen.shards at most %u shards, in all databases together, and restart.", max_leases));
}

// A shard that has been out of IDs for that long is logged.
constexpr uint32 long_full_ms = 10000;

// Notes a full tick; how long the slot has been out of IDs.
uint32 full_for(const Source &source) noexcept {
    int64 now_ms = monotonic_ms();
    Guard<SpinLock> guard(source.slot.entry->mutex);
    if (!is_current(source.slot)) return 0;
    return note_full(source.slot.entry->full, now_ms, source.packing.unit_us);
}

}  // namespace

void wait_for_tick(const Source &source, const Limits &limits, const Take &taken, Wait &wait) {
    int64 us = limits.now_us + taken.wait_us - wall_us();
    if (us <= 0) return;
    if (!wait.is_counted) count_wait(source);
    wait.is_counted = true;
    int64 began_us = monotonic_us();
    sleep_in(wait, us);
    count_wait_time(source, monotonic_us() - began_us);
}

bool turn_to_held(SharedLeases &leases, Source &source) {
    if (!source.is_pool || source.follows_pool || may_be_granted(leases, awaited_by(source))) return false;
    for (uint32 i = 1; i < source.pool.shard_count; i++) {
        uint32 rank = (source.rank + i) % source.pool.shard_count;
        if (find_lease(leases, source.region_top | source.pool.at(rank))->cap_ms <= source.base.start_ms) continue;
        source.session->cursor.move_home(rank);
        return true;
    }
    return false;
}

void wait_for_number(Source &source, Wait &wait) {
    SharedLeases &leases = *self.leases;
    // The next try finds slot and lease again: the lease may have come only now. A source outlives an error, too.
    source.slot.entry = nullptr;
    if (!has_registry()) refuse(refusal_of_number(leases, awaited_by(source), 0));
    // Other numbers may have come in the place of one that is gone.
    if (follow_pool(source)) return;
    want(source);
    if (waited_ms(wait) >= settings.max_wait_ms) refuse(refusal_of_number(leases, awaited_by(source), waited_ms(wait)));
    sleep_in(wait, number_poll_us);
    follow_pool(source);
    turn_to_held(leases, source);
}

void count_full(const Source &source) {
    uint32 full_ms = full_for(source);
    if (full_ms < long_full_ms || source.carries || !may_log(self.state, Cause::shard_full)) return;
    LayoutName name(source.layout);
    uint32 ids = ids_per_tick(source.packing);
    ereport(
        LOG,
        errmsg("shard %u of database \"%s\" has been out of IDs for %s", source.shard, get_database_name(MyDatabaseId),
               duration_text(full_ms)),
        errdetail_plural(
            "Layout \"%s\" makes %u ID in %s for each shard; sessions wait, borrow to the limit, or fail, as idgen.overflow says.",
            "Layout \"%s\" makes %u IDs in %s for each shard; sessions wait, borrow to the limit, or fail, as idgen.overflow says.",
            ids, name.text, ids, unit_text(source.layout)),
        errhint("Give this node more shards, or use a layout with a longer sequence."));
}

void count_ahead(const Source &source, int64 tick, uint32 ids) {
    int64 lead_ms = counted_lead_ms(make_tick(source.packing, tick), wall_us());
    if (lead_ms > 0 && note_ahead(source, tick, ids, lead_ms)) watched_clock(self.state);
}

void reset_tallies(SharedState *state) noexcept {
    uint32 used = unlocked_directory_of(state).slots_used();
    for (uint32 i = 0; i < used; i++) {
        SharedSlot &entry = slots_of(state)[i];
        Guard<SpinLock> guard(entry.mutex);
        if (entry.link.key.database == MyDatabaseId) reset_counters(entry);
    }
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
