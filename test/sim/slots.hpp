// Who owns which slot of a node, as the server's slot directory decides it. Each function is one
// step: the server holds the directory's lock for as long.
#pragma once

#include "node.hpp"
#include "scenario.hpp"
#include "weakness.hpp"

namespace idgen::sim {

inline SlotHandle find_slot(const Node &node, int packing, std::uint32_t shard) noexcept {
    for (int i = 0; i < max_slots; i++) {
        const SharedSlot &slot = node.slots[i];
        if (slot.is_used && slot.packing == packing && slot.shard == shard) return {i, slot.generation};
    }
    return {};
}

// Frees an idle slot and raises the floor to the end of its last tick. -1 where none is idle.
inline int free_idle_slot(Node &node, const Scenario &scenario, std::int64_t now_ms,
                          Weakness weakness) noexcept {
    for (int i = 0; i < scenario.slot_count; i++) {
        int number = node.hand;
        node.hand = (node.hand + 1) % scenario.slot_count;
        SharedSlot &slot = node.slots[number];
        std::int64_t end_ms = start_of(scenario.packings[slot.packing], slot.slot.tick + 1);
        if (!slot.is_used || end_ms > now_ms - scenario.slot_idle_ms) continue;
        slot.generation++;
        slot.is_used = false;
        if (weakness != Weakness::retired_unraised) raise(node.horizon.floor_ms, end_ms);
        return number;
    }
    return -1;
}

// Finds the slot of a shard, or gives out a free or idle one. Number -1 where all are in use.
inline SlotHandle obtain_slot(Node &node, const Scenario &scenario, int packing, std::uint32_t shard,
                              std::int64_t now_ms, Weakness weakness) noexcept {
    SlotHandle found = find_slot(node, packing, shard);
    if (found.number >= 0) return found;
    int number = 0;
    while (number < scenario.slot_count && node.slots[number].is_used) number++;
    if (number == scenario.slot_count) number = free_idle_slot(node, scenario, now_ms, weakness);
    if (number < 0) return {};
    const Packing &p = scenario.packings[packing];
    SharedSlot &slot = node.slots[number];
    slot.slot = new_slot(p, node.horizon.floor_ms);
    slot.packing = packing;
    slot.shard = shard;
    slot.is_used = true;
    return {number, slot.generation};
}

// Moves every slot up to an instant. One that stands in the tick before keeps nothing of that tick: a
// session that read the floor earlier could still draw there.
inline void place_slots(Node &node, const Scenario &scenario, std::int64_t at_ms,
                        Weakness weakness) noexcept {
    bool keeps_tick = weakness == Weakness::advanced_tick_kept;
    for (SharedSlot &slot : node.slots) {
        if (!slot.is_used) continue;
        Slot placed = new_slot(scenario.packings[slot.packing], at_ms);
        if (slot.slot.tick < placed.tick + (keeps_tick ? 0 : 1)) slot.slot = placed;
    }
}

}  // namespace idgen::sim
