// Draws IDs from a source: takes from a slot, moves through the pool, waits where it must.
#pragma once

#include "pg/horizon.hpp"
#include "pg/settings.hpp"
#include "pg/source.hpp"

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

// Whether the IDs left in a block may still be handed out: this backend drew nothing since, so none
// of its IDs is larger, and no floor was raised above them.
bool is_fresh(const Block &block) noexcept;

// What every kind that rests on the horizon shares. Requires an attached backend.

inline Limits limits_at(int64 now_ms) noexcept {
    // The grant first: it rises after the floor that it rests on.
    int64 granted_ms = self.database->horizon.granted_ms.load(std::memory_order_acquire);
    int64 floor_ms = self.database->horizon.floor_ms.load(std::memory_order_acquire);
    return {now_ms, floor_ms, granted_ms, settings.max_lead_ms,
            settings.overflow == static_cast<int>(Overflow::borrow)};
}

// Has a window granted beyond the refused tick, or waits a while for whoever or whatever it needs; raises
// where that takes too long. `wait_began_ms` is 0 before the first wait of a draw.
void renew_or_wait(const Source &source, const Limits &limits, const Take &taken, int64 &wait_began_ms);

// Renews ahead of need, so that other sessions need not stop; tried once a millisecond.
inline void renew_ahead(const Source &source, const Limits &limits, int64 start_ms) {
    static int64 last_try_ms = 0;
    if (limits.now_ms == last_try_ms) return;
    last_try_ms = limits.now_ms;
    renew_horizon(source.schema, limits, start_ms);
}

}  // namespace idgen::pg
