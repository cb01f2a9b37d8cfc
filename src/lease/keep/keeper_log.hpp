// Keeps the log readable whatever a registry does: so many messages a minute.
#pragma once

#include "pg/host/clock.hpp"
#include "pg/state/lease_gate.hpp"

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

// What stands in the way of each number: a sentence for its entry, which sessions read, and for the log once.
// What is not of one number is told by WatchedRegistry.

class NumberTroubles {
   public:
    explicit NumberTroubles(const pg::LeaseGate &gate) noexcept : gate_(gate) {}

    // Tells what was found of an entry in this round; null: nothing. The sentence holds no address.
    void tell(uint32 index, const char *sentence);

    // Forgets what was told of an entry, without a word: it is not known in this round.
    void forget(uint32 index) { tell(index, nullptr); }

    // Whether the log was told of troubles that are over by now.
    bool are_over(bool is_well) noexcept;

   private:
    bool is_logged_for_another(uint32 index, const char *sentence) const noexcept;

    const pg::LeaseGate &gate_;
    bool is_logged_[pg::max_leases] = {};  // of each entry what it has of troubles
    bool was_any_logged_ = false;
    LogBudget budget_{6};
};

// Numbers cannot be taken or extended; IDs go on up to the horizons that were granted.
void log_registry_away(const char *sentence);

}  // namespace idgen::lease
