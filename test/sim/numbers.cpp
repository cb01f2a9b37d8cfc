// Numbers from the registry: those who keep them, the wires, and what befalls both.
#include "world.hpp"

namespace idgen::sim {

void World::keep_numbers() {
    if (events_ < keepers_stalled_until_) return;
    for (std::int64_t steps = stage_.random.between(0, stage_.scenario.keeper_speed); steps > 0; steps--)
        stage_.random.one_in(4) ? carry() : step_keeper();
}

void World::step_keeper() {
    Node &node = stage_.random.one_in(2) ? primary() : any_node();
    if (!node.issues()) return;
    Keeper &keeper = keepers_[node.number];
    keeper.step(stage_, node);
    if (!is_interrupted_ && keeper.has_ended(node) && stage_.random.one_in(4)) leave(node);
}

// The server stops, for long, or gets another keeper.
void World::leave(Node &node) {
    if (stage_.random.one_in(4)) return restart_keeper(node);
    shut_down(node);
    if (stage_.random.one_in(2)) return;
    for (std::int64_t number = 0; number < max_numbers; number++) stage_.registry.release(number);
}

// The largest limit that the registry's owner ever sets.
std::int64_t World::longest_ahead() const noexcept {
    return stage_.scenario.lease_rules.window_ms + stage_.settings.max_jump_ms;
}

// Lets the registry execute some call, and a server hear some answer.
void World::carry() {
    Registry &registry = stage_.registry;
    if (registry.max_ahead_ms() == 0) registry.limit(longest_ahead());
    RegistryTerms terms{0, stage_.scenario.lease_rules.ttl_ms, registry.max_ahead_ms()};
    bool is_low = stage_.registry.execute_some(stage_.random, stage_.scenario.lost_one_in, stage_.true_ms, terms);
    stage_.oracle.expect(!is_low, "the registry's horizon is below an ID");
    std::optional<Letter> letter = stage_.registry.answer(stage_.random, stage_.scenario.lost_one_in, stage_.world);
    if (!letter) return;
    Node &node = stage_.nodes[letter->node];
    if (node.issues()) keepers_[node.number].hear(stage_, node, *letter);
}

void World::strike_numbers(Node &node) {
    Random &random = stage_.random;
    bool is_favourite = random.one_in(2);
    switch (is_favourite ? stage_.scenario.favourite : random.between(0, last_misfortune)) {
        case 0:
        case 1:
            return restart_keeper(node);
        case 2:
        case 3:
        case 4:
        case 5:
            return stop_numbers(node);
        case 6:
        case 7:
            return copy_disk();
        case 8:
            stage_.registry.release(random.between(0, max_numbers - 1));
            return stage_.trace.say("%4lld a number is released", Stage::since_start(stage_.true_ms));
        case 9:
            // Often under a lower limit than is in force later.
            if (random.one_in(2)) stage_.registry.limit(random.between(1, stage_.scenario.lease_rules.window_ms));
            stage_.registry.keep();
            return stage_.registry.limit(longest_ahead());
        case 10:
            stage_.registry.put_back(random.one_in(4), stage_.true_ms, longest_ahead());
            return stage_.trace.say("%4lld the registry is put back", Stage::since_start(stage_.true_ms));
        case 11:
            return stall();
        case 12:
            return stage_.registry.limit(random.one_in(2) ? longest_ahead()
                                                          : random.between(1, stage_.scenario.lease_rules.window_ms));
        default:
            if (stage_.scenario.has_right_registry) return;
            stage_.registry.misbehave(random, stage_.true_ms, 4 * reach_ms());
    }
}

// The keeper ends, as after an error; the server runs on, and starts another.
void World::restart_keeper(Node &node) {
    Keeper &keeper = keepers_[node.number];
    if (!node.issues() || !keeper.may_die()) return;
    keeper.start(node);
    say("another keeper starts", node);
}

// The keeper is told to end, by a server that stops, or alone.
void World::stop_numbers(Node &node) {
    if (stage_.random.one_in(4)) return shut_down(node);
    Keeper &keeper = keepers_[node.number];
    if (!node.issues() || !keeper.may_die()) return;
    keeper.end(node);
    say("issue of all numbers ends", node);
}

// A clean end of the server; its numbers were stopped, or it did not wait for the registry.
void World::shut_down(Node &node) {
    const Keeper &keeper = keepers_[node.number];
    if (!node.issues() || (!keeper.has_ended(node) && !stage_.random.one_in(8))) return;
    node.disk.flush(node.disk.inserted());
    node.is_up = false;
    disconnect(node);
    say("is shut down", node);
}

}  // namespace idgen::sim
