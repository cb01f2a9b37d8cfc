// The loop of all that is drawn: try, and where that did not succeed, do what the core says: renew a record,
// or wait asleep, or raise; then try again. Of IDs and timestamps (draw_steps.cpp) and of counters
// (draw.cpp).
#pragma once

#include "pg/postgres.hpp"

#include "core/issue/draw_steps.hpp"
#include "pg/draw/wait.hpp"
#include "pg/state/source.hpp"

namespace idgen::pg {

// `Drawing` has a `record` to renew and
//   Next try_once(const Wait &)         one try; what follows from it
//   Outcome renew()                     one try to renew the record
//   void wait_for_tick(Next, Wait &)    for all else, where it draws from ticks: sleeps, or raises
template <class Drawing>
void take_or_wait(Drawing &drawing) {
    Wait wait{};
    for (Next next; (next = drawing.try_once(wait)) != Next::issue;) {
        if (next == Next::renew)
            wait_for_renewal(drawing.renew(), Drawing::record, wait);
        else if constexpr (Drawing::has_ticks)
            drawing.wait_for_tick(next, wait);
    }
}

// Draws IDs from a source: takes from a slot, moves through the pool, waits where it must. Timestamps of the
// hybrid logical clock are IDs of its slot.

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

// Draws an ID, or a timestamp, above one that was observed elsewhere.

// Takes one ID that is larger than `id` and than what the session drew. Requires a resolved source. Waits,
// asleep, and raises as settings say; at once where `id` lies further ahead of the clock than they would ever
// allow.
int64 draw_above_id(Source &source, int64 id);

// Takes the timestamp of an event that has observed another: larger than `remote`.
int64 draw_above_hlc(Source &source, int64 remote);

// Takes DecimalIds (core/kinds/decimal_id.hpp): a counter of the database from shared memory, and where there
// is none, a generator first. No lock is held while anything is waited for.

// Takes one ID. Waits, asleep, and raises as settings say; raises where no generator is left.
int64 draw_decimal();

}  // namespace idgen::pg
