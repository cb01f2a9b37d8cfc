// The calendar cut into equal steps: whole months, whole days, or minutes that divide a day.
//
//      months      counted from January of the year 0:    3 are quarters, 12 are years
//      days        counted from a Monday:                 7 are ISO weeks
//      minutes     counted from midnight:                 60 are hours
//
// The grid is fixed: it depends on the step alone, never on where one begins, so who asks twice gets
// the same periods. A period has a number, from which its start follows. Times are local: minutes
// of the clock on the wall since 1970-01-01 00:00; the year 0 and later.
#pragma once

#include <cstddef>
#include <cstdint>

namespace idgen {

struct Step {
    enum class Unit : std::uint8_t { minute, day, month };
    Unit unit;
    std::int64_t size;  // at least 1
};

// Why an interval is no step.
enum class StepReason : std::uint8_t { none, not_positive, of_two_units, uneven, too_long };

// The step of that many months, days and microseconds, of which one alone may count. 24 hours are a
// day. StepReason::none, or what is wrong.
StepReason step_from(std::int64_t months, std::int64_t days, std::int64_t microseconds, Step &step) noexcept;

// The number of the period that contains a local time.
std::int64_t period_at(const Step &step, std::int64_t minute) noexcept;
// The local time at which a period starts.
std::int64_t start_of_period(const Step &step, std::int64_t number) noexcept;

// Bytes that print_period can write, without a terminating zero.
constexpr std::size_t period_text_size = 18;

// Writes the start of a period as a name: 2026 for whole years, 2026_11, 2026_11_21, 2026_11_21_13,
// 2026_11_21_13_30, as the step needs; returns the bytes written.
std::size_t print_period(const Step &step, std::int64_t start, char *out) noexcept;

}  // namespace idgen
