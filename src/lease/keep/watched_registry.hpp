// The registry as the keeper meets it: opened, known by its identity, its answers and its silence told to the
// sessions and to the log.
#pragma once

#include "lease/keep/log_budget.hpp"
#include "lease/keep/record_page.hpp"
#include "lease/store/registry.hpp"
#include "pg/state/lease_gate.hpp"

namespace idgen::lease {

class WatchedRegistry {
   public:
    explicit WatchedRegistry(const pg::LeaseGate &gate) noexcept : gate_(gate) {}

    // Whether the registry can be called, which the first time means: opened, and the one that the record
    // remembers. The record is read then.
    bool is_ready(RecordPage &record);

    // Each false where there was no answer; that is told.
    bool call(const LeaseCall &call, CallAnswer &answer);
    // Of the known registry alone: what another one lists says nothing of what this server was granted.
    bool list(const NumberRange &range, Registration &registration);

    // Why the last call was refused, if that is no more than a limit of the owner's; else null.
    const char *limit() const noexcept { return limit_; }

    // Something stands in the way that is not of one number.
    void note_trouble(const char *sentence);
    // Tells what was noted since the last round; or, where all is well, that nothing is in the way. If
    // troubles of numbers are over, the log is told of that too.
    void end_round(bool is_well, bool are_numbers_free);

    // From now on each call waits so long for its answer.
    void limit_calls(int64 answer_ms);

    const RegistryIdentity &identity() const noexcept { return identity_; }

   private:
    bool open();
    bool identify(const RegistryIdentity &expected);
    bool heard(Reply reply);
    void tell_trouble();
    void tell_well(bool are_numbers_free);
    void note_answer(bool is_answered) noexcept;

    const pg::LeaseGate &gate_;
    Registry store_{};
    RegistryIdentity identity_{};
    Trouble trouble_{};
    const char *limit_ = nullptr;
    char noted_[sizeof(pg::RegistryState::trouble)] = "";
    int64 answer_ms_ = 0;
    bool is_open_ = false;
    bool is_known_ = false;
    // More than the troubles of a bad minute, for a registry that finds ever new words.
    LogBudget budget_{6};
    bool is_logged_ = true;  // what shared memory has of troubles
};

}  // namespace idgen::lease
