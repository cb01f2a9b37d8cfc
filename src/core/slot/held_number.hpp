// What a draw has to know of a number that its server holds from a registry: below which instant the IDs of the number
// must lie. In shared memory, written by whoever keeps the number, read without a lock. Times are unix ms.
#pragma once

#include <atomic>
#include <cstdint>

namespace idgen {

struct HeldNumber {
    std::atomic<std::int64_t> cap_ms;      // no ID at or after it; 0: no number, or no longer
    std::atomic<std::int64_t> number;      // -1: none was ever asked for
    std::atomic<std::int64_t> claimed_ms;  // the floor of every slot of the number
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "lives in shared memory");

// The instant that no ID of the number may reach; 0 if another is held by now. Asked for under the lock of the slot.
// The cap first: it is set after the number that it is of. The number does not become that of an earlier claim between
// the two loads, because a keeper that claims has held the lock of this slot since the cap fell.
inline std::int64_t cap_of(const HeldNumber &held, std::int64_t number) noexcept {
    std::int64_t cap_ms = held.cap_ms.load(std::memory_order_acquire);
    return held.number.load(std::memory_order_relaxed) == number ? cap_ms : 0;
}

}  // namespace idgen
