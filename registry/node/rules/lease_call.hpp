// The calls that a server makes to a registry, and what comes back. Each is one conditional update of one row; a server
// that gets no answer sends the identical call again.
//
//      claim     a number, by the accepted or the proposed incarnation
//      extend    its horizon R, and the end of its lease
//      stop     gives the number up at a clean end, with R lowered
//
// A life is a random value of one start of the server, only in memory: a copy of its disk does not have it.
#pragma once

#include <cstdint>

namespace idgen {

enum class CallKind : std::uint8_t { none, claim, extend, stop };

struct LeaseCall {
    CallKind kind;
    std::int64_t number;
    std::int64_t incarnation;  // the accepted one; of a claim 0 if there is none
    std::int64_t proposed;     // of a claim
    std::int64_t life;
    std::int64_t from_ms;  // of extend and stop: R as it must be
    std::int64_t to_ms;    // and as it becomes
};

constexpr bool operator==(const LeaseCall &a, const LeaseCall &b) noexcept {
    return a.kind == b.kind && a.number == b.number && a.incarnation == b.incarnation && a.proposed == b.proposed &&
           a.life == b.life && a.from_ms == b.from_ms && a.to_ms == b.to_ms;
}

enum class CallOutcome : std::uint8_t {
    granted,
    refused,
    too_far,  // an extension further ahead of the registry's clock than it allows; nothing has changed
};

struct CallAnswer {
    CallOutcome outcome;
    std::int64_t horizon_ms;        // R of the row as it is now
    std::int64_t now_ms = 0;        // the registry's clock
    std::int64_t max_ahead_ms = 0;  // how far ahead of it a horizon may be extended
};

}  // namespace idgen
