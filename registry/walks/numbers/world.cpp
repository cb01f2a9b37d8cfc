#include "world.hpp"

#include <algorithm>

namespace idgen::lease {
namespace {

// Takes one of the letters out, in any order.
Letter pick(std::vector<Letter> &letters, sim::Random &random) {
    std::size_t i = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(letters.size()) - 1));
    Letter letter = letters[i];
    letters[i] = letters.back();
    letters.pop_back();
    return letter;
}

}  // namespace

World::World(std::uint64_t seed, Walk walk)
    : random_(seed), walk_(walk), made_by_(numbers * databases * all_ticks, -1) {
    rules_.ttl_ms = random_.between(1, longest_ttl);
    weather_ = {random_.between(1, 30),  random_.between(1, 60), random_.between(1, 20), random_.between(1, 60),
                random_.between(1, 200), random_.between(1, 40), random_.between(1, 40), random_.between(1, 10),
                random_.between(1, 40),  random_.between(1, 10)};
    add({no_number(the_registry, 1), {0, 0}}, 1);
}

ClockReading World::clock_of(const Server &server) const noexcept {
    return {now_ + server.clock_offset, server.clock_offset};
}

std::size_t World::index_of(const Server &server) const noexcept {
    return static_cast<std::size_t>(&server - servers_);
}

void World::run(int steps) {
    for (int i = 0; i < steps && !duplicate_; i++) step();
}

void World::step() {
    if (happens(300)) now_++;
    std::size_t index = static_cast<std::size_t>(random_.between(0, static_cast<std::int64_t>(count_) - 1));
    if (happens(500)) carry();
    Server &server = servers_[index];
    // Here a session looks at the cap and takes in one step.
    if (server.lease.is_draining) note_drained(server.lease);
    if (is_waiting(server.lease) && happens(150)) send(server, server.lease.pending);
    if (happens(100)) server.page.record = server.record;
    if (!is_held(server.lease))
        begin_to_claim(server);
    else
        work(index);
    if (!duplicate_) strike(index);
}

// Lets the registry execute some call and a server receive some answer; both may be lost.
void World::carry() {
    if (!calls_on_wire_.empty()) {
        Letter letter = pick(calls_on_wire_, random_);
        std::optional<RegistryRow> &row = registry_.rows[letter.call.number];
        if (happens(20)) {
            letter.is_locked = true;
            answers_on_wire_.push_back(letter);
        } else if (happens(900)) {
            if (!row) row = registry_.unheld;
            letter.answer = execute(*row, letter.call, {now_ + registry_offset_, rules_.ttl_ms, registry_.max_ahead});
            answers_on_wire_.push_back(letter);
        }
    }
    if (!answers_on_wire_.empty() && happens(900)) {
        Letter letter = pick(answers_on_wire_, random_);
        if (happens(800)) deliver(letter);
    }
}

// Whether a server leaves a number that somebody has locked at the registry. It knows nothing of it then.
bool World::is_left(Server &server, const LeaseCall &call) {
    if (!(call == server.lease.pending) || !should_replace(server.lease, LeaseFor::pool, clock_of(server), rules_))
        return false;
    if (happens(500)) server.record = no_number(the_registry, server.identity);
    return true;
}

void World::deliver(const Letter &letter) {
    Server &server = servers_[letter.server];
    CallAnswer answer = letter.answer;
    if (letter.is_locked && !is_left(server, letter.call)) return;
    if (letter.is_locked) answer.outcome = CallOutcome::refused;
    LeaseNews news = take_in(server.lease, server.record, letter.call, answer, clock_of(server), rules_);
    lost_ += news == LeaseNews::lost;
    if (walk_ == Walk::copied_memory && news == LeaseNews::extended) note_shared(letter);
    server.saved = saved(server.lease);
    if (news == LeaseNews::stopped) restart(server);
    if (news != LeaseNews::claimed) return;
    taken_++;
    begin_at_claimed(server);
}

