// A draw takes IDs from the slots of a source, a step at a time. The steps are a caller's:
//
//      limits_of --> base_of --> begin_try
//      is_selected?  no: select_shard, find or obtain its slot
//      try_slot  --> select: another shard, or the slot is somebody else's by now
//                --> final:  next_step --> issue: grant_for, note_drawn; give the IDs, renew if half used
//                                      --> renew, keep, wait; or grant_for says over: then all again, with
//                                          the clock read anew
//                                      --> an error
//
// Nothing here waits, reads a clock or raises. Times are unix ms.
#pragma once

#include "core/issue/directory.hpp"
#include "core/issue/next_step.hpp"
#include "core/issue/pool_cursor.hpp"
#include "core/lease/lease.hpp"

namespace idgen {

// What a session last drew from its own shards with one packing, and where in the pool it draws.
struct DrawSession {
    DrawHistory last;
    PoolCursor cursor;
    std::uint32_t resets;             // of the database's horizon, when `last` was drawn
    std::int64_t borrowed_tick = -1;  // the last borrowed tick that it drew from; -1: none
};

// Forgets what was drawn before the horizon was lowered.
inline void note_resets(DrawSession &session, std::uint32_t resets) noexcept {
    if (session.resets == resets) return;
    session.resets = resets;
    session.last = DrawHistory{};
    session.borrowed_tick = -1;
}

// Where a draw takes from.
template <class Lock>
struct DrawSource {
    Packing packing;
    DrawSession *session;      // null: whatever the session drew before is of no matter
    ShardSet pool;             // the shards; one alone for an explicit one
    std::uint32_t region_top;  // the region above the shards of the pool, shifted
    bool is_pool;              // of more than one shard
    bool carries;              // a full tick carries into the next one, ahead of the clock
    SlotReference<Lock> slot;  // in use; a null entry: to be selected
    const Lease *lease;        // that caps the IDs of the shard in use; null: none does
    std::uint32_t shard;       // its whole number
    std::uint32_t rank;        // and its rank in the pool
};

// What a caller does between two loads, where other sessions may come in.
struct NoPause {
    void operator()() const noexcept {}
};

// The rules of a source: where a full tick carries into the next one, it does so whatever settings say.
template <class Lock>
DrawRules rules_of(const DrawSource<Lock> &source, DrawRules rules) noexcept {
    rules.may_borrow |= source.carries;
    rules.fails_when_full &= !source.carries;
    return rules;
}

// The limits of a try, by the rules of its source. The grant first: it rises after the floor that it rests
// on.
template <class Pause = NoPause>
Limits limits_of(const Horizon &horizon, std::int64_t now_ms, const DrawRules &rules, Pause pause = {}) noexcept {
    std::int64_t granted_ms = horizon.granted_ms.load(std::memory_order_acquire);
    pause();
    std::int64_t floor_ms = horizon.floor_ms.load(std::memory_order_acquire);
    return {now_ms, floor_ms, granted_ms, rules.max_lead_ms, rules.may_borrow};
}

// The session whose cursor counts: that of a pool, else null.
template <class Lock>
DrawSession *pool_session(const DrawSource<Lock> &source) noexcept {
    return source.is_pool ? source.session : nullptr;
}

// The first tick that clock and floor allow; negative before the epoch.
template <class Lock>
std::int64_t base_of(const DrawSource<Lock> &source, const Limits &limits) noexcept {
    std::int64_t base = base_tick(source.packing, limits);
    return base < 0 && source.carries ? 0 : base;
}

// Begins a try. Requires base >= 0, from base_of with the same limits, as all steps of a try.
template <class Lock>
void begin_try(DrawSource<Lock> &source, std::int64_t base) noexcept {
    DrawSession *pool = pool_session(source);
    if (pool != nullptr && base > pool->last.tick) pool->cursor.begin_tick();
}

// Whether the slot in use is of the shard whose turn it is.
template <class Lock>
bool is_selected(const DrawSource<Lock> &source) noexcept {
    DrawSession *pool = pool_session(source);
    return source.slot.entry != nullptr && (pool == nullptr || source.rank == pool->cursor.rank());
}

// Turns to the shard whose turn it is; its slot is the caller's to find.
template <class Lock>
std::uint32_t select_shard(DrawSource<Lock> &source) noexcept {
    DrawSession *pool = pool_session(source);
    source.rank = pool == nullptr ? 0 : pool->cursor.rank();
    source.shard = source.region_top | source.pool.at(source.rank);
    return source.shard;
}

// Moves up in the pool from a full shard. Within a tick that makes the smallest larger ID only where the
// shard lies above the sequence.
template <class Lock>
bool move_up(const DrawSource<Lock> &source, std::int64_t base) noexcept {
    DrawSession *pool = pool_session(source);
    if (pool == nullptr) return false;
    bool may_move = source.packing.shard_above || pool->last.tick < base;
    return may_move && pool->cursor.advance();
}

// The shard in use as it is packed: a number that is no shard, as the slot of a clock has it, is no part of
// IDs.
template <class Lock>
std::uint32_t packed_shard(const DrawSource<Lock> &source) noexcept {
    return source.shard & source.packing.shard_last;
}

// Takes from the slot in use; false where it is somebody else's by now.
template <class Lock>
bool take_current(DrawSource<Lock> &source, const Limits &limits, std::int64_t base, std::uint32_t count,
                  Take &taken) noexcept {
    Position above = before_all;
    if (source.session != nullptr) above = lowest_above(source.packing, source.session->last, source.shard);
    Guard<Lock> guard(source.slot.entry->mutex);
    if (!is_current(source.slot)) return false;
    taken =
        take(source.slot.entry->slot, source.packing, limits, base, packed_shard(source), above, count, source.lease);
    return true;
}

enum class Answer : std::uint8_t { final, select };

// Tries the slot in use. Requires is_selected.
template <class Lock>
Answer try_slot(DrawSource<Lock> &source, const Limits &limits, std::int64_t base, std::uint32_t count,
                Take &taken) noexcept {
    if (!take_current(source, limits, base, count, taken)) {
        source.slot.entry = nullptr;
        return Answer::select;
    }
    if (taken.status == Take::Status::ok) return Answer::final;
    bool is_full = taken.status == Take::Status::full || taken.status == Take::Status::borrowed;
    return is_full && move_up(source, base) ? Answer::select : Answer::final;
}

enum class Grant : std::uint8_t { holds, half_used, over };

// What the grant is, after the take, for IDs of a tick that starts at `start_ms`. One that is over by now
// does not count, even if the limits of the take allowed the tick: what ended it may have looked at the slot
// before the take.
inline Grant grant_for(const Horizon &horizon, std::int64_t start_ms, std::int64_t window_ms) noexcept {
    std::int64_t granted_ms = horizon.granted_ms.load(std::memory_order_acquire);
    if (!is_half_used(granted_ms, start_ms, window_ms)) return Grant::holds;
    return start_ms < granted_ms ? Grant::half_used : Grant::over;
}

// Notes IDs that were taken, in the session that must draw above them.
template <class Lock>
void note_drawn(const DrawSource<Lock> &source, const Take &taken) noexcept {
    if (source.session == nullptr) return;
    source.session->last = {taken.tick, source.shard, taken.sequence + taken.count - 1};
}

// Counts IDs of one tick, just taken, that lie `lead_ms` ahead of the clock: more than 0. A session that drew
// from a borrowed tick may go on in it on another shard: there it counts as borrowed, too. True if the IDs
// were held, not borrowed.
template <class Lock>
bool note_ahead(const DrawSource<Lock> &source, std::int64_t tick, std::uint32_t ids, std::int64_t lead_ms) noexcept {
    Guard<Lock> guard(source.slot.entry->mutex);
    if (!is_current(source.slot)) return false;
    Slot &slot = source.slot.entry->slot;
    std::uint32_t &max_lead_ms = source.slot.entry->max_lead_ms;
    DrawSession *session = source.session;
    bool is_taken_along = session != nullptr && session->borrowed_tick == tick && slot.tick == tick;
    if (is_taken_along && !is_borrowed(slot, tick)) note_borrowed(slot, tick, lead_ms);
    bool is_held = !is_borrowed(slot, tick);
    if (session != nullptr && !is_held) session->borrowed_tick = tick;
    count_lead(slot, tick, ids);
    max_lead_ms = std::max(max_lead_ms, lead32(lead_ms));
    return is_held;
}

// The first of the IDs taken.
template <class Lock>
std::int64_t first_id(const DrawSource<Lock> &source, const Take &taken) noexcept {
    return pack(source.packing, taken.tick, packed_shard(source), taken.sequence);
}

}  // namespace idgen
