#include "pg/draw/wait.hpp"

#include "pg/state/shared_state.hpp"

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

void wait_for_number(Source &source, Wait &wait) {
    SharedLeases &leases = *self.leases;
    // The next try finds slot and lease again: the lease may have come only now. A source outlives an error, too.
    source.slot.entry = nullptr;
    if (!has_registry()) raise(refusal_of_number(leases, awaited_by(source), 0));
    // Other numbers may have come in the place of one that is gone.
    if (follow_pool(source)) return;
    want(source);
    if (waited_ms(wait) >= settings.max_wait_ms) raise(refusal_of_number(leases, awaited_by(source), waited_ms(wait)));
    sleep_in(wait, number_poll_us);
    follow_pool(source);
}

}  // namespace idgen::pg
