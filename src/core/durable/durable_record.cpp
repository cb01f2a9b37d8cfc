#include "core/durable/durable_record.hpp"

#include <algorithm>

namespace idgen {

namespace {

constexpr unsigned no_hex = 16;

// The value of a hexadecimal digit, or no_hex.
constexpr unsigned hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
    return no_hex;
}

}  // namespace

BootId parse_boot_id(std::string_view text) noexcept {
    BootId boot{0, 0};
    int digits = 0;
    for (char c : text) {
        if (c == '-') continue;
        unsigned value = hex_value(c);
        if (value == no_hex) break;
        boot.high = boot.high << 4 | boot.low >> 60;
        boot.low = boot.low << 4 | value;
        digits++;
    }
    return digits == 32 ? boot : BootId{0, 0};
}

std::int64_t identity_of(std::uint32_t timeline, std::uint64_t system_identifier) noexcept {
    std::uint64_t hash = system_identifier + timeline * 0x9E3779B97F4A7C15u;
    hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9u;
    hash = (hash ^ hash >> 27) * 0x94D049BB133111EBu;
    hash ^= hash >> 31;
    return hash == 0 ? 1 : static_cast<std::int64_t>(hash);
}

DurableRecord next_generator(const DurableState &state, const DurableRecord &page, std::int64_t identity) noexcept {
    std::int64_t taken = state.is_loaded ? state.known.value : 0;
    bool is_ours = page.identity == identity && (!state.is_loaded || page.value == taken);
    return bare_record(std::max(page.value, taken) + (is_ours ? 1 : generators_skipped), identity);
}

}  // namespace idgen
