// The steps of a draw, which takes IDs from the slots of a source. Their order is that of draw_order.hpp:
//
//      limits_of --> base_of --> begin_try
//      is_selected?  no: select_shard, find or obtain its slot
//      try_slot  --> false: select another shard, or the slot is another shard's by now
//                --> true:   next_step --> issue: grant_of, note_drawn; or what keeps the IDs from being made
//
// Nothing here waits, reads a clock or raises.
#pragma once

#include <cstdint>
#include <numeric>

#include "core/horizon/renewal.hpp"
#include "core/require.hpp"
#include "core/slot/directory.hpp"
#include "core/slot/slot.hpp"

namespace idgen {

// What settings say of full ticks and of waiting.
struct DrawRules {
    std::int64_t max_lead_ms;
    std::int64_t max_wait_ms;
    bool may_borrow;  // ticks ahead of the clock may be begun, up to max_lead_ms
    bool fails_when_full;
};

enum class Next : std::uint8_t {
    issue,          // the IDs
    renew,          // the horizon, for the tick that was refused
    await_number,   // until it is held, or its horizon raised
    wait,           // until the clock admits it, or a while
    full,           // an error: the shard has no ID left, and waiting is not wanted or would take too long
    borrowed,       // an error: other sessions have borrowed what it had left
    too_far_ahead,  // an error: the clock would admit the ID too late
    before_epoch,   // an error: the clock stands before the layout begins
    past_end,       // an error: the layout ends
};

// What follows from the final answer of a try, after a wait of so long.
constexpr Next next_step(const Take &taken, const Packing &p, const Limits &limits, const DrawRules &rules,
                         std::int64_t waited_ms) noexcept {
    switch (taken.status) {
        case Take::Status::ok:
            return Next::issue;
        case Take::Status::renew:
            return Next::renew;
        case Take::Status::capped:
            return Next::await_number;
        case Take::Status::past_end:
            return Next::past_end;
        case Take::Status::full:
        case Take::Status::borrowed:
        case Take::Status::ahead:
            break;
    }
    bool is_borrowed = taken.status == Take::Status::borrowed;
    bool is_full = taken.status == Take::Status::full || is_borrowed;
    if (is_full && rules.fails_when_full) return Next::full;
    if (waited_ms * 1000 + taken.wait_us <= rules.max_wait_ms * 1000) return Next::wait;
    if (is_borrowed) return rules.may_borrow ? Next::full : Next::borrowed;
    // A clock that runs has ended a tick that was waited for.
    bool is_next_tick = start_of(p, taken.tick) - limits.now_us <= p.unit_us;
    return is_full && is_next_tick && waited_ms == 0 ? Next::full : Next::too_far_ahead;
}

// Whether the clock admits a tick within the longest wait: asked before anything is drawn above one that was observed.
constexpr bool is_in_reach(std::int64_t lead_us, const DrawRules &rules) noexcept {
    return lead_us - rules.max_lead_ms * 1000 <= rules.max_wait_ms * 1000;
}

// Where in its pool of shards a session draws. Ranks count the pool's shards upward from 0.
//
// Each tick begins at `start`; a full shard moves the session to the next one up, because within a tick an ID of a
// lower shard would be smaller than the last. A session that runs out at the top begins lower in the next tick, until
// it has the whole pool; one that needs a single shard goes back to its home. So sessions that ask for little stay
// apart, and of those that ask for much each fills other shards.
class PoolCursor {
   public:
    // Aims at a pool of `count` shards, at least 1; a pool of another size starts over at its home.
    void aim(std::uint32_t session_number, std::uint32_t count) noexcept {
        session_number_ = session_number;
        aim(count);
    }
    void aim(std::uint32_t count) noexcept {
        IDGEN_REQUIRE(count >= 1);
        if (count == count_) return;
        count_ = count;
        move_home(static_cast<std::uint32_t>(std::uint64_t{session_number_} * stride_of(count) % count));
    }

    std::uint32_t rank() const noexcept { return rank_; }

    // Makes a shard the session's home. Requires rank below the pool's count.
    void move_home(std::uint32_t rank) noexcept { home_ = start_ = rank_ = rank; }

    // Goes to where a new tick begins.
    void begin_tick() noexcept {
        if (rank_ == start_) start_ = home_;
        rank_ = start_;
    }

    // Moves up from a shard that gives nothing. False at the top of the pool: the tick is over for this session, unless
    // it may begin the tick again, lower.
    bool next_shard(bool may_begin_again = false) noexcept {
        bool is_top = rank_ + 1 == count_, has_begun_lowest = start_ == 0;
        if (is_top) start_ /= 2;
        if (is_top && (has_begun_lowest || !may_begin_again)) return false;
        rank_ = is_top ? start_ : rank_ + 1;
        return true;
    }

