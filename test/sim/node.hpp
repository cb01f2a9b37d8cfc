// A server: a disk that stays, shared memory that does not, a clock, a role.
#pragma once

#include <cstdint>

#include "clock.hpp"
#include "core/durable/horizon.hpp"
#include "core/issue/slot.hpp"
#include "disk.hpp"
#include "scenario.hpp"

namespace idgen::sim {

constexpr int max_slots = 8;

struct SharedSlot {
    Slot slot;
    int packing;
    std::uint32_t shard;
    std::uint32_t generation;
    bool is_used;
};

struct SlotHandle {
    int number = -1;
    std::uint32_t generation = 0;
};

struct Node {
    Disk disk;
    Clock clock;
    int number = 0;
    std::uint32_t timeline = 1;
    bool is_up = true;
    bool is_primary = false;
    bool is_linked = false;  // a standby: it receives the primary's WAL

    // Shared memory.
    Horizon horizon{};
    Lsn pending_lsn = 0;
    Lsn acknowledged = 0;              // flushed by the standby, as this primary knows
    bool is_renewing = false;          // the renewal lock is held
    std::int64_t loaded_floor_ms = 0;  // of the first load, or where advanced to; 0: none
    SharedSlot slots[max_slots] = {};
    int hand = 0;

    std::int64_t identity() const noexcept { return identity_of(timeline, 7); }

    // Its clock, beside the time since its boot, which nothing sets.
    ClockReading read_clock(std::int64_t true_ms) const noexcept {
        std::int64_t now_ms = clock.read(true_ms);
        return {now_ms, now_ms - true_ms};
    }

    bool issues() const noexcept { return is_up && is_primary; }

    // What a start and a crash of any backend do to shared memory.
    void forget() noexcept {
        idgen::forget(horizon);
        pending_lsn = acknowledged = 0;
        is_renewing = false;
        loaded_floor_ms = 0;
        for (SharedSlot &slot : slots) slot = {};
        hand = 0;
    }
};

}  // namespace idgen::sim
