// What a seed decides before the first event: servers, clocks, layouts, rules.
//
// Clocks are arbitrary where safety rests on the durable horizon alone: a single node, or synchronous
// replication. They stay within the clock error where it rests on them: asynchronous failover, and
// point-in-time restore. A horizon that a stranger lowered needs them only if the server crashes before
// its own record is durable again; where clocks are wild it does not.
#pragma once

#include <cstdint>

#include "core/durable/horizon.hpp"
#include "core/layout/packing.hpp"
#include "random.hpp"

namespace idgen::sim {

enum class Replication { none, asynchronous, synchronous };

constexpr int max_packings = 2;
constexpr int max_sessions = 5;
constexpr std::int64_t start_ms = 1767225600000;  // 2026-01-01

struct Scenario {
    Replication replication;
    bool has_wild_clocks;
    bool has_strangers;
    bool has_lowering;  // a stranger may lower the horizon
    bool has_restores;
    bool may_borrow;
    HorizonRules rules;
    Layout layouts[max_packings];
    Packing packings[max_packings];
    int packing_count;
    std::uint32_t shard_count;  // of the pool
    int session_count;
    int slot_count;
    std::int64_t slot_idle_ms;
    std::int64_t unit_ms;  // of the first packing: the scale of everything
    std::int64_t events;
    std::int64_t disaster_interval;  // events between disasters, about
    std::int64_t time_interval;      // events between moves of time, about
};

// A layout so small that two IDs of the same instant soon meet.
inline Layout small_layout(Random &random, std::uint16_t unit_ms) noexcept {
    Layout layout{};
    layout.epoch_ms = start_ms - 1000 * random.between(0, 1000000) - random.between(0, 999);
    layout.unit_ms = unit_ms;
    layout.time_bits = 41;
    layout.shard_bits = static_cast<std::uint8_t>(random.between(1, 2));
    layout.sequence_bits = static_cast<std::uint8_t>(random.between(1, 3));
    if (random.one_in(3)) layout.flags |= Layout::sequence_above;
    if (random.one_in(4)) layout.flags |= Layout::sequence_from_1;
    return layout;
}

inline void choose_layouts(Scenario &s, Random &random) noexcept {
    constexpr std::uint16_t units[] = {1, 10, 1000};
    std::uint32_t smallest_pool = 4;
    s.packing_count = static_cast<int>(random.between(1, max_packings));
    for (int i = 0; i < s.packing_count; i++) {
        s.layouts[i] = small_layout(random, units[random.between(0, 2)]);
        s.packings[i] = packing_of(s.layouts[i]);
        std::uint32_t shards = s.packings[i].shard_last + 1;
        if (shards < smallest_pool) smallest_pool = shards;
    }
    s.unit_ms = s.packings[0].unit_ms;
    s.shard_count = static_cast<std::uint32_t>(random.between(1, smallest_pool));
}

inline Scenario scenario_of(Random &random) noexcept {
    Scenario s{};
    s.replication = static_cast<Replication>(random.between(0, 2));
    choose_layouts(s, random);
    s.rules.window_ms = s.unit_ms * random.between(1, 30);
    s.rules.max_lead_ms = s.unit_ms * random.between(0, 12);
    s.rules.clock_error_ms = s.unit_ms * random.between(0, 12);
    s.may_borrow = random.one_in(2);
    s.has_strangers = random.one_in(4);
    bool may_be_wild = s.replication != Replication::asynchronous;
    s.has_wild_clocks = may_be_wild && random.between(0, 3) != 0;
    s.has_lowering = s.has_strangers && (!s.has_wild_clocks || s.replication == Replication::none);
    s.has_restores = !s.has_wild_clocks && random.one_in(3);
    s.session_count = static_cast<int>(random.between(1, max_sessions));
    int slots = s.packing_count * static_cast<int>(s.shard_count);
    s.slot_count = random.one_in(2) || slots == 1 ? slots : static_cast<int>(random.between(1, slots / 2));
    s.slot_idle_ms = s.unit_ms * random.between(0, 2);
    s.events = random.between(1000, 5000);
    s.disaster_interval = random.between(20, 200);
    s.time_interval = random.between(3, 25);
    return s;
}

}  // namespace idgen::sim
