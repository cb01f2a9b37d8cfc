#include "registry/node/tickets/shared_tickets.hpp"

#include "core/text/text_part.hpp"
#include "pg/host/clock.hpp"
#include "pg/report/words.hpp"
#include "registry/node/held/lease_gate.hpp"
#include "registry/node/store/trouble.hpp"

namespace idgen::lease {
namespace {

// Looked again as often as this, for a keeper that was not there to be woken.
constexpr int64 longest_sleep_ms = 1000;

enum class Drawn : uint8 { taken, none, other };

// What a session asked the keeper for, and what it knows of the answer.
struct Ask {
    CounterReference of{nullptr, 0};  // where it asked
    uint64 number = 0;                // which of all asks there; 0: it has not asked
    int64 began_ms = 0;
};

// Numbers in a row.
struct DrawnTickets {
    int64 first;
    uint64 machine;  // in which they were fetched
    bool is_low;     // the keeper is to be woken
};

Drawn try_draw(const CounterReference &reference, int64 n, DrawnTickets &drawn) noexcept {
    SharedCounter &counter = *reference.entry;
    Guard<pg::SpinLock> guard(counter.mutex);
    if (counter.generation != reference.generation) return Drawn::other;
    if (!take(counter.tickets, n, drawn.first)) return Drawn::none;
    drawn.machine = counter.machine;
    // After the take: each copy of this machine has the numbers from before.
    if (unlikely(drawn.machine != pg::machine())) {
        counter.tickets.dropped += n;
        follow_machine(counter);
        return Drawn::none;
    }
    counter.drawn += n;
    drawn.is_low = !counter.is_asked && is_low(counter.tickets);
    if (drawn.is_low) counter.is_asked = true;
    return Drawn::taken;
}

// Whether the keeper heard that a counter gives none, whatever is asked of it.
bool is_none_left(TicketState state) noexcept {
    return state != TicketState::given && state != TicketState::locked && state != TicketState::unknown;
}

// Asks the keeper, unless the last ask is not answered yet. Gives what is known of it; unknown: no answer yet.
TicketState ask_keeper(const CounterReference &reference, int64 n, Ask &ask) noexcept {
    SharedCounter &counter = *reference.entry;
    Guard<pg::SpinLock> guard(counter.mutex);
    if (counter.generation != reference.generation) return TicketState::unknown;
    bool is_mine = ask.of.entry == reference.entry && ask.of.generation == reference.generation;
    bool is_answered = is_mine && counter.answered >= ask.number;
    if (is_answered && is_none_left(counter.state)) return counter.state;
    if (is_answered && counter.too_long != 0 && n >= counter.too_long) return TicketState::too_few;
    if (is_mine && !is_answered) return TicketState::unknown;
    if (ask.number == 0) counter.waits++;
    if (n > 1) counter.wish = Max(counter.wish, n);
    ask.of = reference;
    ask.number = ++counter.asked;
    return TicketState::unknown;
}

// Who may change a counter, and where: the beginning of a hint, whose end is a call.
const char *owner_calls() {
    bool is_etcd = pg::scheme_of(pg::find_lease_gate()->settings().registry) == pg::RegistryScheme::etcd;
    return is_etcd ? "a superuser calls: SELECT idgen_lease"
                   : "the owner of the registry calls there: SELECT idgen_registry";
}

[[noreturn]] void report_missing(const char *name) {
    ereport(ERROR, errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("counter \"%s\" does not exist", name),
            errdetail("The registry has none of that name."),
            errhint("SELECT * FROM idgen_lease.counters() lists them. To make one, %s.create_counter(%s).",
                    owner_calls(), quote_literal_cstr(name)));
}

[[noreturn]] void report_awaits_advance(const char *name) {
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("counter \"%s\" gives no numbers until advance_counter() is called", name),
            errdetail("The registry was put back to an older state: later numbers may have been given since."),
            errhint("With a number above every one that was given, %s.advance_counter(%s, ...).", owner_calls(),
                    quote_literal_cstr(name)));
}

[[noreturn]] void report_too_few(const char *name, int64 n) {
    ereport(ERROR, errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
            errmsg("counter \"%s\" does not have that many numbers left", name),
            errdetail("Asked for: %lld. Other servers may hold some.", static_cast<long long>(n)),
            errhint("To let it go on, %s.set_counter_max(%s, ...). A new counter of another name begins at 1.",
                    owner_calls(), quote_literal_cstr(name)));
}

[[noreturn]] void report_too_long(const char *name, int64 n, int64 max_block) {
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("a range of counter \"%s\" has at most %lld numbers", name, static_cast<long long>(max_block)),
            errdetail("Asked for: %lld.", static_cast<long long>(n)),
            errhint("Ask for it in parts. To allow more, %s.set_counter_block(%s, block, max_block).", owner_calls(),
                    quote_literal_cstr(name)));
}

