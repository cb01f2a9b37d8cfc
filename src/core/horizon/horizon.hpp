// The durable horizon H of a database: no ID whose tick starts at or after it has ever left the server.
//
//      floor <= every tick that is issued < granted <= H on disk (and on the standbys that must have it) <= H written
//
// H moves a window at a time, so that IDs cost no write: a renewal writes a higher H, and only when that is durable are
// IDs of the new window granted. It is written when half of the window is left, so mostly nobody waits for the disk.
// After a start, the floor is H as recovered: whatever was issued before lies below it.
// Beside H stands the identity of the server that wrote it. Where that is another (promotion, restore, copy), records
// may have been lost, so the floor is put above all that clocks right within the clock error can have made: a debt,
// paid once a record of the new identity is durable. Until then a clock that is set forward raises the debt by as much:
// it was computed by a clock too slow.
//
// Everything here is a value or a plain rule: the clock and the page are handed in. Times are unix ms.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "core/horizon/durable_record.hpp"
#include "core/horizon/trusted_clock.hpp"

namespace idgen {

// A horizon outside these bounds is no horizon: 2000-01-01 and 2200-01-01.
constexpr std::int64_t min_horizon_ms = 946684800000;
constexpr std::int64_t max_horizon_ms = 7258118400000;

constexpr bool is_horizon(std::int64_t ms) noexcept {
    return ms >= min_horizon_ms && ms <= max_horizon_ms;
}

// What decides; equal on nodes that may succeed one another.
struct HorizonRules {
    std::int64_t window_ms;
    std::int64_t max_lead_ms;
    std::int64_t clock_error_ms;

    // Above all that an old server can have made, seen from a clock that is right within the clock error.
    constexpr std::int64_t debt_ms() const noexcept { return max_lead_ms + 2 * clock_error_ms + 1; }
    // How far H can be ahead of a clock that was not set back.
    constexpr std::int64_t farthest_ms() const noexcept { return window_ms + debt_ms(); }
};

// What the sessions of a database share. In shared memory: no pointers. The first two atomics are read without a lock
// on every take; all else, and every change, is guarded by the renewal lock of the caller. Only the floor is lifted
// under the directory's lock, too, and S is lifted and lowered under that of the pairs.
struct Horizon {
    std::atomic<std::int64_t> floor_ms;     // only rises, but for reset()
    std::atomic<std::int64_t> granted_ms;   // 0: nothing
    std::atomic<std::int64_t> settled_ms;   // core/reading/settled.hpp; only rises, but for reset()
    std::atomic<std::int64_t> durable_ms;   // the highest H that is durable wherever it must be; the same; 0: not known
    std::atomic<std::int64_t> told_until;   // up to where the page says what is settled (core/horizon/pair_list.hpp)
    std::atomic<std::int64_t> advanced_ms;  // where idgen.advance() moved it to; 0: nowhere since the start or a reset
    std::atomic<std::uint64_t> machine;  // in which all this was granted (machine.hpp), as its host told; written last
    std::atomic<std::uint64_t> pending_lsn;  // that of a pending record, for a look without the lock; 0: there is none
    DurableState record;
    std::int64_t loaded_ms;       // the highest H that was found on the page, not written here, since the start
    std::int64_t debt_boot_ms;    // the floor that is owed, by CLOCK_BOOTTIME
    std::uint32_t confirmations;  // of the clock, that the record knows of (trusted_clock.hpp)
    bool is_indebted;
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free && std::is_standard_layout_v<Horizon> &&
                  std::is_trivially_destructible_v<Horizon>,
              "lives in shared memory");

// Copies what is known now, for who only looks: without a lock it may be of two instants.
void copy(Horizon &to, const Horizon &from) noexcept;

inline void lift(std::atomic<std::int64_t> &ms, std::int64_t to) noexcept {
    std::int64_t seen = ms.load(std::memory_order_relaxed);
    while (seen < to && !ms.compare_exchange_weak(seen, to)) continue;
}
inline void lower(std::atomic<std::int64_t> &ms, std::int64_t to) noexcept {
    std::int64_t seen = ms.load(std::memory_order_relaxed);
    while (seen > to && !ms.compare_exchange_weak(seen, to)) continue;
}

// Compares the page with what is known of it. True if it is as expected, so that a renewal may write. Else, after a
// start or if another server changed the page, the grant is dropped and the floor raised to what the page asks for;
// the caller tries its take again. A changed page counts as written by a stranger. is_successor: another server may
// have made IDs before this one, in whatever database.
bool admit_page(Horizon &horizon, const DurableRecord &page, std::int64_t identity, const ClockReading &clock,
                const HorizonRules &rules, bool is_successor = false) noexcept;

// Whether a renewal may be written for a tick that starts at `start_ms`. Not for one below the floor: its session read
// an older floor, and the lead has not admitted the floor, which would drag H along.
inline bool may_renew(const Horizon &horizon, std::int64_t start_ms) noexcept {
    return start_ms >= horizon.floor_ms.load(std::memory_order_relaxed);
}

// The H that a renewal writes, so that a tick that starts at `start_ms` may be issued. Requires an admitted page, and a
// tick that the lead admits and may_renew did: since then, a slot that was taken back may have lifted the floor.
std::int64_t renewed_ms(const Horizon &horizon, std::int64_t now_ms, std::int64_t start_ms,
                        const HorizonRules &rules) noexcept;

// Of a record that is to be granted: it is on the page, and flushed once the log is up to that LSN.
void note_written(Horizon &horizon, const DurableRecord &record, std::uint64_t lsn) noexcept;
// It is flushed on this server.
void note_flushed(Horizon &horizon) noexcept;
// Grants it. Requires that it is durable wherever it must be.
void grant_pending(Horizon &horizon) noexcept;
// It is not granted any more: something else was read from the page, or written to it.
void drop_pending(Horizon &horizon) noexcept;

// Notes the machine as its host tells of it now. If it was copied since anything was granted, nothing is granted any
// more, and the page is loaded as after a start: its identity is another server's.
void note_machine(Horizon &horizon, std::uint64_t machine) noexcept;

// Notes that what was read from the page is durable wherever it must be, as after a start.
void note_durable(Horizon &horizon) noexcept;

// The identity of the record that a command writes: 0 until a debt is paid, because only a renewal has waited
// until the lead admits what is owed.
constexpr std::int64_t identity_of_advance(const Horizon &horizon, std::int64_t identity) noexcept {
    return horizon.is_indebted ? 0 : identity;
}

// Notes a record put there by hand, flushed on this server: nothing is granted until a renewal is written above it.
void note_advanced(Horizon &horizon, const DurableRecord &record) noexcept;
// The same of a record that a superuser vouches for, and that may lower the floor: nothing is owed any more.
void note_reset(Horizon &horizon, const DurableRecord &record) noexcept;

// Notes that the page was created again, with that H. A debt stays: it is owed for what another server made.
void note_created(Horizon &horizon, std::int64_t value) noexcept;

// Forgets a database, as a start does.
void forget(Horizon &horizon) noexcept;

// Whether half of the window is used where a tick starts at `start_ms`: time to renew ahead of need.
constexpr bool is_half_used(std::int64_t granted_ms, std::int64_t start_ms, std::int64_t window_ms) noexcept {
    return 2 * (granted_ms - start_ms) <= window_ms;
}
// Whether so little of it is left that a session flushes the new record itself, before all have to wait for it.
constexpr bool is_nearly_used(std::int64_t granted_ms, std::int64_t start_ms, std::int64_t window_ms) noexcept {
    return 8 * (granted_ms - start_ms) <= window_ms;
}

// Why a tick lies further ahead of the clock than it may, so that an error blames the clock only if that is to
// blame. A floor can lie ahead of a clock that is right: after a promotion, after a start, if a superuser moved it, or
// where a number from the registry was another server's. How far the clock was set back since it was accepted, and
// whether it fell behind a steady clock during the wait, tell the rest. Times are unix ms.

enum class Ahead : std::uint8_t {
    clock,        // the clock was set back, or stands still
    debt,         // another server may have made IDs up to there
    advance,      // a superuser moved the horizon there
    number,       // the number from the registry begins there
    horizon,      // IDs begin at the horizon as it was found, no further than a right clock leaves it
    far_horizon,  // the same, further: the clock is behind, or a wrong clock or a superuser moved the horizon
    full,         // the tick has no ID left
    unknown,      // the last IDs lie there
};

// What is known of a tick that was refused, and of what may have put it there.
struct AheadView {
    std::int64_t start_ms;  // of the tick
    std::int64_t unit_ms;   // a part of one counts as one
    std::int64_t now_ms;
    std::int64_t wait_ms;  // until the clock would admit it
    bool is_full;          // it is the next one because the one before is full

