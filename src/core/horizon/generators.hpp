// The generators of DecimalIds (kinds/core/decimal_id.hpp): one is in use for all sessions of a database and gives each
// of its counters once. The next is taken where that one is used up, and after each start; that it was taken is durable
// before its first counter is given. Where the record of it was written by another server (promotion, restore, copy),
// records may have been lost, so a good number of generators is skipped.
#pragma once

#include <algorithm>
#include <atomic>

#include "core/horizon/durable_record.hpp"

namespace idgen {

constexpr std::uint32_t last_counter = 922337202;  // all digits of a bigint behind it
constexpr std::uint32_t last_generator = 99999;

struct GeneratorCount {
    std::uint32_t generator;
    std::uint32_t counter;
};

// The counter of the generator in use: of all sessions of a database, in shared memory. One word, so that a counter
// never meets another generator.
class DecimalCounter {
   public:
    // Takes the next counter; false if a new generator is needed.
    bool take(GeneratorCount &count) noexcept {
        std::uint64_t before = word_.load(std::memory_order_relaxed);
        do {
            if (is_used_up(before)) return false;
        } while (!word_.compare_exchange_weak(before, before + 1));
        count.counter = static_cast<std::uint32_t>(before) + 1;
        count.generator = static_cast<std::uint32_t>(before >> 32);
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

// What the sessions of a database share. In shared memory.
struct Generators {
    DecimalCounter counter;              // atomic
    std::atomic<std::uint64_t> machine;  // atomic; written with the lock of renewals; that the generator was taken in
    DurableState record;                 // guard: the lock of renewals
};
static_assert(std::is_trivially_destructible_v<Generators>, "lives in shared memory");

// Generators that another server may have taken without this one having seen it.
constexpr std::int64_t generators_skipped = 100;

// The record of the next generator, to be written before it is used. Above last_generator: none is left. It says of
// which machine it is: a copy of that has the launch number, too.
inline DurableRecord next_generator(const DurableState &state, const DurableRecord &page, std::int64_t identity,
                                    std::uint64_t machine, const BootId &boot) noexcept {
    std::int64_t taken = state.is_loaded ? state.known.value : 0;
    bool is_ours = page.identity == identity && (!state.is_loaded || page.value == taken);
    DurableRecord next = bare_record(std::max(page.value, taken) + (is_ours ? 1 : generators_skipped), identity);
    next.machine = machine == 0 ? page.machine : machine;
    next.boot = boot;
    return next;
}

// The last generator that this server took since it started; 0: none.
constexpr std::int64_t last_taken(const Generators &generators) noexcept {
    return generators.record.is_loaded ? generators.record.known.value : 0;
}

// Forgets a database, as a start does.
inline void forget(Generators &generators) noexcept {
    generators.counter.forget();
    generators.record = {};
}

// Notes the machine as its host tells of it now. If it was copied, the generator in use is in each copy. That it was
// taken is not forgotten: none below it is taken again.
inline void note_machine(Generators &generators, std::uint64_t machine) noexcept {
    if (generators.machine.load(std::memory_order_relaxed) == machine) return;
    generators.counter.forget();
    generators.record.pending = 0;
    generators.machine = machine;
}

}  // namespace idgen
