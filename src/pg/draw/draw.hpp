// Draws IDs from a source: takes from a slot, moves through the pool, waits if it must. Timestamps of the hybrid
// logical clock are IDs of its slot; DecimalIds come from a counter, by the same loop.
#pragma once

#include "core/draw/draw_order.hpp"
#include "pg/state/source.hpp"

namespace idgen::pg {

struct Block : Drawn {
    uint64 draw_number;  // which draw of this backend took them
    uint64 machine;      // in which machine: a copy of it has them, too
    uint32 resets;       // how often the horizon had been lowered
};

// Takes 1 to `count` IDs. Requires a resolved source. Waits, asleep, and raises as settings say.
Block draw(Source &source, uint32 count);

// Takes one ID.
int64 draw_id(Source &source);

// Takes one timestamp of the hybrid logical clock.
int64 draw_timestamp(Source &source);

// Hands out the next ID of a block; false if there is none, or it may not be handed out any more: this backend drew
// something since, so one of its IDs is larger, a floor was raised above it or reset, or the machine was copied.
bool next_of(Block &block, int64 &id);

// Takes one ID that is larger than `id` and than what the session drew. Requires a resolved source. Waits, asleep, and
// raises as settings say; at once if `id` lies further ahead of the clock than they would ever allow.
int64 draw_above_id(Source &source, int64 id);

// Takes the timestamp of an event that has observed another: larger than that.
int64 draw_timestamp_above(Source &source, const DrawHistory &observed);

// Takes what a DecimalId is made of: a counter of the database from shared memory, and if there is none, a generator
// first. No lock is held while anything is waited for. Waits, asleep, and raises as settings say; raises if no generator
// is left. The caller counts the ID.
GeneratorCount draw_generator_count();

}  // namespace idgen::pg
