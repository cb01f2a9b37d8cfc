// Instants as text, and steps of a calendar. A value is unix milliseconds. The calendar is the proleptic Gregorian one,
// years 1 to 9999, without leap seconds. The one form of an instant that layouts use is 2011-08-24T21:07:01.721Z.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace idgen {

// Reads YYYY-MM-DDThh:mm:ss[.f|.ff|.fff]Z, or YYYY-MM-DD for its midnight.
// False if the text has another shape or names a day or hour that does not exist.
bool parse_instant(std::string_view text, std::int64_t &unix_ms) noexcept;

// Bytes that print_instant can write, without a terminating zero.
constexpr std::size_t instant_text_size = 24;

// Writes the instant, with milliseconds unless they are 0; returns the bytes written. Requires a year from 1 to 9999.
std::size_t print_instant(std::int64_t unix_ms, char *out) noexcept;

// A day of the calendar, and the days from 1970-01-01 to it. Years from 0 on, which is 1 BC.
struct CivilDate {
    std::int64_t year;
    int month;  // 1 to 12
    int day;    // from 1
};
CivilDate civil_date(std::int64_t days) noexcept;
std::int64_t days_of(const CivilDate &date) noexcept;

// The instants that the text form can say.
constexpr std::int64_t min_instant_ms = -62135596800000;  // 0001-01-01T00:00:00Z
constexpr std::int64_t max_instant_ms = 253402300799999;  // 9999-12-31T23:59:59.999Z

// The calendar cut into equal steps: whole months, whole days, or minutes that divide a day.
//
//      months      counted from January of the year 0:    3 are quarters, 12 are years
//      days        counted from a Monday:                 7 are ISO weeks
//      minutes     counted from midnight:                 60 are hours
//
// The grid is fixed: it depends only on the step, never on where one begins, so two calls get the same periods.
// A period has a number, from which its start follows. Times are local: minutes of the clock on the wall since
// 1970-01-01 00:00; the year 0 and later.

struct Step {
    enum class Unit : std::uint8_t { minute, day, month };
    Unit unit;
    std::int64_t size;  // at least 1
};

// Why an interval is not a step.
enum class StepReason : std::uint8_t { none, not_positive, of_two_units, uneven, too_long };

// The step of that many months, days and microseconds, of which only one may be other than 0. 24 hours are a day.
// StepReason::none, or what is wrong.
StepReason step_from(std::int64_t months, std::int64_t days, std::int64_t microseconds, Step &step) noexcept;

// The number of the period that contains a local time.
std::int64_t period_at(const Step &step, std::int64_t minute) noexcept;
// The local time at which a period starts.
std::int64_t start_of_period(const Step &step, std::int64_t number) noexcept;

// Bytes that print_period can write, without a terminating zero.
constexpr std::size_t period_text_size = 18;

// Writes the start of a period as a name: 2026 for whole years, 2026_11, 2026_11_21, 2026_11_21_13, 2026_11_21_13_30,
// as the step needs; returns the bytes written.
std::size_t print_period(const Step &step, std::int64_t start, char *out) noexcept;

}  // namespace idgen
