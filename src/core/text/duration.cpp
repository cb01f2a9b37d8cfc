#include "core/text/duration.hpp"

#include <charconv>
#include <cstring>
#include <string_view>

#include "core/require.hpp"

namespace idgen {

namespace {

constexpr std::int64_t divide_up(std::int64_t value, std::int64_t by) noexcept {
    return value / by + (value % by != 0 ? 1 : 0);
}

char *put_part(char *out, std::int64_t count, std::string_view unit) noexcept {
    out = std::to_chars(out, out + max_duration_size, count).ptr;
    *out++ = ' ';
    std::memcpy(out, unit.data(), unit.size());
    return out + unit.size();
}

// A whole number of the smaller unit; `ratio` of them make a larger one.
char *put_parts(char *out, std::int64_t count, std::int64_t ratio, std::string_view larger,
                std::string_view smaller) noexcept {
    out = put_part(out, count / ratio, larger);
    if (count % ratio == 0) return out;
    *out++ = ' ';
    return put_part(out, count % ratio, smaller);
}

char *put_seconds(char *out, std::int64_t ms) noexcept {
    out = std::to_chars(out, out + max_duration_size, ms / 1000).ptr;
    auto rest = static_cast<int>(ms % 1000);
    const char tail[] = {'.',
                         static_cast<char>('0' + rest / 100),
                         static_cast<char>('0' + rest / 10 % 10),
                         static_cast<char>('0' + rest % 10),
                         ' ',
                         's'};
    std::memcpy(out, tail, sizeof tail);
    return out + sizeof tail;
}

char *put_duration(char *out, std::int64_t ms) noexcept {
    if (ms < 120000) return put_seconds(out, ms);
    std::int64_t seconds = divide_up(ms, 1000);
    if (seconds < 3600) return put_parts(out, seconds, 60, "min", "s");
    std::int64_t minutes = divide_up(seconds, 60);
    if (minutes < 1440) return put_parts(out, minutes, 60, "h", "min");
    std::int64_t hours = divide_up(minutes, 60);
    return put_parts(out, hours, 24, hours < 48 ? "day" : "days", "h");
}

}  // namespace

std::size_t print_duration(std::int64_t ms, char *out) noexcept {
    IDGEN_REQUIRE(ms >= 0);
    return static_cast<std::size_t>(put_duration(out, ms) - out);
}

}  // namespace idgen
