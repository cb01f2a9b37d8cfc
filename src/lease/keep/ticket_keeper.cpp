#include "lease/keep/ticket_keeper.hpp"

#include "pg/host/clock.hpp"

namespace idgen::lease {

bool TicketKeeper::has_work() const noexcept {
    return tickets_ != nullptr &&
           (pg_atomic_read_u32(&tickets_->used) != 0 || pg_atomic_read_u32(&tickets_->is_room_wanted) != 0);
}

// Calls `visit` with each counter in use, until it gives false; gives false then.
template <typename Visit>
bool TicketKeeper::each_used(Visit visit) {
    for (uint32 i = 0; i < tickets_->size; i++) {
        SharedCounter &counter = counters_of(tickets_)[i];
        bool is_used = false;
        {
            Guard<pg::SpinLock> guard(counter.mutex);
            is_used = counter.is_used;
        }
        if (is_used && !visit(counter)) return false;
    }
    return true;
}

bool TicketKeeper::work() {
    if (!has_work()) return true;
    if (pg_atomic_read_u32(&tickets_->is_room_wanted) != 0) make_room();
    return each_used([this](SharedCounter &counter) { return supply(counter); });
}

// Whether the counter lacks anything. Notes what was drawn since the last look.
bool TicketKeeper::look_at(SharedCounter &counter, Lack &lack) {
    // Written when the entry was taken, and not since.
    lack.name = counter.name;
    int64 drawn = 0;
    bool is_lacking = false;
    {
        Guard<pg::SpinLock> guard(counter.mutex);
        bool is_low_now = is_low(counter.tickets);
        drawn = counter.drawn;
        lack.asked = counter.asked;
        lack.wish = counter.wish;
        lack.tickets = counter.tickets;
        lack.is_block_due = is_low_now && (counter.is_asked || counter.asked != counter.answered);
        is_lacking = counter.asked != counter.answered || (lack.is_block_due && counter.state == TicketState::given);
    }
    counter.recent = counter.recent / 2 + (drawn - counter.drawn_before);
    counter.drawn_before = drawn;
    return is_lacking;
}

// Fetches what a counter lacks. False if the registry is away. One that refuses may refuse only this counter.
bool TicketKeeper::supply(SharedCounter &counter) {
    Lack lack{};
    if (!look_at(counter, lack)) return true;
    if (lack.is_block_due && !fetch(counter, lack, 0)) return !registry_.is_silent();
    if (lack.wish > 0 && !fetch(counter, lack, lack.wish)) return !registry_.is_silent();
    finish(counter, lack);
    ConditionVariableBroadcast(&counter.changed);
    return true;
}

bool TicketKeeper::fetch(SharedCounter &counter, const Lack &lack, int64 wish) {
    CounterCall call{};
    call.act = CounterAct::fetch;
    call.name = lack.name.text;
    {
        Guard<pg::SpinLock> guard(counter.mutex);
        call.fetch = next_fetch(counter.tickets, wish, pg::monotonic_ms());
    }
    CounterAnswer answer{};
    if (!registry_.call_counter(call, answer)) return false;
    take_in_answer(counter, call.fetch, answer);
    return true;
}

namespace {

TicketState state_of(CounterOutcome outcome) noexcept {
    switch (outcome) {
        case CounterOutcome::done:
            return TicketState::given;
        case CounterOutcome::awaits_advance:
            return TicketState::awaits_advance;
        case CounterOutcome::too_few:
            return TicketState::too_few;
        case CounterOutcome::missing:
        case CounterOutcome::refused:
            break;
    }
    return TicketState::missing;
}

}  // namespace

void TicketKeeper::take_in_answer(SharedCounter &counter, const CounterFetch &call, const CounterAnswer &answer) {
    int64 now_ms = pg::monotonic_ms();
    bool is_wish = call.least > 1;
    Guard<pg::SpinLock> guard(counter.mutex);
    counter.fetches++;
    // Of a longer range than there is: shorter ones may be left.
    bool is_too_long = is_wish && answer.outcome == CounterOutcome::too_few;
    counter.too_long = is_too_long ? call.least : 0;
    if (is_too_long) return;
    counter.state = state_of(answer.outcome);
    if (answer.outcome != CounterOutcome::done) return;
    if (!take_in(counter.tickets, call, answer, now_ms)) counter.state = TicketState::older;
    if (!is_wish) counter.is_asked = false;
}

void TicketKeeper::finish(SharedCounter &counter, const Lack &lack) {
    Guard<pg::SpinLock> guard(counter.mutex);
    counter.answered = lack.asked;
    if (counter.wish <= lack.wish) counter.wish = 0;
}

// Ends the use of what is held, and gives it back. False if the registry is away; a gap is left then.
bool TicketKeeper::give_back_of(SharedCounter &counter) {
    UnusedNumbers unused{};
    {
        Guard<pg::SpinLock> guard(counter.mutex);
        unused = give_up(counter.tickets);
    }
    if (unused.version == 0) return true;
    CounterCall call{};
    call.act = CounterAct::give_back;
    call.name = counter.name.text;
    call.number = unused.first;
    call.version = unused.version;
    CounterAnswer answer{};
    return registry_.call_counter(call, answer);
}

// Gives up the counter that was used least of late.
void TicketKeeper::make_room() {
    SharedCounter *least = nullptr;
    each_used([&least](SharedCounter &counter) {
        if (least == nullptr || counter.recent < least->recent) least = &counter;
        return true;
    });
    if (least == nullptr || pg_atomic_read_u32(&tickets_->used) < tickets_->size) {
        pg_atomic_write_u32(&tickets_->is_room_wanted, 0);
        ConditionVariableBroadcast(&tickets_->has_room);
        return;
    }
    give_back_of(*least);
    remove_counter(tickets_, *least);
}

void TicketKeeper::end() {
    if (tickets_ == nullptr) return;
    each_used([this](SharedCounter &counter) { return give_back_of(counter); });
}

}  // namespace idgen::lease
