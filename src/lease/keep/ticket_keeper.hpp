// Keeps the numbers of counters: fetches the next block before the present one ends, and what sessions wait for; gives
// back at a clean end what no session has used, and what the least used counter holds if there is no room for another.
#pragma once

#include "lease/keep/watched_registry.hpp"
#include "lease/tickets/shared_tickets.hpp"

namespace idgen::lease {

class TicketKeeper {
   public:
    explicit TicketKeeper(WatchedRegistry &registry) noexcept : registry_(registry), tickets_(shared_tickets()) {}

    // Whether there is anything to do, now or in a round to come.
    bool has_work() const noexcept;

    // Does what is to be done now. False if the registry is away: the rest waits.
    bool work();

    // Gives back what no session has used.
    void end();

   private:
    // What one counter lacks.
    struct Lack {
        CounterName name;
        uint64 asked;
        int64 wish;
        bool is_block_due;
        Tickets tickets;
    };

    template <typename Visit>
    bool each_used(Visit visit);
    bool look_at(SharedCounter &counter, Lack &lack);
    bool supply(SharedCounter &counter);
    bool fetch(SharedCounter &counter, const Lack &lack, int64 wish);
    void take_in_answer(SharedCounter &counter, const CounterFetch &call, const CounterAnswer &answer);
    void finish(SharedCounter &counter, const Lack &lack);
    bool give_back_of(SharedCounter &counter);
    void make_room();

    WatchedRegistry &registry_;
    SharedTickets *tickets_;
};

}  // namespace idgen::lease
