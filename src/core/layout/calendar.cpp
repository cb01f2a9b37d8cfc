#include "core/layout/calendar.hpp"

#include "core/require.hpp"

namespace idgen {

namespace {

constexpr std::int64_t ms_per_day = 86400000;

bool is_leap(std::int64_t year) noexcept {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

std::int64_t days_in_month(std::int64_t year, std::int64_t month) noexcept {
    constexpr std::int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

// Days from 0000-01-01 to the first of January of `year`; the year 0 is a leap year.
std::int64_t days_before_year(std::int64_t year) noexcept {
    std::int64_t past = year - 1;
    return year == 0 ? 0 : 366 + past * 365 + past / 4 - past / 100 + past / 400;
}

constexpr std::int64_t days_before_1970 = 719528;

// Takes exactly `digits` digits off the front of `text`.
bool take_number(std::string_view &text, int digits, std::int64_t &value) noexcept {
    if (text.size() < static_cast<std::size_t>(digits)) return false;
    value = 0;
    for (int i = 0; i < digits; i++) {
        char c = text[static_cast<std::size_t>(i)];
        if (c < '0' || c > '9') return false;
        value = value * 10 + (c - '0');
    }
    text.remove_prefix(static_cast<std::size_t>(digits));
    return true;
}

bool take_char(std::string_view &text, char expected) noexcept {
    if (text.empty() || text[0] != expected) return false;
    text.remove_prefix(1);
    return true;
}

bool take_date(std::string_view &text, std::int64_t &days) noexcept {
    std::int64_t year, month, day;
    if (!take_number(text, 4, year) || !take_char(text, '-') || !take_number(text, 2, month) || !take_char(text, '-') ||
        !take_number(text, 2, day))
        return false;
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) return false;
    days = days_of({year, static_cast<int>(month), static_cast<int>(day)});
    return true;
}

// Takes an optional fraction of 1 to 3 digits, as milliseconds.
bool take_fraction(std::string_view &text, std::int64_t &ms) noexcept {
    ms = 0;
    if (!take_char(text, '.')) return true;
    std::int64_t digit, scale = 100;
    if (!take_number(text, 1, digit)) return false;
    do {
        ms += digit * scale;
        scale /= 10;
    } while (scale > 0 && take_number(text, 1, digit));
    return true;
}

bool take_time(std::string_view &text, std::int64_t &ms) noexcept {
    std::int64_t hour, minute, second, fraction;
    if (!take_char(text, 'T') || !take_number(text, 2, hour) || !take_char(text, ':') ||
        !take_number(text, 2, minute) || !take_char(text, ':') || !take_number(text, 2, second) ||
        !take_fraction(text, fraction) || !take_char(text, 'Z'))
        return false;
    if (hour > 23 || minute > 59 || second > 59) return false;
    ms = ((hour * 60 + minute) * 60 + second) * 1000 + fraction;
    return true;
}

char *put_number(char *out, std::int64_t value, int digits) noexcept {
    for (int i = digits - 1; i >= 0; i--, value /= 10) out[i] = static_cast<char>('0' + value % 10);
    return out + digits;
}

}  // namespace

CivilDate civil_date(std::int64_t days) noexcept {
    days += days_before_1970;
    std::int64_t year = days / 366;
    while (days_before_year(year + 1) <= days) year++;
    days -= days_before_year(year);
    int month = 1;
    for (; days >= days_in_month(year, month); month++) days -= days_in_month(year, month);
    return {year, month, static_cast<int>(days) + 1};
}

std::int64_t days_of(const CivilDate &date) noexcept {
    std::int64_t days = days_before_year(date.year) - days_before_1970 + date.day - 1;
    for (int month = 1; month < date.month; month++) days += days_in_month(date.year, month);
    return days;
}

bool parse_instant(std::string_view text, std::int64_t &unix_ms) noexcept {
    std::int64_t days, ms = 0;
    if (!take_date(text, days)) return false;
    if (!text.empty() && !take_time(text, ms)) return false;
    unix_ms = days * ms_per_day + ms;
    return text.empty();
}

std::size_t print_instant(std::int64_t unix_ms, char *out) noexcept {
    IDGEN_REQUIRE(unix_ms >= min_instant_ms && unix_ms <= max_instant_ms);
    std::int64_t since_year_1 = unix_ms - min_instant_ms;
    std::int64_t ms = since_year_1 % ms_per_day;
    CivilDate date = civil_date((unix_ms - ms) / ms_per_day);

    char *end = put_number(out, date.year, 4);
    *end++ = '-';
    end = put_number(end, date.month, 2);
    *end++ = '-';
    end = put_number(end, date.day, 2);
    *end++ = 'T';
    end = put_number(end, ms / 3600000, 2);
    *end++ = ':';
    end = put_number(end, ms / 60000 % 60, 2);
    *end++ = ':';
    end = put_number(end, ms / 1000 % 60, 2);
    if (ms % 1000 != 0) {
        *end++ = '.';
        end = put_number(end, ms % 1000, 3);
    }
    *end++ = 'Z';
    return static_cast<std::size_t>(end - out);
}

namespace {

constexpr std::int64_t us_per_minute = 60000000;
constexpr std::int64_t minutes_per_day = 1440;
constexpr std::int64_t first_monday = 4;  // 1970-01-05
constexpr std::int64_t most_years = 1000;

constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) noexcept {
    return a / b - (a % b < 0 ? 1 : 0);
}

StepReason set_step(Step &step, Step::Unit unit, std::int64_t size, std::int64_t most) noexcept {
    step = {unit, size};
    return size > most ? StepReason::too_long : StepReason::none;
}

CivilDate date_at(std::int64_t minute) noexcept {
    return civil_date(floor_div(minute, minutes_per_day));
}

char *put_digits(char *out, std::int64_t value, int digits) noexcept {
    for (int i = digits - 1; i >= 0; i--, value /= 10) out[i] = static_cast<char>('0' + value % 10);
    return out + digits;
}

// Writes "_" and two digits.
char *put_part(char *out, std::int64_t value) noexcept {
    *out++ = '_';
    return put_digits(out, value, 2);
}

}  // namespace

StepReason step_from(std::int64_t months, std::int64_t days, std::int64_t microseconds, Step &step) noexcept {
    if (months < 0 || days < 0 || microseconds < 0 || (months | days | microseconds) == 0)
        return StepReason::not_positive;
    if ((months != 0) + (days != 0) + (microseconds != 0) > 1) return StepReason::of_two_units;
    if (months != 0) return set_step(step, Step::Unit::month, months, most_years * 12);
    if (days != 0) return set_step(step, Step::Unit::day, days, most_years * 365);
    std::int64_t minutes = microseconds / us_per_minute;
    if (microseconds % us_per_minute != 0) return StepReason::uneven;
    if (minutes % minutes_per_day == 0)
        return set_step(step, Step::Unit::day, minutes / minutes_per_day, most_years * 365);
    if (minutes_per_day % minutes != 0) return StepReason::uneven;
    return set_step(step, Step::Unit::minute, minutes, minutes_per_day);
}

std::int64_t period_at(const Step &step, std::int64_t minute) noexcept {
    if (step.unit == Step::Unit::minute) return floor_div(minute, step.size);
    if (step.unit == Step::Unit::day) return floor_div(floor_div(minute, minutes_per_day) - first_monday, step.size);
    CivilDate date = date_at(minute);
    return (date.year * 12 + date.month - 1) / step.size;
}

std::int64_t start_of_period(const Step &step, std::int64_t number) noexcept {
    std::int64_t start = number * step.size;
    if (step.unit == Step::Unit::minute) return start;
    if (step.unit == Step::Unit::day) return (start + first_monday) * minutes_per_day;
    return days_of({start / 12, static_cast<int>(start % 12) + 1, 1}) * minutes_per_day;
}

std::size_t print_period(const Step &step, std::int64_t start, char *out) noexcept {
    CivilDate date = date_at(start);
    std::int64_t minute = start - floor_div(start, minutes_per_day) * minutes_per_day;
    bool whole_years = step.unit == Step::Unit::month && step.size % 12 == 0;
    char *end = put_digits(out, date.year, date.year < 10000 ? 4 : 6);
    if (!whole_years) end = put_part(end, date.month);
    if (step.unit != Step::Unit::month) end = put_part(end, date.day);
    if (step.unit == Step::Unit::minute) end = put_part(end, minute / 60);
    if (step.unit == Step::Unit::minute && step.size % 60 != 0) end = put_part(end, minute % 60);
    return static_cast<std::size_t>(end - out);
}

}  // namespace idgen
