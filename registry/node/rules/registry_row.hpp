// The calls that a server makes to a registry, and what comes back. Each is one conditional update of one row; a server
// that gets no answer sends the identical call again.
//
//      claim     a number, by the accepted or the proposed incarnation
//      extend    its horizon R, and the end of its lease
//      stop      gives the number up at a clean end, with R lowered
//
// A life is a random value of one start of the server, only in memory: a copy of its disk does not have it.
//
// The registry's side of them: the row of a number, and what a call makes of it. The same rules stand in SQL in
// registry/install/30-calls.sql; test/vectors/lease.csv holds both to them.
//
//      claimed <= R      R is never lowered below what it was when the owner claimed the number
//      R <= the registry's clock + max_ahead, when it is extended
//
// A claim can be executed late and twice, by then on another R: others had the number in between. So an extension that
// finds R where it would put it is its own, executed before, only if the number was not taken above `from`.
//
// A stop gives the number up: R is what keeps the IDs of the next owner apart, so no server waits for the end of the
// lease.
//
// The end of a lease is a time of the registry's clock only. It says only who may claim the number. R, below which
// every ID of the number lies, guarantees that no ID is made twice.
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

struct RegistryRow {
    std::int64_t incarnation;  // of the owner; 0: none
    std::int64_t life;
    std::int64_t horizon_ms;    // R
    std::int64_t claimed_ms;    // R when the owner claimed it
    std::int64_t lease_end_ms;  // by the registry's clock
};

// What the registry goes by when it executes a call.
struct RegistryTerms {
    std::int64_t now_ms;  // its clock
    std::int64_t ttl_ms;  // as the node asks; 0: for ever
    std::int64_t max_ahead_ms;
};

// The row of a number that no server has held.
constexpr RegistryRow unheld_row(std::int64_t floor_ms) noexcept {
    return {0, 0, floor_ms, floor_ms, 0};
}

// Executes a call on the row of its number.
CallAnswer execute(RegistryRow &row, const LeaseCall &call, const RegistryTerms &terms) noexcept;

// Frees the number of its owner.
void release(RegistryRow &row) noexcept;

// The same for every row of a registry that was put back to an older state, and for the floor of those without one: no
// ID below `to_ms` is made with the number from now on.
void advance(RegistryRow &row, std::int64_t to_ms) noexcept;

// No horizon is ever granted further ahead of a registry's clock, whatever its owner allows.
constexpr std::int64_t longest_ahead_ms = std::int64_t{15} * 60 * 1000;

// A registry that was put back to an older state, or made again.
struct AdvanceView {
    std::int64_t now_ms;            // its clock
    std::int64_t max_ahead_ms;      // the limit now in force; another may have been before
    std::int64_t longest_ahead_ms;  // the largest that ever was
    std::int64_t known_ms;          // the latest instant that it knows, of a horizon or a checkpoint
};

// The instant above all that it can have granted; 0: its clock lies behind what it knows, and is not to be believed.
constexpr std::int64_t instant_above_all(const AdvanceView &view) noexcept {
    if (view.now_ms < view.known_ms) return 0;
    return view.now_ms + view.longest_ahead_ms;
}

}  // namespace idgen
