// A slot makes the IDs of one shard: it holds the last (tick, sequence) that was taken, and every
// take lies above it. That alone keeps two takes from meeting; clock and floor only say where a new
// tick may begin.
//
//      t = max(clock's tick, floor's tick, last tick);   s = next in that tick, or the first
//      s past the end -> the next tick;   not above the caller's own last ID -> the smallest that is
//      t starts ahead of the clock -> admitted as a hold or a borrow up to max_lead, else refused
//      t follows a borrowed tick -> admitted as far ahead as that one began, also for a session that waits
//      t starts at or past the granted horizon -> refused until the horizon is renewed
//
// A refused take changes nothing. The caller guards the slot; a take is a few instructions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/layout/packing.hpp"
#include "core/lease/lease.hpp"

namespace idgen {

// In shared memory: trivial, no pointers. Guard of all fields: the lock that stands beside it.
struct Slot {
    std::int64_t tick;               // of the last ID taken
    std::uint32_t sequence;          // of the last ID taken; no_sequence: nothing is left in `tick`
    std::uint32_t borrowed_lead_ms;  // how far ahead of the clock `borrowed_tick` began
    std::uint64_t ids;               // counted: taken so far
    std::uint64_t holds;             // counted: of them, ahead of the clock as holds
    std::uint64_t borrows;           // counted: of them, ahead of the clock in borrowed ticks
    std::int64_t borrowed_tick;      // the last tick that was begun ahead of the clock; -1: none
};
static_assert(sizeof(Slot) == 48 && std::is_trivial_v<Slot>, "a slot lives in shared memory");

constexpr std::uint32_t no_sequence = 0xFFFFFFFF;

// A slot whose first take lies at or above the first tick from `floor_ms`.
inline Slot new_slot(const Packing &p, std::int64_t floor_ms) noexcept {
    return {tick_from(p, floor_ms) - 1, no_sequence, 0, 0, 0, 0, -1};
}

// Puts a slot where `other` stands, with all that it has counted.
inline void move_slot(Slot &slot, const Slot &other) noexcept {
    slot.tick = other.tick;
    slot.sequence = other.sequence;
    slot.borrowed_tick = other.borrowed_tick;
    slot.borrowed_lead_ms = other.borrowed_lead_ms;
}

constexpr std::uint32_t lead32(std::int64_t lead_ms) noexcept {
    return static_cast<std::uint32_t>(std::min<std::int64_t>(lead_ms, UINT32_MAX));
}

// Whether an ID of that tick, just taken, was borrowed.
inline bool is_borrowed(const Slot &slot, std::int64_t tick) noexcept {
    return tick <= slot.borrowed_tick;
}

// Notes that a tick is begun ahead of the clock.
inline void note_borrowed(Slot &slot, std::int64_t tick, std::int64_t lead_ms) noexcept {
    slot.borrowed_tick = tick;
    slot.borrowed_lead_ms = lead32(lead_ms);
}

// Counts IDs of one tick, just taken, that lie ahead of the clock.
inline void count_lead(Slot &slot, std::int64_t tick, std::uint32_t ids) noexcept {
    (is_borrowed(slot, tick) ? slot.borrows : slot.holds) += ids;
}

// A position in the order of one slot.
struct Position {
    std::int64_t tick;
    std::uint32_t sequence;  // no_sequence: nothing in this tick
};
constexpr Position before_all{-1, 0};

// What a session last drew from its own shards with a packing; `shard` is of no matter in before_all.
struct DrawHistory {
    std::int64_t tick = -1;
    std::uint32_t shard = 0;
    std::uint32_t sequence = 0;
};

// The lowest position in the slot of `shard` whose ID is larger than the last one drawn.
inline Position lowest_above(const Packing &p, const DrawHistory &last, std::uint32_t shard) noexcept {
    if (shard > last.shard) return {last.tick, p.shard_above ? 0 : last.sequence};
    if (shard < last.shard && p.shard_above) return {last.tick, no_sequence};
    return {last.tick, last.sequence + 1};
}

// What stays the same for all draws of one attempt. Times are unix ms.
struct Limits {
    std::int64_t now_ms;      // the clock, read before the lock
    std::int64_t floor_ms;    // no tick that starts below it
    std::int64_t granted_ms;  // no tick that starts at or above it
    std::int64_t max_lead_ms;
    bool may_borrow;  // ticks ahead of the clock may be begun, up to max_lead_ms
};

struct Take {
    enum class Status : std::uint8_t {
        ok,
        full,      // no sequence is left in the last tick that is admitted
        borrowed,  // nor as far ahead of the clock as sessions that borrow have brought the slot
        ahead,     // the slot, the floor or the session is too far ahead of the clock
        renew,     // the granted horizon is too low for the tick
        capped,    // the cap of the shard's number (core/lease) is
        past_end,  // the layout has no tick left
    };
    Status status;
    std::uint32_t count;     // ok: IDs taken, in consecutive sequences
    std::uint32_t sequence;  // ok: of the first of them
    std::int64_t tick;       // ok: theirs; else: the one that was refused
    std::int64_t wait_ms;    // full, borrowed, ahead: from now until the clock would admit the tick
};

// The first tick that clock and floor allow; negative before the epoch.
inline std::int64_t base_tick(const Packing &p, const Limits &limits) noexcept {
    std::int64_t tick = tick_of(p, limits.now_ms);
    if (limits.floor_ms <= start_of(p, tick) || tick < 0) return tick;
    return tick_from(p, limits.floor_ms);
}

// Takes IDs of a tick that starts at `start`, from a sequence on, if lease and grant admit the tick.
inline Take take_from(Slot &slot, const Packing &p, const Limits &limits, const Position &position, std::int64_t start,
                      std::uint32_t shard, std::uint32_t count, const Lease *lease) noexcept {
    using Status = Take::Status;
    if (lease != nullptr && start >= cap_of(*lease, shard)) return {Status::capped, 0, 0, position.tick, 0};
    if (start >= limits.granted_ms) return {Status::renew, 0, 0, position.tick, 0};
    std::uint32_t left = p.sequence_last - position.sequence + 1;
    std::uint32_t taken = count < left ? count : left;
    slot.tick = position.tick;
    slot.sequence = position.sequence + taken - 1;
    slot.ids += taken;
    return {Status::ok, taken, position.sequence, position.tick, 0};
}

// The same of a tick ahead of the clock, if its lead is admitted, too. `is_next`: the tick before it is full.
[[gnu::cold]] Take take_ahead(Slot &slot, const Packing &p, const Limits &limits, std::int64_t base, bool is_next,
                              Position position, std::uint32_t shard, std::uint32_t count, const Lease *lease) noexcept;

// Takes up to `count` IDs of one tick. Requires count >= 1 and base >= 0, from base_tick with the same
// limits; of a number from a registry its lease.
inline Take take(Slot &slot, const Packing &p, const Limits &limits, std::int64_t base, std::uint32_t shard,
                 const Position &above, std::uint32_t count, const Lease *lease = nullptr) noexcept {
    std::int64_t tick = base;
    std::int64_t sequence = -1;
    if (slot.tick >= tick) {
        tick = slot.tick;
        sequence = std::int64_t{slot.sequence} + 1;
    }
    if (above.tick > tick) {
        tick = above.tick;
        sequence = above.sequence;
    } else if (above.tick == tick && above.sequence > sequence) {
        sequence = above.sequence;
    }
    std::int64_t first = first_sequence(p, tick, shard);
    if (sequence < first) sequence = first;

    bool rolled = false;
    while (sequence > p.sequence_last) {
        sequence = first_sequence(p, ++tick, shard);
        rolled = true;
    }

    if (tick >= p.tick_end) return {Take::Status::past_end, 0, 0, tick, 0};
    std::int64_t start = start_of(p, tick);
    Position position{tick, static_cast<std::uint32_t>(sequence)};
    if (start > limits.now_ms) return take_ahead(slot, p, limits, base, rolled, position, shard, count, lease);
    return take_from(slot, p, limits, position, start, shard, count, lease);
}

}  // namespace idgen
