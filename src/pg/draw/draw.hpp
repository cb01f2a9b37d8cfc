// Draws IDs from a source: takes from a slot, moves through the pool, waits where it must. Timestamps of the
// hybrid logical clock are IDs of its slot.
#pragma once

#include "pg/state/source.hpp"

namespace idgen::pg {

// IDs of consecutive sequences in one tick of one shard.
struct Block {
    int64 first_id;
    int64 step;  // from one ID to the next
    uint32 count;
    int64 start_ms;      // of their tick
    uint64 draw_number;  // which draw of this backend took them
};

// Takes 1 to `count` IDs. Requires a resolved source. Waits, asleep, and raises as settings say.
Block draw(Source &source, uint32 count);

// Takes one ID.
int64 draw_id(Source &source);

// Whether the IDs left in a block may still be handed out: this backend drew nothing since, so none
// of its IDs is larger, and no floor was raised above them.
bool is_fresh(const Block &block) noexcept;

}  // namespace idgen::pg
