// Numbers from the registry: those who keep them, the wires, and what befalls both.
#include "world.hpp"

namespace idgen::sim {

void World::keep_numbers() {
    if (stage_.random.one_in(2)) return step_keeper();
    if (stage_.random.one_in(2)) carry();
}

void World::step_keeper() {
    Node &node = stage_.random.one_in(2) ? primary() : any_node();
    if (!node.issues()) return;
    keepers_[node.number].step(stage_, node);
}

// Lets the registry execute some call, and a server hear some answer.
void World::carry() {
    std::int64_t max_ahead_ms = stage_.scenario.lease_rules.window_ms + stage_.settings.max_jump_ms;
    RegistryTerms terms{0, stage_.scenario.lease_rules.ttl_ms, max_ahead_ms};
    bool is_low = stage_.registry.execute_some(stage_.random, stage_.true_ms, terms);
    stage_.oracle.expect(!is_low, "the registry's horizon is below an ID");
    std::optional<Letter> letter = stage_.registry.answer(stage_.random);
    if (!letter) return;
    Node &node = stage_.nodes[letter->node];
    if (node.issues()) keepers_[node.number].hear(stage_, node, *letter);
}

void World::strike_numbers(Node &node) {
    Random &random = stage_.random;
    switch (random.between(0, 11)) {
        case 0:
        case 1:
            return restart_keeper(node);
        case 2:
        case 3:
            return stop_numbers(node);
        case 4:
        case 5:
            return shut_down(node);
        case 6:
        case 7:
            return copy_disk();
        case 8:
            stage_.registry.release(random.between(0, number_count - 1));
            return stage_.trace.say("%4lld a number is released", Stage::since_start(stage_.true_ms));
        case 9:
            return stage_.registry.keep();
        case 10:
            stage_.registry.put_back(random.between(0, reach_ms()));
            return stage_.trace.say("%4lld the registry is put back", Stage::since_start(stage_.true_ms));
        default:
            stage_.registry.clock.misbehave(random, stage_.true_ms, 4 * reach_ms());
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
