// A DecimalId: a number whose parts are read at a glance, in decimal digits.
//
//      | 9 digits counter | 5 digits generator | 5 digits launch |      one positive bigint
//      |  1 to 922337202  |     1 to 99999     |   0 to 99999    |
//
// A counter is used once beneath its generator, a generator once beneath its launch (core/horizon/durable_record.hpp).
#pragma once

#include <cstdint>

#include "core/horizon/generators.hpp"

namespace idgen {

constexpr std::uint32_t last_launch = 99999;

struct DecimalParts {
    std::uint32_t counter;
    std::uint32_t generator;
    std::uint32_t launch;
};

// Never change: IDs are kept in columns.
constexpr std::int64_t pack_decimal(const DecimalParts &parts) noexcept {
    return parts.counter * std::int64_t{10000000000} + parts.generator * std::int64_t{100000} + parts.launch;
}
static_assert(pack_decimal({last_counter, last_generator, last_launch}) > 0, "the largest ID is a bigint");

// The parts of an ID; false for a number that is not one.
constexpr bool unpack_decimal(std::int64_t id, DecimalParts &parts) noexcept {
    if (id < 0) return false;
    std::int64_t counter = id / 10000000000;
    parts.counter = static_cast<std::uint32_t>(counter);
    parts.generator = static_cast<std::uint32_t>(id / 100000 % 100000);
    parts.launch = static_cast<std::uint32_t>(id % 100000);
    return counter >= 1 && counter <= last_counter && parts.generator >= 1;
}

}  // namespace idgen
