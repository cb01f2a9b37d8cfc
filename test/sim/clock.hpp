// A node's clock, in ms: true time and an offset, which steps, drifts and freezes. A tame clock stays within the clock error
// of true time; a wild one goes anywhere.
#pragma once

#include <algorithm>
#include <cstdint>

#include "random.hpp"

namespace idgen::sim {

class Clock {
   public:
    std::int64_t read(std::int64_t true_ms) const noexcept {
        return true_ms + (is_frozen_ ? frozen_at_ms_ - true_ms : offset_ms_) - slow_ms_;
    }

    // How far its milliseconds are from those of the true time.
    std::int64_t part_us() const noexcept { return part_us_; }

    // Keeps a tame clock within the error. Called whenever time goes on.
    void limit(std::int64_t true_ms, std::int64_t error_ms) noexcept {
        if (is_frozen_ && std::abs(frozen_at_ms_ - true_ms) > error_ms) is_frozen_ = false;
        offset_ms_ = std::clamp(offset_ms_, -error_ms, error_ms);
    }

    // Far behind true time from now on, and set right at that time at the latest.
    void slow_down(std::int64_t by_ms, std::int64_t until_ms) noexcept {
        slow_ms_ = by_ms;
        slow_until_ms_ = until_ms;
    }
    void set_right_at(std::int64_t true_ms, bool is_early) noexcept {
        if (is_early || true_ms >= slow_until_ms_) slow_ms_ = 0;
    }

    void drift() noexcept { offset_ms_ += drift_ms_; }

    // Changes in one of its ways, by about `scale_ms`.
    void misbehave(Random &random, std::int64_t true_ms, std::int64_t scale_ms) noexcept {
        bool was_frozen = is_frozen_;
        is_frozen_ = false;
        part_us_ = random.between(0, 999);
        switch (random.between(0, 7)) {
            case 0:
                is_frozen_ = !was_frozen;
                frozen_at_ms_ = true_ms + offset_ms_;
                break;
            case 1:
                drift_ms_ = random.between(-1, 1);
                break;
            case 2:
                offset_ms_ = 0;
                break;
            case 3:
                offset_ms_ = random.one_in(2) ? scale_ms : -scale_ms;
                break;
            case 4:
                offset_ms_ = random.between(0, scale_ms);
                break;
            default:
                offset_ms_ = -random.between(0, scale_ms);
        }
    }

   private:
    std::int64_t offset_ms_ = 0;
    std::int64_t frozen_at_ms_ = 0;
    std::int64_t drift_ms_ = 0;
    std::int64_t slow_ms_ = 0;
    std::int64_t slow_until_ms_ = 0;
    std::int64_t part_us_ = 0;
    bool is_frozen_ = false;
};

}  // namespace idgen::sim
