// The registry as the keeper meets it: opened, known by its identity, its answers and its silence reported to the
// sessions and logged. And what the keeper says in the log, and how often.
#pragma once

#include "pg/state/shared_state.hpp"
#include "registry/node/held/lease_gate.hpp"
#include "registry/node/keep/record_page.hpp"
#include "registry/node/rules/number_choice.hpp"
#include "registry/node/store/registry.hpp"

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

// By palloc.
NumberList list_of(const Registration &registration);

// The same, but each R at least what this server was granted for the number.
NumberList list_with(const Registration &registration, const GrantedHorizons &granted);

// Who holds a number: a sentence, by palloc.
const char *held_by(const Registration &registration, int64 number);

// Notices a registry that was put back to an older state, or made new, without advance(): it knows less of a number
// than this server was granted. That is reported until the registry was advanced.

class OlderRegistryWatch {
   public:
    explicit OlderRegistryWatch(const pg::LeaseGate &gate) noexcept : leases_(gate.leases()) {}

    // What the registry says of its numbers: of a range, and of one that was claimed.
    void look_at(const Registration &registration, const NumberRange &range);
    void look_at_claim(int64 number, int64 horizon_ms);

    // Whether it is reported now.
    bool is_published() const noexcept;

   private:
    void publish(const OlderRegistry &older);

    pg::SharedLeases &leases_;
};

class WatchedRegistry {
   public:
    explicit WatchedRegistry(const pg::LeaseGate &gate) noexcept : gate_(gate) { budget_.initialise(); }

    // Whether the registry can be called, which the first time means: opened, and the one that the record remembers.
    // The record is read then.
    bool is_ready(RecordPage &record);

    // Whether it answers now.
    bool is_there();

    // Each false if there was no answer, which is reported.
    bool call(const LeaseCall &call, CallAnswer &answer);
    // Only of the known registry: what another one lists says nothing about what this server was granted.
    bool list(const NumberRange &range, Registration &registration);

    // Of counters. What is refused to them says nothing about the numbers.
    bool fetch(FetchCall *calls, size_t count);
    bool give_back(GiveBackCall *calls, size_t count);
    bool list_counters(CounterList &list);

    // Who has locked a counter or, if that is null, a number there: the end of a sentence. Null: not known.
    const char *find_locker(const char *counter, int64 number);

    // Whether the last call failed because another transaction there keeps what it changes: then it was not executed.
    bool is_locked() const noexcept { return is_locked_; }

    // Whether it refused the last call of counters, of whatever counters it was.
    bool is_refused() const noexcept { return refusal_[0] != '\0'; }

    // Why the last call was refused, if another number may be granted: a limit of the owner's, a damaged key, or a lock;
    // else null.
    const char *limit() const noexcept { return limit_; }

    // Something stands in the way that is not of one number.
    void note_trouble(const char *sentence);
    // Reports what is in the way now: what was noted in this round, and what the last call said if it failed; and how the
    // counters are. If troubles of numbers are over, that is logged, too.
    void end_round(const pg::CounterState &counters, bool are_numbers_free);

    // Closes its connections, which copies of this machine have, too; the next call opens others.
    void close();

    // The record is read again before the next call: it may name another registry by then.
    void doubt() noexcept { is_known_ = false; }

    // From now on each call waits that long for its answer.
    void wait_up_to(int64 answer_ms);

    // Whether it is a database of this server.
    bool is_own() const { return is_open_ && store_.is_own(store_.self); }

    const RegistryIdentity &identity() const noexcept { return identity_; }

   private:
    bool open();
    bool identify(const RegistryIdentity &expected);
    bool heard(Reply reply);
    bool heard_of_counters(Reply reply);
    void publish(const char *text, bool are_numbers_free);
    void publish_counters(const pg::CounterState &counters);
    void note_answer(bool is_answered) noexcept;

    const pg::LeaseGate &gate_;
    Registry store_{};
    RegistryIdentity identity_{};
    Trouble trouble_{};
    const char *limit_ = nullptr;
    bool is_locked_ = false;
    char noted_[pg::trouble_size] = "";    // in this round
    char failure_[pg::trouble_size] = "";  // of the last call; empty: it was answered
    char refusal_[pg::trouble_size] = "";  // of the last call of counters
    int64 answer_ms_ = 0;
    bool is_open_ = false;
    bool is_known_ = false;
    pg::LogBudget budget_;
    bool is_logged_ = true;  // what shared memory has of troubles
};

}  // namespace idgen::lease
