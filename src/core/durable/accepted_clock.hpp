// The clock that IDs may take, as far as it was accepted: highest differences of CLOCK_REALTIME and
// CLOCK_BOOTTIME (clock_watch.hpp). The server has one for databases whose record says none of this boot;
// somebody who says that the clock is right overrules both.
#pragma once

#include <atomic>

#include "core/durable/clock_watch.hpp"

namespace idgen {

// Of all databases of a server. In shared memory; the differences are ms.
struct AcceptedClock {
    std::atomic<std::int64_t> accepted_ms;     // only upward, but for confirmations
    std::atomic<std::int64_t> confirmed_ms;    // when somebody last said that it is right
    std::atomic<std::uint32_t> confirmations;  // how often; written after the difference
};

// Nothing is accepted yet.
inline void forget(AcceptedClock &clock) noexcept {
    clock.accepted_ms = nothing_accepted;
    clock.confirmed_ms = nothing_accepted;
    clock.confirmations = 0;
}

// The highest difference accepted for a database whose record reckons with so many confirmations: what
// somebody confirmed since, else what the record says of this boot, else what the server accepted.
inline std::int64_t accepted_for(const AcceptedClock &clock, std::uint32_t reckoned_with, const DurableRecord &record,
                                 const BootId &boot) noexcept {
    if (clock.confirmations != reckoned_with) return clock.confirmed_ms;
    std::int64_t recorded_ms = accepted_by(record, boot);
    return recorded_ms != nothing_accepted ? recorded_ms : clock.accepted_ms.load();
}

// Raises what the server accepts.
inline void accept_up_to(AcceptedClock &clock, std::int64_t difference_ms) noexcept {
    std::int64_t seen = clock.accepted_ms;
    while (seen < difference_ms && !clock.accepted_ms.compare_exchange_weak(seen, difference_ms)) continue;
}

// Takes a clock with that difference for right, in every database.
inline void confirm(AcceptedClock &clock, std::int64_t difference_ms) noexcept {
    clock.accepted_ms = difference_ms;
    clock.confirmed_ms = difference_ms;
    clock.confirmations++;
}

}  // namespace idgen
