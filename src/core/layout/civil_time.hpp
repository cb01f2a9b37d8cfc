// Instants as text in the one form that layouts use: 2011-08-24T21:07:01.721Z, always UTC.
// A value is unix milliseconds. Calendar: proleptic Gregorian, years 1 to 9999. No leap seconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace idgen {

// Reads YYYY-MM-DDThh:mm:ss[.f|.ff|.fff]Z, or YYYY-MM-DD for its midnight.
// False where the text has another shape or names a day or hour that does not exist.
bool parse_instant(std::string_view text, std::int64_t &unix_ms) noexcept;

// Bytes that print_instant can write, without a terminating zero.
constexpr std::size_t instant_text_size = 24;

// Writes the instant, with milliseconds only where they are not 0; returns the bytes written.
// Requires a year from 1 to 9999.
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

}  // namespace idgen
