#include "core/layout/calendar.hpp"

#include "core/layout/civil_time.hpp"

namespace idgen {
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
