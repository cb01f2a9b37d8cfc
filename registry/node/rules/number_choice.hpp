// Which number to ask for: the own one again, else a free one, else wait for the smallest R. A number whose R lies
// further ahead of the clock than an ID may is not asked for: its slots would stand still until then. The free one is
// the smallest at first. Servers that start together all want that one, and one of them gets it; a server that is
// refused starts again at a random number, or n servers would ask n * n / 2 times. Of several own ones, which crashes
// leave behind, it is the one that the server claimed last, whatever R the others have. A copy of the server's disk can
// prove the same numbers: R of one that the copy uses rises, and to claim that one takes it from the copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "registry/node/rules/lease_record.hpp"

namespace idgen {

// What the registry says of a number that was ever held.
struct ListedNumber {
    std::int64_t number;
    std::int64_t horizon_ms;  // R
    bool is_free;
};

// All that the registry says, in the order of the numbers.
struct NumberList {
    const ListedNumber *rows;
    std::size_t count;
    std::int64_t floor_ms;  // R of the numbers that are not listed
};

struct NumberRange {
    std::int64_t first;
    std::int64_t last;
};

// What this server remembers of numbers that were its own, the one that it claimed last first. Some may be another's by
// now.
struct OwnNumbers {
    const LeaseRecord *records;
    std::size_t count;
    std::int64_t identity;
};

// The row of a number; one that is not listed is free. Requires rows that ascend.
ListedNumber listed_number(const NumberList &list, std::int64_t number) noexcept;

enum class ChoiceKind : std::uint8_t {
    claim,
    wait,  // until then no R is near enough
    none,  // all are held by others
};

struct NumberChoice {
    ChoiceKind kind;
    std::int64_t number;  // the one to claim, or to wait for
    std::int64_t wait_ms;
};

// `start` says where in the range the search for a free number begins, around its end: 0 at the first number, a random
// value anywhere. Requires rows that ascend, and records of the registry that listed them.
NumberChoice choose_number(const OwnNumbers &own, const NumberList &list, const NumberRange &range, std::uint64_t start,
                           std::int64_t now_ms, std::int64_t max_lead_ms) noexcept;

// The highest horizon R that a server was granted for each number while it runs. A registry that knows a lower R
// of the number was put back to an older state, or made new, and has not been advanced since: it gives numbers at
// instants up to which their last owners have made IDs.
//
// A server begins its own numbers above what it was granted, whatever the registry answers. It cannot do that for the
// numbers of others.

// More than a server holds at once.
constexpr std::size_t most_granted = 192;

struct GrantedHorizon {
    std::int64_t number;
    std::int64_t horizon_ms;  // 0: nothing was granted, and this row is free
};

// In shared memory: no pointers. Zeroed: nothing was granted.
struct GrantedHorizons {
    GrantedHorizon rows[most_granted];
};
static_assert(std::is_standard_layout_v<GrantedHorizons> && std::is_trivially_destructible_v<GrantedHorizons>,
              "lives in shared memory");

// The highest R of a number; 0 if none was granted.
std::int64_t granted_ms(const GrantedHorizons &granted, std::int64_t number) noexcept;

// Notes an R. If all rows are used, the smallest R is forgotten: it is the first that the clock passes.
void note_granted(GrantedHorizons &granted, std::int64_t number, std::int64_t horizon_ms) noexcept;

// Notes that the server lowered R itself, at a clean stop.
void note_lowered(GrantedHorizons &granted, std::int64_t number, std::int64_t horizon_ms) noexcept;

// A number of which a registry knows less than this server was granted.
struct OlderRegistry {
    std::int64_t number;
    std::int64_t granted_ms;  // 0: there is no such number
    std::int64_t known_ms;
};

// The number with the highest such R, of what a registry lists of a range.
OlderRegistry find_older(const GrantedHorizons &granted, const NumberList &list, const NumberRange &range) noexcept;

}  // namespace idgen