   private:
    // How far apart the homes of sessions with neighboring numbers are: the golden section of the pool, or the next
    // number above it that makes every shard some session's home.
    static std::uint32_t stride_of(std::uint32_t count) noexcept {
        auto stride = static_cast<std::uint32_t>(std::uint64_t{count} * 618 / 1000);
        while (std::gcd(stride, count) != 1) stride++;
        return stride;
    }

    std::uint32_t session_number_ = 0;
    std::uint32_t count_ = 0;
    std::uint32_t home_ = 0;
    std::uint32_t start_ = 0;
    std::uint32_t rank_ = 0;
};

// What a session last drew from its own shards with one packing, and where in the pool it draws.
struct DrawSession {
    DrawHistory last;
    PoolCursor cursor;
    std::uint32_t resets;  // of the database's horizon, when `last` was drawn
};

// Forgets what was drawn before the horizon was lowered.
inline void note_resets(DrawSession &session, std::uint32_t resets) noexcept {
    if (session.resets == resets) return;
    session.resets = resets;
    session.last = DrawHistory{};
}

// Where a draw takes from.
template <class Lock>
struct DrawSource {
    Packing packing;
    Tick base;                 // at which the last draw could begin; else any tick of the packing
    DrawSession *session;      // null: what the session drew before does not count
    ShardSet pool;             // the shards; one alone for an explicit one
    std::uint32_t region_top;  // the region above the shards of the pool, shifted
    bool is_pool;              // of more than one shard
    bool follows_pool;         // the pool is that of the numbers held from the registry
    bool carries;              // a full tick carries into the next one, ahead of the clock
    SlotReference<Lock> slot;  // in use; a null entry: to be selected
    const HeldNumber *held;    // that caps the IDs of the shard in use; null: none does
    std::uint32_t shard;       // its whole number
    std::uint32_t rank;        // and its rank in the pool
    std::uint64_t machine;     // as its host told, before anything was taken (core/horizon/machine.hpp)
};

// What a caller does between two loads, where other sessions may come in.
struct NoPause {
    void operator()() const noexcept {}
};

// Gives the source another packing.
template <class Lock>
void set_packing(DrawSource<Lock> &source, const Packing &p) noexcept {
    source.packing = p;
    source.base = make_tick(p, 0);
}

// The rules of a source: where a full tick carries into the next one, it does so whatever settings say.
template <class Lock>
DrawRules rules_of(const DrawSource<Lock> &source, DrawRules rules) noexcept {
    rules.may_borrow |= source.carries;
    rules.fails_when_full &= !source.carries;
    return rules;
}

// The limits of a try. The grant first: it rises after the floor that it rests on. What rules say of a lead is left out.
template <class Pause = NoPause>
Limits limits_of(const Horizon &horizon, std::int64_t now_us, Pause pause = {}) noexcept {
    std::int64_t granted_ms = horizon.granted_ms.load(std::memory_order_acquire);
    pause();
    std::int64_t floor_ms = horizon.floor_ms.load(std::memory_order_acquire);
    return {now_us, floor_ms, granted_ms, 0, false};
}

// Adds what the rules of the source say of a lead.
inline const Limits &complete_limits(Limits &limits, const DrawRules &rules) noexcept {
    limits.max_lead_ms = rules.max_lead_ms;
    limits.may_borrow = rules.may_borrow;
    return limits;
}

// The session whose cursor counts: that of a pool, else null.
template <class Lock>
DrawSession *pool_session(const DrawSource<Lock> &source) noexcept {
    return source.is_pool ? source.session : nullptr;
}

// The first tick that clock and floor allow; its number is negative before the epoch.
template <class Lock>
const Tick &base_of(DrawSource<Lock> &source, const Limits &limits) noexcept {
    find_base(source.packing, limits, source.base);
    if (__builtin_expect(source.base.number < 0, false) && source.carries) source.base = make_tick(source.packing, 0);
    return source.base;
}

// Begins a try. Requires a base of at least 0, from base_of with the same limits, as all steps of a try.
template <class Lock>
void begin_try(DrawSource<Lock> &source, const Tick &base) noexcept {
    IDGEN_REQUIRE(base.number >= 0);
    DrawSession *pool = pool_session(source);
    if (pool != nullptr && base.number > pool->last.tick) pool->cursor.begin_tick();
}

// Whether the slot in use is of the shard whose turn it is.
template <class Lock>
bool is_selected(const DrawSource<Lock> &source) noexcept {
    DrawSession *pool = pool_session(source);
    return source.slot.entry != nullptr && (pool == nullptr || source.rank == pool->cursor.rank());
}

// Turns to the shard whose turn it is. The caller finds its slot; until then the source has none, also after an error.
template <class Lock>
std::uint32_t select_shard(DrawSource<Lock> &source) noexcept {
    source.slot.entry = nullptr;
    DrawSession *pool = pool_session(source);
    // The session's cursor may come from a source that found another pool.
    if (pool != nullptr) pool->cursor.aim(source.pool.shard_count);
    source.rank = pool == nullptr ? 0 : pool->cursor.rank();
    source.shard = source.region_top | source.pool.at(source.rank);
    return source.shard;
}

// Moves up in the pool from a shard that is full, or whose number has ended. Within a tick that makes the smallest larger
// ID only if the shard lies above the sequence. Other numbers may end later, also those below. A number that was given by
// hand is waited for, since that is what asks for it.
template <class Lock>
bool move_up(const DrawSource<Lock> &source, const Tick &base, bool is_capped) noexcept {
    DrawSession *pool = pool_session(source);
    if (pool == nullptr) return false;
    bool is_new_tick = pool->last.tick < base.number;
    return (source.packing.shard_above || is_new_tick) && pool->cursor.next_shard(is_capped && is_new_tick);
}

// The shard in use as it is packed: a number that is no shard, as the slot of a clock has it, is no part of IDs.
template <class Lock>
std::uint32_t packed_shard(const DrawSource<Lock> &source) noexcept {
    return source.shard & source.packing.shard_last;
}

// Takes from the slot in use; false if it is another shard's by now.
template <class Lock, class Limited>
bool take_current(DrawSource<Lock> &source, const Limits &limits, const Tick &base, std::uint32_t count, Take &taken,
                  Limited complete) noexcept {
    Position above = before_all;
    if (source.session != nullptr) above = lowest_above(source.packing, source.session->last, source.shard);
    Guard<Lock> guard(source.slot.entry->mutex);
    if (!is_current(source.slot)) return false;
    auto history = [&source] { return source.session != nullptr ? &source.session->last : nullptr; };
    taken = take(source.slot.entry->slot, source.packing, limits, base, packed_shard(source), above, count, source.held,
                 history, complete);
    return true;
}

// Tries the slot in use. Requires is_selected. False: no final answer; select another shard, or another slot.
template <class Lock, class Limited = Complete>
bool try_slot(DrawSource<Lock> &source, const Limits &limits, const Tick &base, std::uint32_t count, Take &taken,
              Limited complete = {}) noexcept {
    IDGEN_REQUIRE(is_selected(source));
    if (!take_current(source, limits, base, count, taken, complete)) {
        source.slot.entry = nullptr;
        return false;
    }
    if (taken.status == Take::Status::ok) return true;
    bool is_full = taken.status == Take::Status::full || taken.status == Take::Status::borrowed;
    bool is_capped = taken.status == Take::Status::capped && source.follows_pool;
    return (!is_full && !is_capped) || !move_up(source, base, is_capped);
}

enum class Grant : std::uint8_t {
    unwatched,  // it holds, and no host tells of copies
    holds,
    half_used,
    over
};

// What the grant is, after the take, for IDs of a tick that starts at `start_ms`. One that is over by now does not
// count, even if the limits of the take allowed the tick: what ended it may have looked at the slot before the take.
constexpr Grant grant_of(std::int64_t granted_ms, std::int64_t start_ms, std::int64_t window_ms) noexcept {
    if (!is_half_used(granted_ms, start_ms, window_ms)) return Grant::holds;
    return start_ms < granted_ms ? Grant::half_used : Grant::over;
}

// Notes IDs that were taken, in the session that must draw above them.
template <class Lock>
void note_drawn(const DrawSource<Lock> &source, const Take &taken) noexcept {
    if (source.session == nullptr) return;
    DrawHistory &last = source.session->last;
    last.tick = taken.tick;
    last.shard = source.shard;
    last.sequence = taken.sequence + taken.count - 1;
}

// How far a tick lies ahead of the clock, in ms begun: below that, other processors read the same clock a little later.
constexpr std::int64_t counted_lead_ms(const Tick &tick, std::int64_t now_us) noexcept {
    return tick.start_ms - ms_down(now_us);
}

// Counts IDs of one tick, just taken, whose counted lead is `lead_ms`: more than 0. A session that drew from a borrowed
// tick may go on in it on another shard, and remembers that. True if the IDs were held, not borrowed.
template <class Lock>
bool note_ahead(const DrawSource<Lock> &source, std::int64_t tick, std::uint32_t ids, std::int64_t lead_ms) noexcept {
    Guard<Lock> guard(source.slot.entry->mutex);
    // Taken back since the take: its counters are another shard's by now.
    if (!is_current(source.slot)) return false;
    Slot &slot = source.slot.entry->slot;
    std::uint32_t &max_lead_ms = source.slot.entry->max_lead_ms;
    // Whether a tick was borrowed is known to its slot only, so the session learns it here, after the take.
    bool is_held = !is_borrowed(slot, tick);
    if (source.session != nullptr && !is_held) source.session->last.borrowed_tick = tick;
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
