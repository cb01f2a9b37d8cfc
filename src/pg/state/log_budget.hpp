// Keeps the log readable whatever happens: a limit of messages a minute, of one process or of all that share the
// budget.
#pragma once

#include "pg/host/clock.hpp"

namespace idgen::pg {

// One word, so that it can lie in shared memory.
class LogBudget {
   public:
    void initialise() noexcept { pg_atomic_init_u64(&word_, 0); }

    // Whether one more may be written now, of `most` a minute, 1 to 255.
    bool spend(uint32 most) noexcept {
        constexpr uint64 minute_ms = 60000;
        constexpr int count_bits = 8;
        uint64 word = pg_atomic_read_u64(&word_);
        uint64 spent = word & ((1 << count_bits) - 1);
        auto now_ms = static_cast<uint64>(monotonic_ms());
        bool is_new_minute = spent == 0 || now_ms - (word >> count_bits) >= minute_ms;
        if (!is_new_minute && spent >= most) return false;
        // Another session may spend at the same instant: then it writes, and this one does not.
        return compare_exchange(word_, word, is_new_minute ? now_ms << count_bits | 1 : word + 1);
    }

   private:
    pg_atomic_uint64 word_;  // atomic; when the minute began, and how many were written since
};

}  // namespace idgen::pg
