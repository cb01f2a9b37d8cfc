#include "pg/draw/number_wait.hpp"

#include "pg/state/settings.hpp"

namespace idgen::pg {

namespace {

// How long a session sleeps between looks.
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
            errmsg("number %u cannot be used: this server holds at most %u numbers from the registry", source.shard,
                   max_leases),
            errdetail(
                "It holds that many already: those of idgen.lease_count, and every number given by hand that a session has used since the server started."),
            errhint("Give idgen.shards at most %u numbers, in all databases together, and restart.", max_leases));
}

}  // namespace

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
