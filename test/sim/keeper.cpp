#include "keeper.hpp"

namespace idgen::sim {
namespace {

constexpr RegistryIdentity the_registry{7, 7};

LeaseRules rules_of(const Stage &stage, const SharedLease &entry) noexcept {
    LeaseRules rules = stage.scenario.lease_rules;
    rules.max_lead_ms = stage.settings.rules.max_lead_ms;
    return rules_for(rules, entry.purpose);
}

// A number by what the registry lists, or any; -1 where there is none to claim now.
std::int64_t choose(Stage &stage, const Node &node, const LeaseRecord &record, const LeaseRules &rules) {
    if (stage.random.one_in(4)) return stage.random.between(0, stage.scenario.number_count - 1);
    ListedNumber rows[max_numbers];
    NumberList list = stage.registry.list(rows, stage.true_ms);
    NumberChoice choice = choose_number({&record, 1, node.identity()}, list, {0, stage.scenario.number_count - 1},
                                        stage.random.one_in(2) ? 0 : stage.random.next(),
                                        node.read_clock(stage.true_ms).now_ms, rules.max_lead_ms);
    return choice.kind == ChoiceKind::claim ? choice.number : -1;
}

}  // namespace

void Keeper::start(const Node &node) noexcept {
    is_ending_ = false;
    for (int i = 0; i < max_leases; i++) tasks_[i] = {node.disk.numbers[i], Step::look, 0};
}

bool Keeper::follow_machine(Stage &stage, Node &node) {
    Leases &leases = node.shared->leases;
    if (leases.kept_machine == node.machine()) return false;
    leases.leave(node.machine());
    for (int i = 0; i < max_leases; i++) {
        SharedLease &entry = leases.entries[i];
        idgen::leave(entry.lease, static_cast<std::int64_t>(stage.random.next() | 1));
        tasks_[i].step = Step::look;
        node.left_leases.save(i, entry.purpose, node.identity(), entry.lease);
    }
    leases.changes++;
    leases.kept_machine = node.machine();
    stage.trace.say("%4lld node %d: leaves the numbers of the machine of before", Stage::since_start(stage.true_ms),
                    node.number);
    return true;
}

void Keeper::step(Stage &stage, Node &node) {
    follow_machine(stage, node);
    auto number = static_cast<int>(stage.random.between(0, max_leases - 1));
    Lease &lease = node.shared->leases.entries[number].lease;
    Task &task = tasks_[number];
    switch (task.step) {
        case Step::look:
            return look(stage, node, number);
        case Step::flush:
            node.disk.flush(task.proposal);
            task.step = Step::ask;
            return;
        case Step::ask:
            task.step = Step::look;
            return send(stage, node, number, ask_claim(lease, task.record, node.read_clock(stage.true_ms)));
        case Step::move:
            break;
    }
    node.directory().move_number(static_cast<std::uint32_t>(lease.number), lease.claimed_ms);
    node.shared->leases.changes++;
    task.step = Step::look;
    if (stage.random.one_in(2)) write(node, number);
}

void Keeper::look(Stage &stage, Node &node, int number) {
    SharedLease &entry = node.shared->leases.entries[number];
    bool is_without = entry.lease.life == 0 || idgen::has_ended(entry.lease);
    if (is_without && !is_ending_) begin_life_of(stage, node, number);
    ClockReading clock = node.read_clock(stage.true_ms);
    switch (Errand errand = next_errand(entry.lease, entry.purpose, clock, rules_of(stage, entry))) {
        case Errand::none:
            return;
        case Errand::repeat:
            if (stage.random.one_in(3)) send(stage, node, number, entry.lease.pending);
            return;
        case Errand::drain:
            node.directory().reached_ms();
            return note_drained(entry.lease);
        case Errand::claim:
        case Errand::choose:
            return propose_some(stage, node, number, errand);
        case Errand::extend:
            return extend(stage, node, number);
        case Errand::stop:
            return stop(stage, node, number);
    }
}

// A life for an entry that has none, or whose last one has ended: that of before a crash, or a new one. What was known
// of its number stays.
void Keeper::begin_life_of(Stage &stage, Node &node, int number) {
    SharedLease &entry = node.shared->leases.entries[number];
    Lease &lease = entry.lease;
    const SavedLease *left = node.left_leases.find(entry.purpose, lease.number, node.identity());
    if (left != nullptr) {
        resume(lease, *left, node.left_leases.reached_ms);
        node.directory().move_number(static_cast<std::uint32_t>(lease.number), lease.claimed_ms);
        reopen(lease);
        node.left_leases.save(number, entry.purpose, node.identity(), lease);
        tasks_[number].record = {the_registry, lease.number, lease.incarnation, 0, node.identity()};
        node.shared->leases.changes++;
        return;
    }
    std::int64_t old_number = lease.number, claimed_ms = lease.claimed_ms;
    begin_life(lease, static_cast<std::int64_t>(stage.random.next() | 1));
    lease.number = old_number;
    lease.claimed_ms = claimed_ms;
}

// The proposal is written; the call may be sent once it is flushed.
void Keeper::propose_some(Stage &stage, Node &node, int number, Errand errand) {
    SharedLease &entry = node.shared->leases.entries[number];
    Task &task = tasks_[number];
    std::int64_t chosen = entry.lease.number;
    if (errand == Errand::choose) chosen = choose(stage, node, task.record, rules_of(stage, entry));
    if (chosen < 0) return;
    auto incarnation = static_cast<std::int64_t>(stage.random.next() | 1);
    task.record = propose(task.record, the_registry, node.identity(), chosen, incarnation);
    write(node, number);
    task.proposal = node.disk.inserted();
    task.step = Step::flush;
}

void Keeper::extend(Stage &stage, Node &node, int number) {
    SharedMemory &shared = *node.shared;
    std::int64_t granted_ms = 0;
    for (const Database &database : shared.databases)
        granted_ms = std::max(granted_ms, database.horizon.granted_ms.load());
    ClockReading clock = node.read_clock(stage.true_ms);
    stage.oracle.note_clock(clock.now_ms, stage.settings.rules.max_lead_ms);
    ClockRules rules{stage.settings.max_jump_ms, stage.settings.rules.farthest_ms()};
    if (!judge_clock(shared.accepted.accepted_ms, clock, granted_ms, rules).is_accepted) return;
    SharedLease &entry = shared.leases.entries[number];
    send(stage, node, number, ask_extend(entry.lease, clock, rules_of(stage, entry)));
}

void Keeper::stop(Stage &stage, Node &node, int number) {
    Lease &lease = node.shared->leases.entries[number].lease;
    send(stage, node, number, ask_stop(lease, node.directory().reached_ms(), node.read_clock(stage.true_ms)));
}

void Keeper::send(Stage &stage, Node &node, int number, const LeaseCall &call) {
    const SharedLease &entry = node.shared->leases.entries[number];
    node.left_leases.save(number, entry.purpose, node.identity(), entry.lease);
    stage.registry.send({node.number, number, call, {}, 1u << stage.world});
    constexpr const char *kinds[] = {"nothing", "claim", "extend", "stop"};
    stage.trace.say("%4lld node %d: asks to %s %lld, from %lld to %lld", Stage::since_start(stage.true_ms), node.number,
                    kinds[static_cast<int>(call.kind)], static_cast<long long>(call.number),
                    Stage::since_start(call.from_ms), Stage::since_start(call.to_ms));
}

void Keeper::hear(Stage &stage, Node &node, const Letter &letter) {
    if (follow_machine(stage, node)) return;
    SharedLease &entry = node.shared->leases.entries[letter.lease];
    Task &task = tasks_[letter.lease];
    LeaseNews news = take_in(entry.lease, task.record, letter.call, letter.answer, node.read_clock(stage.true_ms),
                             rules_of(stage, entry));
    node.left_leases.save(letter.lease, entry.purpose, node.identity(), entry.lease);
    constexpr const char *all_news[] = {"nothing",  "claimed", "left", "missed",
                                        "extended", "too far", "lost", "stopped"};
    stage.trace.say("%4lld node %d: hears of %lld: %s, R %lld", Stage::since_start(stage.true_ms), node.number,
                    static_cast<long long>(letter.call.number), all_news[static_cast<int>(news)],
                    Stage::since_start(letter.answer.horizon_ms));
    if (news == LeaseNews::claimed) task.step = Step::move;
    if (news == LeaseNews::lost) node.shared->leases.changes++;
    if (news == LeaseNews::left || news == LeaseNews::missed) write(node, letter.lease);
    stage.oracle.note_news(news);
}

void Keeper::end(Node &node) noexcept {
    is_ending_ = true;
    for (Task &task : tasks_) task.step = Step::look;
    for (SharedLease &entry : node.shared->leases.entries) end_issue(entry.lease);
}

bool Keeper::may_die() const noexcept {
    for (const Task &task : tasks_)
        if (task.step == Step::move) return false;
    return true;
}

bool Keeper::has_ended(const Node &node) const noexcept {
    for (const SharedLease &entry : node.shared->leases.entries)
        if (!idgen::has_ended(entry.lease)) return false;
    return true;
}

}  // namespace idgen::sim
