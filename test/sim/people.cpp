// What goes wrong by people, and what they do about it.
#include "world.hpp"

namespace idgen::sim {

void World::disaster() {
    Random &random = stage_.random;
    const Scenario &s = stage_.scenario;
    Node &node = random.one_in(2) ? primary() : any_node();
    stage_.common.counts.disasters++;
    if (trouble_ > 0 && random.one_in(3)) return crash_backend(node);
    if (s.has_lowering && random.one_in(6)) return meddle(node);
    if (s.has_registry() && random.one_in(2)) return strike_numbers(node);
    switch (random.between(0, 18)) {
        case 0:
        case 1:
            return crash_backend(node);
        case 2:
            return crash_server(node);
        case 3:
        case 4:
            return promote();
        case 5:
            return s.has_restores ? restore() : stall();
        case 6:
        case 7:
            return s.has_strangers ? meddle(node) : misbehave(node);
        case 8:
            return stall();
        case 9:
            return s.has_new_settings ? change_settings() : stall();
        case 10:
        case 11:
        case 12:
            return s.has_admin ? administer(node) : misbehave(node);
        case 13:
        case 14:
            return s.has_new_databases ? recreate(node) : misbehave(node);
        case 15:
            return s.has_copies ? copy() : misbehave(node);
        default:
            return misbehave(node);
    }
}

// nextval logs the value of 32 calls later and counts down the calls until then, as pages have it: see identity_of.
void World::count_on(Node &node, WalEntry page) {
    constexpr std::int64_t logged_ahead = 32;
    std::int64_t left = page.record.identity;
    std::int64_t value = page.record.value + 1;
    page.is_vouched = false;
    if (left <= 0) {
        left = logged_ahead + 1;
        page.record = bare_record(value + logged_ahead, 0);
        node.disk.write(page);
    }
    page.record = bare_record(value, left - 1);
    node.disk.page(page.database, Record::horizon) = page;
    review(node, page.database);
    say("nextval on the horizon", node);
}

// Somebody else changes the page, by nextval or setval.
void World::meddle(Node &node) {
    if (!node.issues()) return;
    const Scenario &s = stage_.scenario;
    int database = any_database();
    WalEntry page = node.disk.page(database, Record::horizon);
    std::int64_t by_ms = stage_.random.between(1, 3 * reach_ms());
    page.believed = {};
    page.pairs = {};
    if (stage_.random.one_in(3)) return count_on(node, page);
    bool is_known = node.old_floors_ms[database] != 0 || !s.has_wild_clocks;
    bool may_lower = s.has_lowering && is_known && (s.has_registry() || is_only_primary(node));
    bool is_lowered = may_lower && stage_.random.one_in(2);
    page.record = bare_record(page.record.value + (is_lowered ? -by_ms : by_ms), 0);
    page.is_vouched = false;
    node.disk.write(page);
    if (stage_.random.one_in(2)) node.disk.flush(node.disk.inserted());
    review(node, database);
    say(is_lowered ? "setval lowers the horizon" : "setval raises the horizon", node);
}

void World::administer(Node &node) {
    if (!node.issues()) return;
    int database = any_database();
    if (stage_.random.one_in(3)) return accept_clock(node);
    if (stage_.random.one_in(2)) return reset(node, database);
    advance(node, database);
}

void World::advance(Node &node, int database) {
    if (admin_.node() != nullptr || enter(node, database) == nullptr) return;
    std::int64_t at_ms = node.clock.read(stage_.true_ms) + stage_.random.between(-reach_ms(), reach_ms());
    // Or just above the last ID.
    std::int64_t reached_ms = stage_.oracle.reached_ms(node.scopes[database]);
    if (stage_.random.one_in(2) && reached_ms != 0) at_ms = reached_ms;
    if (stage_.random.one_in(2)) stall();
    admin_.begin(stage_, node, database, Admin::Task::advance, at_ms);
    say("idgen.advance", node);
}

// Says that no ID was made at or above an instant, and that is so: no other server makes any. Or has the server find that,
// whoever draws.
void World::reset(Node &node, int database) {
    std::uint32_t scope = node.scopes[database];
    if (admin_.node() != nullptr || enter(node, database) == nullptr) return;
    for (const Node &other : stage_.nodes)
        if (&other != &node && other.is_primary && other.scopes[database] == scope) return;
    if (stage_.scenario.has_registry() && !stage_.common.turns.is_alone(stage_.world)) return;
    if (stage_.scenario.resets_to_last) {
        // An advance above what others made is not taken back.
        const Database *entry = find(node, database);
        if (entry->horizon.advanced_ms != 0 && node.directory().made_ms(*entry) < stage_.oracle.reached_ms(scope))
            return;
        admin_.begin(stage_, node, database, Admin::Task::reset_to_last, 0);
        return say("idgen.reset to the last ID", node);
    }
    std::int64_t at_ms = std::max(start_ms, stage_.oracle.reached_ms(scope)) + stage_.random.between(0, reach_ms());
    if (at_ms < dropped_ms_[database] || !disconnect(node, database)) return;
    drop_readers(nullptr, database);
    admin_.begin(stage_, node, database, Admin::Task::reset, at_ms);
    say("idgen.reset", node);
}

void World::accept_clock(Node &node) {
    std::int64_t difference_ms = node.read_clock(stage_.true_ms).difference_ms;
    confirm(node.shared->accepted, difference_ms);
    stage_.oracle.confirm(node, difference_ms);
    say("idgen.accept_clock", node);
}

void World::change_settings() {
    Random &random = stage_.random;
    const Scenario &s = stage_.scenario;
    Settings &settings = stage_.settings;
    stage_.oracle.admit_lead(settings.rules.max_lead_ms);
    settings.rules.window_ms = s.unit_ms * random.between(1, 30);
    std::int64_t lead_ms = s.unit_ms * random.between(0, 12);
    if (s.has_wild_clocks && !s.has_lowering) settings.rules.max_lead_ms = lead_ms;
    settings.rules.max_lead_ms = std::max(settings.rules.max_lead_ms, lead_ms);
    stage_.oracle.admit_lead(settings.rules.max_lead_ms);
    if (!s.has_wild_clocks)
        for (Node &node : stage_.nodes) node.clock.set_right_at(stage_.true_ms, true);
    settings.draw = {settings.rules.max_lead_ms, s.unit_ms * random.between(0, 60), random.one_in(2), random.one_in(4)};
    settings.shard_count = static_cast<std::uint32_t>(random.between(1, s.settings.shard_count));
    settings.generation++;
    stage_.trace.say("%4lld settings change: window %lld, max_lead %lld, %u shards", Stage::since_start(stage_.true_ms),
                     static_cast<long long>(settings.rules.window_ms),
                     static_cast<long long>(settings.rules.max_lead_ms), settings.shard_count);
}

void World::misbehave(Node &node) {
    const Scenario &s = stage_.scenario;
    node.clock.misbehave(stage_.random, stage_.true_ms, 2 * reach_ms() + 4 * s.unit_ms);
    if (!s.has_wild_clocks) node.clock.limit(stage_.true_ms, stage_.settings.rules.clock_error_ms);
    say("the clock changes", node);
}

// A session gets no processor for a while.
void World::stall() {
    auto number = stage_.random.between(0, stage_.scenario.session_count - 1);
    stalled_until_[number] = events_ + stage_.random.between(10, 400);
    stage_.trace.say("%4lld session %lld stalls", Stage::since_start(stage_.true_ms), static_cast<long long>(number));
}

}  // namespace idgen::sim