// Moves the slots of the number that was claimed, or that a crash left.
void World::begin_at_claimed(Server &server) {
    for (std::int64_t d = 0; d < databases; d++) {
        server.horizon[d] = 0;
        server.last[d] = -1;
        server.floor[d] = std::max(server.page.horizon[d], server.lease.claimed_ms.load());
    }
}

void World::send(Server &server, const LeaseCall &call) {
    server.saved = saved(server.lease);
    calls_on_wire_.push_back({index_of(server), call, {}});
    calls_++;
}

// A number by what the registry lists, or any; -1 if there is none to claim now.
std::int64_t World::choose(const Server &server) {
    bool is_own_again = is_own(server.record, the_registry, server.identity) && happens(500);
    if (is_own_again) return server.record.number;
    if (happens(500)) return random_.between(0, numbers - 1);
    ListedNumber rows[numbers];
    std::size_t count = 0;
    for (std::int64_t n = 0; n < numbers; n++) {
        const std::optional<RegistryRow> &row = registry_.rows[n];
        if (row)
            rows[count++] = {n, row->horizon_ms, row->incarnation == 0 || row->lease_end_ms <= now_ + registry_offset_};
    }
    NumberChoice choice =
        choose_number({&server.record, 1, server.identity}, {rows, count, registry_.unheld.horizon_ms},
                      {0, numbers - 1}, happens(500) ? 0 : random_.next(), clock_of(server).now_ms, rules_.max_lead_ms);
    return choice.kind == ChoiceKind::claim ? choice.number : -1;
}

// The proposal is on the disk before the call is sent.
void World::begin_to_claim(Server &server) {
    if (is_waiting(server.lease)) return;
    std::int64_t number = choose(server);
    if (number < 0) return;
    server.record =
        propose(server.record, the_registry, server.identity, number, static_cast<std::int64_t>(random_.next() | 1));
    server.page.record = server.record;
    if (happens(20)) return restart(server);
    send(server, ask_claim(server.lease, server.page.record, clock_of(server)));
}

void World::work(std::size_t index) {
    Server &server = servers_[index];
    for (int i = 0; i < 3; i++) {
        if (!issue(index, random_.between(0, databases - 1))) return;
    }
    if (server.is_ending) return end(index);
    bool is_due = is_extension_due(server.lease, clock_of(server), rules_) || happens(50);
    if (is_due && (!is_waiting(server.lease) || happens(50)))
        send(server, ask_extend(server.lease, clock_of(server), rules_));
}

// Makes one ID, or moves H on; false if that ID was made before.
bool World::issue(std::size_t index, std::int64_t d) {
    Server &server = servers_[index];
    std::int64_t now = clock_of(server).now_ms;
    std::int64_t tick = std::max({now, server.floor[d], server.last[d] + 1});
    if (tick > now + rules_.max_lead_ms || tick >= all_ticks) return true;
    std::int64_t number = server.lease.number;
    if (tick < std::min(server.horizon[d], cap_of(server.lease, number))) {
        std::int8_t &maker = made_by_[static_cast<std::size_t>((d * numbers + number) * all_ticks + tick)];
        if (maker >= 0) duplicate_ = {d, number, tick, static_cast<std::size_t>(maker), index};
        maker = static_cast<std::int8_t>(index);
        server.last[d] = tick;
        ids_++;
    } else if (tick >= server.horizon[d] && !(server.is_ending && happens(500))) {
        server.horizon[d] = server.page.horizon[d] = std::max(server.page.horizon[d], tick + h_window);
        server.reached = std::max(server.reached, server.horizon[d]);
    }
    return !duplicate_;
}

// Issue has ended; R is lowered to the largest H of the databases that used the number.
void World::end(std::size_t index) {
    Server &server = servers_[index];
    std::int64_t used = std::max(server.horizon[0], server.horizon[1]);
    if (!is_waiting(server.lease) || happens(150)) send(server, ask_stop(server.lease, used, clock_of(server)));
}

}  // namespace idgen::lease
