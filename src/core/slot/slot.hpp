// A slot makes the IDs of one shard: it holds the last (tick, sequence) that was taken, and every take lies above it.
// That alone keeps two takes from meeting; clock and floor only say where a new tick may begin.
//
//      t = max(clock's tick, floor's tick, last tick);   s = next in that tick, or the first
//      s past the end -> the next tick;   not above the caller's own last ID -> the smallest that is
//      t starts ahead of the clock -> admitted as a hold or a borrow up to max_lead, else refused
//      t follows a borrowed tick -> admitted as far ahead as that one began, also for a session that waits
//      t is begun ahead of the clock by a session that borrows, or that observed an ID of it -> it is borrowed
//      t starts at or past the granted horizon -> refused until the horizon is renewed
//
// A refused take changes nothing. The caller guards the slot; a take is a few instructions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/layout/packing.hpp"
#include "core/require.hpp"
#include "core/slot/held_number.hpp"
#include "core/slot/locks.hpp"
#include "core/slot/slot_index.hpp"

namespace idgen {

// In shared memory: trivial, no pointers. Guard of all fields: the lock that stands beside it.
struct Slot {
    std::int64_t tick;               // of the last ID taken
    std::uint32_t sequence;          // of the last ID taken; no_sequence: nothing is left in `tick`
    std::uint32_t borrowed_lead_us;  // how far ahead of the clock `borrowed_tick` began
    std::uint64_t ids;               // counted: taken so far
    std::uint64_t holds;             // counted: of them, ahead of the clock as holds
    std::uint64_t borrows;           // counted: of them, ahead of the clock in borrowed ticks
    std::int64_t borrowed_tick;      // the last tick that was begun ahead of the clock; -1: none
};
static_assert(sizeof(Slot) == 48 && std::is_trivial_v<Slot>, "a slot lives in shared memory");

constexpr std::uint32_t no_sequence = 0xFFFFFFFF;

// A slot whose first take lies at or above the first tick from `floor_ms`.
inline Slot new_slot(const Packing &p, std::int64_t floor_ms) noexcept {
    return {tick_from(p, us_of(floor_ms)) - 1, no_sequence, 0, 0, 0, 0, -1};
}

// Whether the slot has made IDs in its tick.
constexpr bool has_made(const Slot &slot) noexcept {
    return slot.sequence != no_sequence;
}

// Puts a slot where `other` stands, with all that it has counted.
inline void move_slot(Slot &slot, const Slot &other) noexcept {
    slot.tick = other.tick;
    slot.sequence = other.sequence;
    slot.borrowed_tick = other.borrowed_tick;
    slot.borrowed_lead_us = other.borrowed_lead_us;
}

constexpr std::uint32_t lead32(std::int64_t lead) noexcept {
    return static_cast<std::uint32_t>(std::min<std::int64_t>(lead, UINT32_MAX));
}

// Whether an ID of that tick, just taken, was borrowed.
inline bool is_borrowed(const Slot &slot, std::int64_t tick) noexcept {
    return tick <= slot.borrowed_tick;
}

// Notes that a tick is begun ahead of the clock.
inline void note_borrowed(Slot &slot, std::int64_t tick, std::int64_t lead_us) noexcept {
    slot.borrowed_tick = tick;
    slot.borrowed_lead_us = lead32(lead_us);
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

// What a session last drew from its own shards with a packing, or observed; `shard` means nothing in before_all.
struct DrawHistory {
    std::int64_t tick = -1;
    std::uint32_t shard = 0;
    std::uint32_t sequence = 0;
    std::int64_t borrowed_tick = -1;  // the last borrowed tick that it drew from, or chose to; -1: none
};

// The lowest position in the slot of `shard` whose ID is larger than the last one drawn.
inline Position lowest_above(const Packing &p, const DrawHistory &last, std::uint32_t shard) noexcept {
    if (shard > last.shard) return {last.tick, p.shard_above ? 0 : last.sequence};
    if (shard < last.shard && p.shard_above) return {last.tick, no_sequence};
    return {last.tick, last.sequence + 1};
}

// What stays the same for all draws of one attempt.
struct Limits {
    std::int64_t now_us;      // the clock, read before the lock
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
        capped,    // the cap of the shard's number (core/held) is
        past_end,  // the layout has no tick left
    };
    Status status;
    std::uint32_t count;        // ok: IDs taken, in consecutive sequences
    std::uint32_t sequence;     // ok: of the first of them
    std::int64_t tick;          // ok: theirs; else: the one that was refused
    std::int64_t wait_us;       // full, borrowed, ahead: from now until the clock would admit the tick
                                // ok: from now until their tick starts; 0: it has
    std::int64_t start_ms = 0;  // ok: the ms that their tick starts in
};

// Makes a tick of the packing, mostly that of the draw before, the first one that clock and floor allow; its number is
// negative before the epoch.
inline void find_base(const Packing &p, const Limits &limits, Tick &base) noexcept {
    if (__builtin_expect(!contains(p, base, limits.now_us), false)) base = make_tick(p, tick_of(p, limits.now_us));
    if (__builtin_expect(limits.floor_ms <= base.start_ms, true) || base.number < 0) return;
    base = make_tick(p, tick_from(p, us_of(limits.floor_ms)));
}
inline Tick base_tick(const Packing &p, const Limits &limits) noexcept {
    Tick base = make_tick(p, 0);
    find_base(p, limits, base);
    return base;
}

// Takes IDs of a tick from a sequence on, if lease and grant admit the tick.
inline Take take_from(Slot &slot, const Packing &p, const Limits &limits, const Tick &tick, std::uint32_t sequence,
                      std::uint32_t shard, std::uint32_t count, const HeldNumber *held) noexcept {
    using Status = Take::Status;
    if (held != nullptr && tick.start_ms >= cap_of(*held, shard)) return {Status::capped, 0, 0, tick.number, 0};
    if (tick.start_ms >= limits.granted_ms) return {Status::renew, 0, 0, tick.number, 0};
    // One always fits, because the sequence lies within its tick.
    std::uint32_t taken = count == 1 ? 1 : std::min(count, p.sequence_last - sequence + 1);
    slot.tick = tick.number;
    slot.sequence = sequence + taken - 1;
    slot.ids += taken;
    return {Status::ok, taken, sequence, tick.number, 0, tick.start_ms};
}

// The same of a tick ahead of the clock, if its lead is admitted, too. `is_next`: the tick before it is full.
[[gnu::cold]] Take take_ahead(Slot &slot, const Packing &p, const Limits &limits, std::int64_t base, bool is_next,
                              Position position, std::uint32_t shard, std::uint32_t count, const HeldNumber *held,
                              const DrawHistory *last) noexcept;

// A caller that draws above nothing of its own.
struct NoHistory {
    const DrawHistory *operator()() const noexcept { return nullptr; }
};

// A caller whose limits are complete.
struct Complete {
    const Limits &operator()(const Limits &limits) const noexcept { return limits; }
};

// Takes up to `count` IDs of one tick. Requires count >= 1 and a base of at least 0, from base_tick with the same limits;
// of a number from a registry what is held of it. Asked only ahead of the clock: `history` gives what the session draws
// above, or null; `complete` the limits with what rules say of a lead.
template <class History = NoHistory, class Limited = Complete>
Take take(Slot &slot, const Packing &p, const Limits &limits, const Tick &base, std::uint32_t shard,
          const Position &above, std::uint32_t count, const HeldNumber *held = nullptr, History history = {},
          Limited complete = {}) noexcept {
    IDGEN_REQUIRE(count >= 1 && base.number >= 0);
    std::int64_t tick = base.number;
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
    Position position{tick, static_cast<std::uint32_t>(sequence)};
    // The base is the clock's tick, or above it: whatever lies above the base is ahead.
    if (__builtin_expect(tick != base.number || base.start_us > limits.now_us, false)) {
        Limits copy = complete(limits);  // the common way has them in registers
        return take_ahead(slot, p, copy, base.number, rolled, position, shard, count, held, history());
    }
    return take_from(slot, p, limits, base, position.sequence, shard, count, held);
}

// How long a shard has been out of IDs: a run of full ticks, each found not long after the one before. Times are ms of
// a clock that no step touches, modulo 2^32.

struct FullRun {
    std::uint32_t began_ms;
    std::uint32_t last_ms;  // both 0: no full tick yet
};
static_assert(sizeof(FullRun) == 8 && std::is_trivial_v<FullRun>, "lives in shared memory");

// Two full ticks further apart than this, and than two ticks, belong to two runs.
constexpr std::uint32_t longest_gap_ms = 100;

// Notes a full tick and gives the length of its run so far, in ms.
inline std::uint32_t note_full(FullRun &run, std::int64_t now_ms, std::int64_t unit_us) noexcept {
    auto now = static_cast<std::uint32_t>(now_ms);
    auto two_ticks = static_cast<std::uint32_t>(2 * unit_us / 1000);
    std::uint32_t gap = two_ticks > longest_gap_ms ? two_ticks : longest_gap_ms;
    bool is_first = run.began_ms == 0 && run.last_ms == 0;
    if (is_first || now - run.last_ms > gap) run.began_ms = now;
    run.last_ms = now;
    return now - run.began_ms;
}

// A slot as a directory keeps it, and a session's reference to it. The reference is good as long as the slot has its
// generation: the session that takes a slot back raises that under the slot's lock, and takes its key away, so no take
// meets a slot that is another shard's by now, and no search makes a new reference to it.

constexpr std::size_t cache_line = 64;

// In shared memory. `Lock` has lock() and unlock(), which raise nothing.
template <class Lock>
struct alignas(cache_line) SlotEntry {
    Lock mutex;
    std::uint32_t generation;                     // guard: to read, mutex; to change, the directory's lock as well
    Slot slot IDGEN_LOCKS(guarded_by(mutex));     // guard: mutex
    FullRun full IDGEN_LOCKS(guarded_by(mutex));  // guard: mutex
    // On a cache line of its own: searches must not disturb the takes. Guard of the key: to read, mutex or the
    // directory's lock; to change, both.
    alignas(cache_line) SlotLink link;
    std::int64_t given_ms;                                     // guard: the directory's lock; when it was given out
    std::uint64_t waits IDGEN_LOCKS(guarded_by(mutex));        // guard: mutex; draws that waited for a tick
    std::uint64_t wait_us IDGEN_LOCKS(guarded_by(mutex));      // guard: mutex; how long they did
    std::uint32_t max_lead_ms IDGEN_LOCKS(guarded_by(mutex));  // guard: mutex; the furthest lead of an ID
    LayoutForm form;                                           // guard: as of the key; of its layout
    SlotUse use;                                               // guard: as of the key; as what it was given out
};

// Sets back what was counted.
template <class Lock>
void reset_counters(SlotEntry<Lock> &entry) noexcept IDGEN_LOCKS(requires_capability(entry.mutex)) {
    entry.slot.ids = entry.slot.holds = entry.slot.borrows = 0;
    entry.waits = entry.wait_us = 0;
    entry.max_lead_ms = 0;
}

template <class Lock>
struct SlotReference {
    SlotEntry<Lock> *entry;  // null: none
    std::uint32_t generation;
};

// Whether the slot is still the one that the reference was made for.
template <class Lock>
bool is_current(const SlotReference<Lock> &reference) noexcept
    IDGEN_LOCKS(requires_capability(reference.entry->mutex)) {
    return reference.entry->generation == reference.generation;
}

// All of a packing that places its ticks.
constexpr Packing ticks_of(const PackingKey &key) noexcept {
    Packing p{};
    p.epoch_us = us_of(key.epoch_ms);
    p.unit_us = key.unit_us;
    p.tick_end = ticks_of_calendar(p);
    return p;
}

// The first ms after the last tick of a slot.
template <class Lock>
std::int64_t end_of(const SlotEntry<Lock> &entry) noexcept IDGEN_LOCKS(requires_capability(entry.mutex)) {
    return ms_up(start_of(ticks_of(entry.link.key.packing), entry.slot.tick + 1));
}

// The first ms after the last ID of a slot; 0: it has made none where it stands.
template <class Lock>
std::int64_t made_ms(const SlotEntry<Lock> &entry) noexcept IDGEN_LOCKS(requires_capability(entry.mutex)) {
    return has_made(entry.slot) ? end_of(entry) : 0;
}

// Where a slot ends, and the IDs that it made.
struct SlotEnd {
    std::int64_t end_ms, made_ms;
};

// Makes every reference to the slot invalid and takes its key away, if the instant after its last tick is at or before
// `idle_since_ms`; else changes nothing. Gives that instant.
template <class Lock>
bool retire_if_over(SlotEntry<Lock> &entry, std::int64_t idle_since_ms, SlotEnd &end) noexcept {
    Guard<Lock> guard(entry.mutex);
    end = {end_of(entry), made_ms(entry)};
    bool is_over = end.end_ms <= idle_since_ms;
    if (!is_over) return false;
    entry.generation++;
    entry.link.key = {};
    return true;
}

// The reference to a slot that is now that of a key; else a null entry.
template <class Lock>
SlotReference<Lock> refer(SlotEntry<Lock> &entry, const SlotKey &key) noexcept {
    Guard<Lock> guard(entry.mutex);
    if (!(entry.link.key == key)) return {nullptr, 0};
    return {&entry, entry.generation};
}

}  // namespace idgen