    std::int64_t max_lead_ms;
    std::int64_t farthest_ms;  // a right clock leaves H no further ahead
    std::int64_t floor_ms;
    bool is_indebted;
    std::int64_t advanced_ms;  // where a superuser moved the horizon to; 0: none did
    std::int64_t claimed_ms;   // where the number begins; 0: it is none of a registry
    std::int64_t set_back_ms;  // how far the clock stands below the highest that was accepted
    std::int64_t lost_ms;      // how far it fell behind a steady clock during the wait
};

// Whether the tick is the first from an instant on, or lies below it.
constexpr bool is_put_there(const AheadView &view, std::int64_t by_ms) noexcept {
    return by_ms > view.start_ms - view.unit_ms;
}

// Whether a clock that stands `set_back_ms` below the highest that was accepted explains so much of a lead.
constexpr bool explains(std::int64_t set_back_ms, std::int64_t lead_ms) noexcept {
    return set_back_ms >= smallest_step_ms && set_back_ms >= lead_ms - smallest_step_ms;
}

// Of a tick at the floor, or of one above the last ID.
constexpr Ahead why_at_floor(const AheadView &view) noexcept {
    std::int64_t unusual_ms = view.start_ms - view.now_ms - view.farthest_ms - view.unit_ms;
    if (unusual_ms <= 0) return view.is_indebted ? Ahead::debt : Ahead::horizon;
    return explains(view.set_back_ms, unusual_ms) ? Ahead::clock : Ahead::far_horizon;
}
constexpr Ahead why_above_last(const AheadView &view) noexcept {
    std::int64_t unusual_ms = view.start_ms - view.now_ms - view.max_lead_ms - view.unit_ms;
    if (unusual_ms <= 0) return view.is_full ? Ahead::full : Ahead::unknown;
    return explains(view.set_back_ms, unusual_ms) ? Ahead::clock : Ahead::unknown;
}

constexpr Ahead why_ahead(const AheadView &view) noexcept {
    // Had it gone on, the tick would be admitted by now.
    if (view.lost_ms >= smallest_step_ms && view.lost_ms >= view.wait_ms) return Ahead::clock;
    if (is_put_there(view, view.advanced_ms)) return Ahead::advance;
    if (is_put_there(view, view.claimed_ms)) return Ahead::number;
    return is_put_there(view, view.floor_ms) ? why_at_floor(view) : why_above_last(view);
}

}  // namespace idgen
