// Counts what draws make, both IDs and timestamps of the hybrid logical clock. If a draw gets an ID ahead of the clock,
// and its slot was given to another shard meanwhile, it counts nothing. Every other draw counts only its IDs; those of
// the slot are counted by the take itself.
#pragma once

#include "pg/state/source.hpp"

namespace idgen::pg {

// The slot had no ID left in a tick. Logs it if that goes on for long; not for the clock, whose ticks carry.
void count_full(const Source &source);

// IDs of one tick that was ahead of the clock when the take read it. Counts those that still are.
void count_ahead(const Source &source, int64 tick, uint32 ids);

// Counts what this backend made, and where: a tag_of(), or no_slot_tag.
inline void count_made(uint32 ids, int64 last_id, uint64 slot_tag) noexcept {
    SharedBackend &backend = *self.backend;
    pg_atomic_write_u64(&backend.ids, pg_atomic_read_u64(&backend.ids) + ids);
    pg_atomic_write_u64(&backend.last_id, static_cast<uint64>(last_id));
    pg_atomic_write_u64(&backend.slot_tag, slot_tag);
}

// Counts what a draw took from its slot, in a tick that was ahead of the clock or not.
inline void count_taken(const Source &source, const Take &taken, int64 last_id, bool is_ahead) {
    count_made(taken.count, last_id, source.slot_tag);
    if (unlikely(is_ahead)) count_ahead(source, taken.tick, taken.count);
}

// Sets back what was counted for this session's database.
void reset_tallies(SharedState *state) noexcept;

}  // namespace idgen::pg
