#include "registry/node/keep/ticket_keeper.hpp"

#include <algorithm>

#include "pg/host/clock.hpp"
#include "pg/report/words.hpp"

namespace idgen::lease {
namespace {

// A counter that is locked is asked for again after as long as it has been so far, within these bounds. One that others
// just write is free again in a moment.
constexpr int64 shortest_delay_ms = 5, longest_delay_ms = 1000;
// One that is locked for longer is reported.
constexpr int64 told_after_ms = 1000;
// How often the registry is asked who has locked it: one lock can follow another.
constexpr int64 ask_who_ms = 5000;
// After a call that failed.
constexpr int64 retry_ms = 500;
// How often the list is read to see whether a trouble is over, though no session draws.
constexpr int64 look_again_ms = 10000;

bool is_locked_long(const SharedCounter &counter) noexcept {
    return counter.locked_since_ms != 0 && pg::monotonic_ms() - counter.locked_since_ms >= told_after_ms;
}

TicketState state_of(CounterOutcome outcome) noexcept {
    switch (outcome) {
        case CounterOutcome::done:
            return TicketState::given;
        case CounterOutcome::awaits_advance:
            return TicketState::awaits_advance;
        case CounterOutcome::too_few:
            return TicketState::too_few;
        case CounterOutcome::locked:
            return TicketState::locked;
        case CounterOutcome::missing:
        case CounterOutcome::too_long:
        case CounterOutcome::refused:
            break;
    }
    return TicketState::missing;
}

// Takes the numbers in, or notes why there are none. Called with the counter's mutex.
void note_answer(SharedCounter &counter, const FetchCall &call, int64 now_ms)
    IDGEN_LOCKS(requires_capability(counter.mutex)) {
    const CounterAnswer &answer = call.answer;
    bool is_wish = call.fetch.least > 1;
    counter.fetches++;
    counter.locker[0] = '\0';
    // Of a longer range than there is, or than may be taken at once: shorter ones may be left.
    bool is_refused = answer.outcome == CounterOutcome::too_few || answer.outcome == CounterOutcome::too_long;
    counter.too_long = is_wish && is_refused ? call.fetch.least : 0;
    if (answer.outcome == CounterOutcome::too_long) counter.tickets.max_block = answer.max_block;
    if (counter.too_long != 0) {
        bool is_over = counter.state != TicketState::given && counter.state != TicketState::too_few;
        if (is_over) counter.state = TicketState::unknown;
        return;
    }
    counter.state = state_of(answer.outcome);
    if (answer.outcome == CounterOutcome::missing) leave_out(counter.tickets);
    if (answer.outcome == CounterOutcome::too_few) counter.tickets.largest = answer.largest;
    if (answer.outcome != CounterOutcome::done) return;
    if (!take_in(counter.tickets, call.fetch, answer, now_ms)) counter.state = TicketState::older;
    if (!is_wish) counter.is_asked = false;
}

// What is known of a counter at one moment.
struct Seen {
    TicketState state;
    int64 last, largest;
    char locker[locker_size];
};

Seen see(SharedCounter &counter) noexcept {
    Guard<pg::SpinLock> guard(counter.mutex);
    Seen seen{counter.state, counter.tickets.end - 1, counter.tickets.largest, ""};
    strlcpy(seen.locker, counter.locker, sizeof(seen.locker));
    return seen;
}

// How far it has come on the way from 0 to its end. Of one that is not there, nowhere.
int percent_used(const Seen &seen) noexcept {
    if (seen.state == TicketState::missing || seen.largest <= 0) return 0;
    return static_cast<int>(100.0 * static_cast<double>(Max(seen.last, 0)) / static_cast<double>(seen.largest));
}

// Why a counter gives no numbers. Null: it gives some, as far as is known.
const char *trouble_of(const Seen &seen, const char *name) {
    switch (seen.state) {
        case TicketState::awaits_advance:
            return psprintf("counter \"%s\" gives no numbers until advance_counter() is called", name);
        case TicketState::older:
            return psprintf("counter \"%s\" was put back to an older state, and was not advanced", name);
        case TicketState::too_few:
            return psprintf("counter \"%s\" has come to its end", name);
        case TicketState::locked:
            return psprintf("counter \"%s\" is locked by %s", name,
                            seen.locker[0] == '\0' ? "another transaction there" : seen.locker);
        case TicketState::given:
        case TicketState::unknown:
        case TicketState::missing:
            break;
    }
    return nullptr;
}

}  // namespace

bool TicketKeeper::has_work() const noexcept {
    return tickets_ != nullptr &&
           (pg_atomic_read_u32(&tickets_->used) != 0 || pg_atomic_read_u32(&tickets_->is_room_wanted) != 0);
}

// Calls `visit` with each counter in use, until it gives false.
template <typename Visit>
void TicketKeeper::each_used(Visit visit) const {
    for (uint32 i = 0; i < tickets_->size; i++) {
        SharedCounter &counter = counters_of(tickets_)[(begins_at_ + i) % tickets_->size];
        bool is_used = false;
        {
            Guard<pg::SpinLock> guard(counter.mutex);
            is_used = counter.is_used;
        }
        if (is_used && !visit(counter)) return;
    }
}

void TicketKeeper::work() {
    next_ms_ = INT64_MAX;
    if (!has_work()) return;
    if (pg_atomic_read_u32(&tickets_->is_room_wanted) != 0) make_room();
    auto *lacks = static_cast<Lack *>(palloc(most_counter_calls * sizeof(Lack)));
    auto *calls = static_cast<FetchCall *>(palloc(most_counter_calls * sizeof(FetchCall)));
    size_t count = 0;
    each_used([&](SharedCounter &counter) {
        if (look_at(counter, lacks[count], calls[count])) count++;
        return count < most_counter_calls;
    });
    if (count > 0) fetch(lacks, calls, count);
    if (count == most_counter_calls) next_ms_ = 0;
    begins_at_ = (begins_at_ + static_cast<uint32>(count)) % tickets_->size;
    look_again();
}

int64 TicketKeeper::pause_ms(int64 longest_ms) const noexcept {
    if (next_ms_ == INT64_MAX) return longest_ms;
    return std::clamp<int64>(next_ms_ - pg::monotonic_ms(), 0, longest_ms);
}

// Whether the counter is to be asked for now. Notes what was drawn since the last look.
bool TicketKeeper::look_at(SharedCounter &counter, Lack &lack, FetchCall &call) {
    int64 now_ms = pg::monotonic_ms(), drawn = 0;
    bool is_lacking = false, is_block_due = false, is_answered = false;
    // Written when the entry was taken, and not since.
    lack = {&counter, counter.name, 0, 0, 0, true};
    {
        Guard<pg::SpinLock> guard(counter.mutex);
        lack.machine = follow_machine(counter);
        drawn = counter.drawn;
        lack.asked = counter.asked;
        bool is_wanted = counter.asked != counter.answered;
        is_block_due = is_low(counter.tickets) && (counter.is_asked || is_wanted);
        bool goes_on = counter.state == TicketState::given || counter.state == TicketState::locked;
        is_lacking = is_wanted || (is_block_due && goes_on);
        lack.wish = is_block_due ? 0 : counter.wish;
        lack.is_last = !is_block_due || counter.wish == 0;
        is_answered = is_lacking && !is_block_due && counter.wish == 0;
        if (is_answered) counter.answered = counter.asked;
        call.fetch = next_fetch(counter.tickets, lack.wish, now_ms);
    }
    counter.recent = counter.recent / 2 + (drawn - counter.drawn_before);
    counter.drawn_before = drawn;
    if (is_answered) ConditionVariableBroadcast(&counter.changed);
    if (!is_lacking || is_answered) return false;
    call.name = lack.name.text;
    if (counter.asks_at_ms <= now_ms) return true;
    next_ms_ = std::min(next_ms_, counter.asks_at_ms);
    return false;
}

void TicketKeeper::fetch(const Lack *lacks, FetchCall *calls, size_t count) {
    bool is_heard = registry_.fetch(calls, count);
    // The row of the registry, or a whole table: of each counter the same.
    bool is_locked = !is_heard && registry_.is_locked();
    for (size_t i = 0; i < count; i++) {
        SharedCounter &counter = *lacks[i].counter;
        {
            Guard<pg::SpinLock> guard(counter.mutex);
            counter.is_refused = !is_heard && registry_.is_refused();
        }
        if (is_locked) calls[i].answer.outcome = CounterOutcome::locked;
        if (is_heard || is_locked)
            take_in_answer(lacks[i], calls[i]);
        else
            counter.asks_at_ms = pg::monotonic_ms() + retry_ms;
        bool is_due = counter.asks_at_ms != 0 || !lacks[i].is_last;
        if (is_due) next_ms_ = std::min(next_ms_, counter.asks_at_ms);
    }
    find_locker();
}

void TicketKeeper::take_in_answer(const Lack &lack, const FetchCall &call) {
    SharedCounter &counter = *lack.counter;
    if (call.answer.outcome == CounterOutcome::locked) return put_off(counter);
    counter.locked_since_ms = counter.asks_at_ms = 0;
    int64 now_ms = pg::monotonic_ms();
    {
        Guard<pg::SpinLock> guard(counter.mutex);
        if (pg::machine() != lack.machine) return;
        note_answer(counter, call, now_ms);
        if (lack.is_last || call.answer.outcome != CounterOutcome::done) counter.answered = lack.asked;
        if (lack.wish > 0 && counter.wish <= lack.wish) counter.wish = 0;
    }
    ConditionVariableBroadcast(&counter.changed);
}

// What is locked is not an answer: sessions go on waiting, and say so if they give up.
void TicketKeeper::put_off(SharedCounter &counter) {
    int64 now_ms = pg::monotonic_ms();
    if (counter.locked_since_ms == 0) {
        counter.locked_since_ms = now_ms;
        counter.asked_who_ms = 0;
    }
    int64 locked_ms = now_ms - counter.locked_since_ms;
    counter.asks_at_ms = now_ms + std::clamp(locked_ms, shortest_delay_ms, longest_delay_ms);
    Guard<pg::SpinLock> guard(counter.mutex);
    counter.state = TicketState::locked;
}

// Asks who has locked a counter for long, of one at a time: that is another call.
void TicketKeeper::find_locker() {
    SharedCounter *locked = nullptr;
    int64 now_ms = pg::monotonic_ms();
    each_used([&locked, now_ms](SharedCounter &counter) {
        bool is_due = counter.asked_who_ms == 0 || now_ms - counter.asked_who_ms >= ask_who_ms;
        if (!is_locked_long(counter) || !is_due) return true;
        if (locked == nullptr || counter.asked_who_ms < locked->asked_who_ms) locked = &counter;
        return true;
    });
    if (locked == nullptr) return;
    locked->asked_who_ms = now_ms;
    const char *who = registry_.find_locker(locked->name.text, 0);
    Guard<pg::SpinLock> guard(locked->mutex);
    strlcpy(locked->locker, who == nullptr ? "another transaction there" : who, sizeof(locked->locker));
}

// A counter that gave none may have been mended, and no session have drawn from it since. Asking it would take numbers,
// so the list is asked for.
void TicketKeeper::look_again() {
    int64 now_ms = pg::monotonic_ms();
    if (now_ms < looks_again_at_ms_) return;
    looks_again_at_ms_ = now_ms + look_again_ms;
    if (state().trouble[0] == '\0') return;
    CounterList list{};
    if (!registry_.list_counters(list)) return;
    each_used([&list](SharedCounter &counter) {
        ListedCounter *end = list.rows + list.count;
        ListedCounter *listed = std::find_if(
            list.rows, end, [&counter](const ListedCounter &row) { return strcmp(row.name, counter.name.text) == 0; });
        Guard<pg::SpinLock> guard(counter.mutex);
        if (counter.state == TicketState::unknown || counter.state == TicketState::missing) return true;
        if (listed == end) {
            counter.state = TicketState::missing;
            return true;
        }
        counter.tickets.largest = listed->largest;
        bool gives = !listed->awaits_advance && listed->next >= counter.tickets.end;
        if (gives && counter.state != TicketState::given && counter.state != TicketState::locked)
            counter.state = TicketState::unknown;
        return true;
    });
}

pg::CounterState TicketKeeper::state() const {
    constexpr int told_percent = 80;
    pg::CounterState state{};
    if (tickets_ == nullptr) return state;
    StringInfoData text;
    initStringInfo(&text);
    each_used([&](SharedCounter &counter) {
        Seen seen = see(counter);
        if (seen.state == TicketState::locked && !is_locked_long(counter)) seen.state = TicketState::given;
        char name[longest_counter_name + 1];
        copy_foreign_text(counter.name.text, name, sizeof(name));
        const char *trouble = trouble_of(seen, name);
        state.count++;
        state.in_trouble += trouble != nullptr ? 1 : 0;
        state.most_used_percent = Max(state.most_used_percent, percent_used(seen));
        if (trouble == nullptr && percent_used(seen) >= told_percent)
            trouble = psprintf("counter \"%s\" has come to %lld of %lld", name, static_cast<long long>(seen.last),
                               static_cast<long long>(seen.largest));
        if (trouble != nullptr) appendStringInfo(&text, "%s%s", text.len == 0 ? "" : "; ", trouble);
        return true;
    });
    int size = pg_mbcliplen(text.data, text.len, static_cast<int>(sizeof(state.trouble)) - 1);
    memcpy(state.trouble, text.data, static_cast<size_t>(size));
    return state;
}

// Ends the use of what is held, of one counter or of as many as one call has room for, and gives the calls that give it
// back. If they are not heard, a gap is left.
size_t TicketKeeper::take_unused(SharedCounter *one, GiveBackCall *calls) {
    size_t count = 0;
    each_used([&](SharedCounter &counter) {
        if (one != nullptr && &counter != one) return true;
        GiveBackCall &call = calls[count];
        call.name = counter.name.text;
        Guard<pg::SpinLock> guard(counter.mutex);
        follow_machine(counter);
        call.unused = give_up(counter.tickets);
        if (call.unused.version != 0) count++;
        return count < most_counter_calls;
    });
    return count;
}

// Sends calls that were put together in a machine, before a copy of it could use what they give back. False if the
// registry did not hear them.
bool TicketKeeper::give_back(uint64 machine, GiveBackCall *calls, size_t count) {
    return pg::machine() == machine && registry_.give_back(calls, count);
}

// Gives up a name that no counter has, or the counter that was used least of late.
void TicketKeeper::make_room() {
    SharedCounter *least = nullptr;
    int64 least_use = 0;
    each_used([&](SharedCounter &counter) {
        int64 use = counter.recent;
        {
            Guard<pg::SpinLock> guard(counter.mutex);
            if (counter.state == TicketState::missing) use = -1;
        }
        if (least != nullptr && use >= least_use) return true;
        least = &counter;
        least_use = use;
        return true;
    });
    if (least == nullptr || pg_atomic_read_u32(&tickets_->used) < tickets_->size) {
        pg_atomic_write_u32(&tickets_->is_room_wanted, 0);
        ConditionVariableBroadcast(&tickets_->has_room);
        return;
    }
    GiveBackCall call{};
    uint64 machine = pg::machine();
    if (take_unused(least, &call) != 0) give_back(machine, &call, 1);
    remove_counter(tickets_, *least);
}

void TicketKeeper::end(const Deadline &deadline) {
    if (tickets_ == nullptr) return;
    auto *calls = static_cast<GiveBackCall *>(palloc(most_counter_calls * sizeof(GiveBackCall)));
    while (left_ms(deadline) > 0) {
        uint64 machine = pg::machine();
        size_t count = take_unused(nullptr, calls);
        if (count == 0 || !give_back(machine, calls, count)) return;
    }
}

}  // namespace idgen::lease
