// What the keeper says in the log, and how often.
#pragma once

#include "pg/state/log_budget.hpp"
#include "registry/node/held/lease_gate.hpp"

namespace idgen::lease {

// Messages a minute of the registry, or of the numbers' troubles: more than a bad minute has, for a registry that finds
// ever new words.
constexpr uint32 most_troubles = 6;
// And of numbers that come and go: of all that a server can hold, and more.
constexpr uint32 most_news = 200;

// What stands in the way of each number: a sentence for its entry, which sessions read, and for the log once.
// WatchedRegistry reports what is not of one number.

class NumberTroubles {
   public:
    explicit NumberTroubles(const pg::LeaseGate &gate) noexcept : gate_(gate) { budget_.initialise(); }

    // Reports what was found of an entry in this round; null: nothing. The sentence holds no address.
    void publish(uint32 index, const char *sentence);

    // Forgets what was reported of an entry, and logs nothing: it is not known in this round.
    void clear(uint32 index) { publish(index, nullptr); }

    // Whether troubles were logged that are over by now.
    bool are_over(bool is_well) noexcept;

   private:
    bool is_logged_for_another(uint32 index, const char *sentence) const noexcept;

    const pg::LeaseGate &gate_;
    bool is_logged_[pg::max_leases] = {};  // of each entry what it has of troubles
    bool was_any_logged_ = false;
    pg::LogBudget budget_;
};

// Numbers cannot be taken or extended; IDs go on up to the horizons that were granted.
void log_registry_away(const char *sentence);

// What became of a number.
void log_number_claimed(int64 number, int64 claimed_ms);
void log_number_resumed(int64 number, int64 from_ms);
void log_number_lost(int64 number);
void log_number_left(const char *why);
void log_number_stopped(int64 number, int64 horizon_ms);

}  // namespace idgen::lease
