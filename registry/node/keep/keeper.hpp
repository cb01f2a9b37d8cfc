// Keeps the numbers of this server: claims what its sessions want, extends what it holds, and lowers at a clean end
// what was not used; and has its numbers of counters kept. The rules are those of registry/node/rules; the network is behind the
// registry.
//
// A number begins in this order: the proposal is durable; claim is answered; every slot of the number goes on at or
// above R; the first extension opens issue. It ends in this one: issue ends; the slots are read, under their locks, so
// that each session that read an older cap is done; stop is called. So it ends with the server, and if
// idgen.lease_count is lowered.
//
// If the machine was copied with its memory (core/horizon/machine.hpp), each copy has the keeper in the middle of a step.
// So it compares the machine with that of its lives once a call is put together, before it is sent: a call from before
// is the same in each copy. And once more under the lock, before an answer counts or issue is opened.
#pragma once

#include "registry/node/keep/ticket_keeper.hpp"
#include "registry/node/keep/watched_registry.hpp"

namespace idgen::lease {

class Keeper {
   public:
    explicit Keeper(const pg::LeaseGate &gate);

    // Does what is to be done now; gives how long nothing will be, ms.
    int64 work();

    // Ends issue of all numbers, and reports to the registry how far they were used.
    void end();

   private:
    // What a look at one number comes to.
    enum class Progress : uint8 {
        done,
        again,  // there is more to be done for it
        stuck,  // nothing can be done for it now
        away,   // nor for any other: the registry does not answer, or the machine was copied
    };
    struct Result {
        Progress progress;
        const char *obstacle;  // what stands in its way, for idgen.status(); null: nothing to be said
        bool is_locked;        // another transaction at the registry keeps the number's row, or the list

        Result(Progress reached, const char *sentence = nullptr, bool locked = false) noexcept
            : progress(reached), obstacle(sentence), is_locked(locked) {}
    };

    // Rounds (keeper.cpp).
    bool is_copied() const noexcept { return pg::machine() != leases_.kept_machine; }
    void follow_machine();
    void note_own_copy();
    void leave_number(uint32 index);
    bool load();
    bool has_own_copy();
    void follow_wishes();
    void follow_count(uint32 count);
    void end_issue_of(uint32 index);
    void free_if_ended(uint32 index);
    bool has_record();
    pg::LeaseKeeper self() const noexcept;
    void want_left_numbers();
    void begin_life_of(uint32 index);
    void go_on(uint32 index, const pg::LeftLease &left);
    void save(uint32 index) noexcept;
    bool run_all(uint32 count, bool is_ready);

    // Errands (keeper_calls.cpp).
    Result run_errands(uint32 index);
    Result run(uint32 index, Errand errand, uint64 start);
    Result drain(uint32 index);
    Result choose(uint32 index, uint64 start);
    Result claim(uint32 index, int64 number);
    Result extend(uint32 index);
    Result stop(uint32 index);
    bool propose_durably(uint32 index, int64 number);
    void put_record(const LeaseRecord &record);
    void disown(int64 number);
    OwnNumbers spare_numbers(uint32 index) const;
    bool is_mine(const LeaseRecord &record) const noexcept;
    bool is_used(int64 number) const noexcept;

    // Answers (keeper_calls.cpp).
    Result send(uint32 index, const LeaseCall &call);
    Result follow(uint32 index, const LeaseCall &call, LeaseNews news);
    Result give_way(uint32 index, const LeaseCall &call);
    void seek_elsewhere(uint32 index, bool is_locked);
    void put_off(uint32 index);
    const char *locked_by(int64 number);
    Result unlisted();
    Result missed(const LeaseCall &call);
    Result too_far(const CallAnswer &answer);
    void begin_above(pg::SharedLease &claimed, int64 horizon_ms);
    void note_horizon(const Lease &lease, const LeaseCall &call, LeaseNews news);
    void look_back(int64 number);

    pg::SharedLease &entry(uint32 index) noexcept { return leases_.leases[index]; }
    LeaseRules rules_of(uint32 index) noexcept;
    ClockReading clock() noexcept;

    const pg::LeaseGate &gate_;
    pg::SharedLeases &leases_;
    int64 identity_;
    WatchedRegistry registry_;
    TicketKeeper tickets_;
    RecordPage record_;
    NumberTroubles numbers_;
    OlderRegistryWatch older_;
    LeaseRecord records_[pg::max_leases] = {};  // of each entry, as it was proposed
    uint32 begins_at_ = 0;                      // with which entry a round begins
    int64 asks_at_ms_[pg::max_leases] = {};     // by the clock that no step touches: the entry is put off until then
    uint64 seeks_among_[pg::max_leases] = {};   // with one of that many first numbers a search begins; 0: as 1
    pg::LogBudget budget_;
    bool has_record_ = false;
    bool is_loaded_ = false;
    bool has_extended_ = false;  // in this round
    bool is_ending_ = false;
    bool has_left_ = false;  // since the machine was copied; the record does not say so yet
};

// Has the server start the process of a keeper. Called when the server starts, with shared_preload_libraries.
void register_worker();

}  // namespace idgen::lease
