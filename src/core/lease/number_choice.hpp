// Which number to ask for: the own one again, else the smallest that is free, else wait for the smallest R. A
// number whose R lies further ahead of the clock than an ID may is left alone: its slots would stand still
// until then. Of several own ones, which crashes leave behind, it is the one that the server claimed last,
// whatever R the others have. A copy of the server's disk can prove the same numbers: R of one that the copy
// uses rises, and to claim that one takes it from the copy.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/lease/lease_record.hpp"

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

// What this server remembers of numbers that were its own, the one that it claimed last first. Some may be
// another's by now.
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

// Requires rows that ascend, and records of the registry that listed them.
NumberChoice choose_number(const OwnNumbers &own, const NumberList &list, const NumberRange &range, std::int64_t now_ms,
                           std::int64_t max_lead_ms) noexcept;

}  // namespace idgen
