// Keeps the numbers of counters: fetches the next block before the present one ends, and what sessions wait for; gives
// back at a clean end what no session has used, and what the least used counter holds if there is no room for another.
//
// All counters that lack something are asked for in one call, and each has an answer of its own: one that another
// transaction has locked at the registry waits alone, and is asked for again. Between two calls the keeper extends its
// numbers.
//
// An answer counts only in the machine in which its call was put together: in a copy of it, it may be the answer to
// another one. What was fetched before the copy is never given back.
#pragma once

#include "registry/node/keep/watched_registry.hpp"
#include "registry/node/store/trouble.hpp"
#include "registry/node/tickets/shared_tickets.hpp"

namespace idgen::lease {

class TicketKeeper {
   public:
    explicit TicketKeeper(WatchedRegistry &registry) noexcept : registry_(registry), tickets_(shared_tickets()) {}

    // Whether there is anything to do, now or in a round to come.
    bool has_work() const noexcept;

    // Makes one call of the registry, if one is due.
    void work();

    // How long nothing will be due, ms, unless a session asks; at most `longest_ms`.
    int64 pause_ms(int64 longest_ms) const noexcept;

    // Gives back what no session has used, in as few calls as there can be.
    void end(const Deadline &deadline);

    // How the counters are, for the sessions.
    pg::CounterState state() const;

   private:
    // What one counter lacks, and the call for it.
    struct Lack {
        SharedCounter *counter;
        CounterName name;
        uint64 machine;  // in which the call was put together
        uint64 asked;
        int64 wish;    // of the call; 0: a block
        bool is_last;  // nothing else is lacking
    };

    template <typename Visit>
    void each_used(Visit visit) const;
    bool look_at(SharedCounter &counter, Lack &lack, FetchCall &call);
    void fetch(const Lack *lacks, FetchCall *calls, size_t count);
    void take_in_answer(const Lack &lack, const FetchCall &call);
    void put_off(SharedCounter &counter);
    void find_locker();
    void look_again();
    size_t take_unused(SharedCounter *one, GiveBackCall *calls);
    bool give_back(uint64 machine, GiveBackCall *calls, size_t count);
    void make_room();

    WatchedRegistry &registry_;
    SharedTickets *tickets_;
    int64 next_ms_ = INT64_MAX;  // when the next call is due, by the clock that no step touches
    int64 looks_again_at_ms_ = 0;
    uint32 begins_at_ = 0;  // with which entry a call begins: no counter is always the last one
};

}  // namespace idgen::lease
