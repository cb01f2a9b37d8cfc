// A DecimalId: a number whose parts are read at a glance, in decimal digits.
//
//      | 9 digits counter | 5 digits generator | 5 digits launch |      one positive bigint
//      |  1 to 922337202  |     1 to 99999     |   0 to 99999    |
//
// A counter is used once beneath its generator, a generator once beneath its launch. The generator is a new
// one after each start of the server and each time the counter is used up; that it was taken is durable
// before the first ID. Where the record of it was written by another server (promotion, restore, copy),
// records may have been lost, so a good number of generators is skipped.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "core/durable/durable_record.hpp"

namespace idgen {

constexpr std::uint32_t last_counter = 922337202;  // all digits of a bigint behind it
constexpr std::uint32_t last_generator = 99999;
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

// The parts of an ID; false for a number that is none.
bool unpack_decimal(std::int64_t id, DecimalParts &parts) noexcept;

// The counter of the generator in use: of all sessions of a database, in shared memory. One word, so that a
// counter never meets another generator.
class DecimalCounter {
   public:
    // Takes the next counter; false where a new generator is needed.
    bool take(DecimalParts &parts) noexcept {
        std::uint64_t before = word_.load(std::memory_order_relaxed);
        do {
            if (is_used_up(before)) return false;
        } while (!word_.compare_exchange_weak(before, before + 1));
        parts.counter = static_cast<std::uint32_t>(before) + 1;
        parts.generator = static_cast<std::uint32_t>(before >> 32);
        return true;
    }

    bool is_used_up() const noexcept { return is_used_up(word_.load()); }
    // Puts a generator into use, `used` of its counters being used.
    void begin(std::uint32_t generator, std::uint32_t used = 0) noexcept {
        word_.store(std::uint64_t{generator} << 32 | used);
    }
    // Without a generator.
    void forget() noexcept { word_.store(0); }

   private:
    static constexpr bool is_used_up(std::uint64_t word) noexcept {
        return word >> 32 == 0 || static_cast<std::uint32_t>(word) >= last_counter;
    }
    std::atomic<std::uint64_t> word_;  // generator, counters used
};
static_assert(sizeof(DecimalCounter) == 8 && std::atomic<std::uint64_t>::is_always_lock_free &&
                  std::is_trivially_destructible_v<DecimalCounter>,
              "lives in shared memory");

// Generators that another server may have taken without this one having seen it.
constexpr std::int64_t generators_skipped = 100;

// The record of the next generator, to be written before it is used. `known` is the last one that this server
// took since it started, or 0. Above last_generator: none is left.
DurableRecord next_generator(const DurableRecord &page, std::int64_t known, std::int64_t identity) noexcept;

}  // namespace idgen