[[noreturn]] void report_older(const char *name) {
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        errmsg("the registry gives numbers of counter \"%s\" again", name),
        errdetail("It was put back to an older state, and was not advanced."),
        errhint(
            "Advance it now, by idgen_registry.advance(at => now() + '15 min') there, or with etcd by idgen_lease.advance_registry(at => now() + '15 min'); then say where the counter goes on."));
}

// A counter as a session finds it that gets no number.
struct Found {
    TicketState state;
    bool is_refused;
    int64 max_block;
    char locker[locker_size];
};

Found look_at(SharedCounter &counter) noexcept {
    Guard<pg::SpinLock> guard(counter.mutex);
    Found found{counter.state, counter.is_refused, counter.tickets.max_block, ""};
    strlcpy(found.locker, counter.locker, sizeof(found.locker));
    return found;
}

[[noreturn]] void report_state(TicketState state, const Found &found, const char *name, int64 n) {
    if (state == TicketState::missing) report_missing(name);
    if (state == TicketState::awaits_advance) report_awaits_advance(name);
    if (state == TicketState::too_few && n > 1 && found.max_block > 0 && n > found.max_block)
        report_too_long(name, n, found.max_block);
    if (state == TicketState::too_few) report_too_few(name, n);
    report_older(name);
}

// Why nothing was heard of a counter. What is wrong with other counters is not a reason.
const char *silence_text(pg::SharedLeases &leases, const Found &found) {
    if (found.state == TicketState::locked) {
        const char *who =
            found.locker[0] == '\0' || !pg::may_see_address() ? "another transaction there" : found.locker;
        return psprintf("It is locked at the registry by %s.", who);
    }
    pg::RegistryState registry{};
    {
        Guard<pg::LightLock> guard(leases.lock);
        registry = leases.registry;
    }
    if (registry.keeper_pid == 0) return "The process that keeps the shards of this server does not run.";
    const char *trouble = registry.trouble;
    if (trouble[0] == '\0' && found.is_refused) trouble = registry.counters.trouble;
    if (trouble[0] == '\0')
        return registry.answered_ms != 0 ? "The registry answers, and has not given any yet."
                                         : "The registry has not answered yet.";
    if (!pg::may_see_address()) return "The registry does not answer, or refuses; members of pg_monitor see why.";
    return psprintf("The keeper of its shards says: %s.", trouble);
}

// Of a wait for `n` numbers that is over. What the keeper heard before says more than that it has not answered again.
[[noreturn]] void report_silence(pg::SharedLeases &leases, const char *name, int64 n, int64 waited_ms,
                                 const CounterReference &reference, uint32 size) {
    if (reference.entry == nullptr)
        ereport(ERROR, errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
                errmsg("counter \"%s\" finds no room on this server", name),
                errdetail("It holds numbers of %u counters already, and all are in use. Waited for %s.", size,
                          pg::duration_text(waited_ms)),
                errhint("Increase idgen.max_counters, and restart."));
    Found found = look_at(*reference.entry);
    if (is_none_left(found.state)) report_state(found.state, found, name, n);
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("this server holds no number of counter \"%s\"", name),
            errdetail("%s Waited for %s.", silence_text(leases, found), pg::duration_text(waited_ms)),
            errhint("%s", pg::see_registry_hint));
}

