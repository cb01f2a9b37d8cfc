// Keeps the log readable whatever a registry does: so many messages a minute.
#pragma once

#include "pg/host/clock.hpp"

namespace idgen::lease {

class LogBudget {
   public:
    explicit constexpr LogBudget(uint32 most) noexcept : most_(most) {}

    // Whether one more may be written now.
    bool spend() noexcept {
        constexpr int64 minute_ms = 60000;
        int64 now_ms = pg::monotonic_ms();
        if (now_ms - began_ms_ >= minute_ms) {
            began_ms_ = now_ms;
            spent_ = 0;
        }
        if (spent_ == most_) return false;
        spent_++;
        return true;
    }

   private:
    uint32 most_;
    uint32 spent_ = 0;
    int64 began_ms_ = 0;
};

}  // namespace idgen::lease
