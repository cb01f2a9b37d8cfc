// Every ID that was ever handed out in a run, by whichever world.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "random.hpp"
#include "scenario.hpp"

namespace idgen::sim {

// An ID, or a counter of a generator: of a layout by its number, of the hybrid logical clock, of DecimalIds; or what the
// other makers hand out, of random bytes or tickets that were fetched before.
constexpr int kind_hlc = max_layouts;
constexpr int kind_decimal = max_layouts + 1;
constexpr int kind_other = max_layouts + 2;

struct Made {
    std::uint32_t scope;
    int kind;
    std::int64_t id;

    bool operator==(const Made &b) const noexcept { return scope == b.scope && kind == b.kind && id == b.id; }
    std::uint64_t hash() const noexcept {
        std::uint64_t seed = std::uint64_t{scope} << 3 | static_cast<std::uint64_t>(kind);
        return Random(static_cast<std::uint64_t>(id) ^ seed << 48).next();
    }
};

// A table without pointers, which several processes may have in their memory. What another run left there counts as
// empty.
class MadeIds {
   public:
    void begin() noexcept {
        run_++;
        count_ = 0;
    }
    // False if it was there before.
    bool insert(const Made &made) noexcept {
        for (std::uint64_t at = made.hash();; at++) {
            Place &place = places_[at % size];
            if (place.run != run_) return fill(place, made);
            if (place.made == made) return false;
        }
    }
    std::int64_t count() const noexcept { return count_; }

   private:
    struct Place {
        Made made;
        std::uint32_t run;
    };
    bool fill(Place &place, const Made &made) noexcept {
        place = {made, run_};
        if (++count_ > std::int64_t{size} / 2) std::abort();
        return true;
    }

    static constexpr std::uint64_t size = 1 << 16;
    std::uint32_t run_ = 0;
    std::int64_t count_ = 0;
    Place places_[size];
};

}  // namespace idgen::sim