// Whether no call of the registry has been answered since the server's start, though one was made: waiting would hardly
// help.
bool was_never_heard(pg::SharedLeases &leases) noexcept {
    Guard<pg::LightLock> guard(leases.lock);
    return leases.registry.answered_ms == 0 && leases.registry.silent_since_ms != 0;
}

int64 max_wait_ms() {
    const char *value = GetConfigOption("idgen.max_wait", true, false);
    return value == nullptr ? 0 : strtoll(value, nullptr, 10);
}

const char *text_of(const CounterName &name) {
    return pg_any_to_server(name.text, static_cast<int>(strlen(name.text)), PG_UTF8);
}

// Sleeps until the keeper has done something for this counter, or made room. Prepared before what it waits for is
// looked at.
void sleep_until(ConditionVariable &changed, int64 left_ms) {
    ConditionVariableTimedSleep(&changed, static_cast<long>(Min(left_ms, longest_sleep_ms)), pg::registry_wait_event());
}

[[gnu::noinline]] DrawnTickets wait_for_tickets(SharedTickets *tickets, const CounterName &name,
                                                CounterReference &reference, int64 n) {
    PreventCommandDuringRecovery(n == 1 ? "next_ticket()" : "next_tickets()");
    pg::SharedLeases &leases = pg::find_lease_gate()->leases();
    Ask ask;
    ask.began_ms = pg::monotonic_ms();
    for (int64 most_ms = max_wait_ms();;) {
        bool has_entry = find_counter(tickets, name, reference);
        ConditionVariable &changed = has_entry ? reference.entry->changed : tickets->has_room;
        if (!has_entry) pg_atomic_write_u32(&tickets->is_room_wanted, 1);
        ConditionVariablePrepareToSleep(&changed);
        DrawnTickets drawn{};
        bool is_taken = has_entry && try_draw(reference, n, drawn) == Drawn::taken;
        TicketState state = TicketState::unknown;
        if (has_entry && !is_taken) state = ask_keeper(reference, n, ask);
        if (!is_taken) pg::wake_keeper(leases);
        if (is_taken || state != TicketState::unknown) {
            ConditionVariableCancelSleep();
            if (is_taken) return drawn;
            report_state(state, look_at(*reference.entry), text_of(name), n);
        }
        int64 waited_ms = pg::monotonic_ms() - ask.began_ms;
        if (waited_ms >= most_ms || was_never_heard(leases)) {
            ConditionVariableCancelSleep();
            report_silence(leases, text_of(name), n, waited_ms, reference, tickets->size);
        }
        sleep_until(changed, most_ms - waited_ms);
        ConditionVariableCancelSleep();
    }
}

[[noreturn]] void report_control(std::string_view name) {
    char shown[longest_counter_name + 1];
    copy_foreign_text(name, shown, sizeof(shown));
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a name must not contain control characters"),
            errdetail("With \"?\" for them it is \"%s\".", shown),
            errhint("Give a name without line breaks and the like."));
}

}  // namespace

CounterName counter_name(std::string_view text) {
    CounterName name{};
    char *utf8 = pg_server_to_any(text.data(), static_cast<int>(text.size()), PG_UTF8);
    // What needs no conversion is given back as it is, without an end.
    size_t size = utf8 == text.data() ? text.size() : strlen(utf8);
    if (size < 1 || size > longest_counter_name)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("the name of a counter has 1 to %zu bytes in UTF-8", longest_counter_name),
                errdetail("It has %zu: \"%s\".", size, pg::clip_text(text)),
                errhint("SELECT * FROM idgen_lease.counters() lists the counters."));
    if (has_control({utf8, size})) report_control(text);
    memcpy(name.text, utf8, size);
    return name;
}

int64 draw_tickets(SharedTickets *tickets, const CounterName &name, CounterReference &reference, int64 n) {
    DrawnTickets drawn{};
    if (unlikely(reference.entry == nullptr || try_draw(reference, n, drawn) != Drawn::taken))
        drawn = wait_for_tickets(tickets, name, reference, n);
    if (unlikely(drawn.is_low)) pg::wake_keeper(pg::find_lease_gate()->leases());
    if (unlikely(pg::is_watched())) pg::find_lease_gate()->mark(drawn.machine);
    return drawn.first;
}

}  // namespace idgen::lease
