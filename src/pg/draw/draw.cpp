#include "pg/draw/draw.hpp"

#include "pg/draw/tally.hpp"
#include "pg/horizon/horizon.hpp"
#include "pg/host/clock.hpp"
#include "pg/report/instant.hpp"
#include "pg/report/report_arguments.hpp"
#include "pg/report/report_draw.hpp"
#include "pg/state/clock_steps.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/slot_guard.hpp"

namespace idgen::pg {
namespace {

// Draws of this backend so far; a block knows which one took it.
uint64 draw_number = 0;

// The session of a source that has more than one shard to draw from; else null.
inline Session *pool_session(const Source &source) noexcept {
    return source.is_pool ? source.session : nullptr;
}

// Finds the slot that the source draws from next.
void aim(Source &source, int64 now_ms) {
    if (Session *pool = pool_session(source)) source.rank = pool->cursor.rank();
    source.shard = source.region_top | source.pool.at(source.is_pool ? source.rank : 0);
    source.handle = find_slot(self.state, self.database, source.layout, source.shard, now_ms);
    source.place = place_of(self.state, source.handle);
}

// Takes from the source's slot; false where the slot is somebody else's now.
inline bool take_locked(Source &source, const Limits &limits, int64 base, const Place &above, uint32 count,
                        Take &taken) noexcept {
    SharedSlot &slot = *source.handle.slot;
    SlotGuard guard(slot);
    if (!guard.is_current(source.handle)) return false;
    taken = take(slot.slot, source.packing, limits, base, source.shard, above, count);
    return true;
}

// Moves up in the pool from a full shard. Within a tick that makes the smallest larger ID only where
// the shard lies above the sequence.
bool move_up(Source &source, int64 base) noexcept {
    Session *pool = pool_session(source);
    if (pool == nullptr) return false;
    bool may_move = source.packing.shard_above || pool->last.tick < base;
    return may_move && pool->cursor.advance();
}

// One try at the shards that the session may use in this tick. Requires base >= 0.
inline Take try_shards(Source &source, const Limits &limits, int64 base, uint32 count) {
    Session *session = source.session;
    Session *pool = pool_session(source);
    if (pool != nullptr && base > pool->last.tick) pool->cursor.begin_tick();
    for (;;) {
        bool is_aimed =
            source.handle.slot != nullptr && (pool == nullptr || source.rank == pool->cursor.rank());
        if (unlikely(!is_aimed)) aim(source, limits.now_ms);
        Place above =
            session == nullptr ? before_all : lowest_above(source.packing, session->last, source.shard);
        Take taken;
        if (unlikely(!take_locked(source, limits, base, above, count, taken)))
            source.handle.slot = nullptr;
        else if (taken.status != Take::Status::full || !move_up(source, base))
            return taken;
    }
}

// Sleeps until the clock admits the refused tick, or a while; raises where that takes too long.
void wait_for_tick(const Source &source, const Limits &limits, const Take &taken, Patience &patience) {
    int64 waited_ms = waited_since(patience.began_ms);
    Stopped stopped{&source.layout, source.shard, limits.now_ms, start_of(source.packing, taken.tick),
                    waited_ms};
    bool is_full = taken.status == Take::Status::full;
    if (is_full)
        count_full(source);
    else
        look_for_clock_step(self.state);
    if (is_full && settings.overflow == static_cast<int>(Overflow::error)) report_full(stopped);
    if (waited_ms + taken.wait_ms > settings.max_wait_ms) {
        // A tick this far ahead can be full without a wrong clock: it may have been borrowed.
        int64 lead_ms = stopped.tick_start_ms - stopped.now_ms;
        bool is_in_time = lead_ms <= settings.max_lead_ms + source.packing.unit_ms;
        if (is_full && is_in_time && waited_ms == 0) report_full(stopped);
        report_clock_behind(stopped, wait_limits());
    }
    sleep_for_tick(source, limits, taken, patience);
}

[[noreturn]] void report_no_tick(const Source &source, int64 at_ms, TickReason reason) {
    report_instant(reason, source.layout, to_timestamptz(at_ms));
}

// Does what a refused take asks for, so that the next may succeed; raises where nothing helps.
void yield_to(const Source &source, const Limits &limits, const Take &taken, Patience &patience) {
    switch (taken.status) {
        case Take::Status::ok:
            break;
        case Take::Status::past_end:
            report_no_tick(source, start_of(source.packing, taken.tick), TickReason::past_end);
        case Take::Status::renew:
            renew_or_wait(source.schema, start_of(source.packing, taken.tick), patience.began_ms);
            break;
        case Take::Status::full:
        case Take::Status::ahead:
            wait_for_tick(source, limits, taken, patience);
            break;
    }
}

// Takes where the first try did not succeed: with the clock read anew each time.
Take draw_patiently(Source &source, uint32 count) {
    Patience patience{};
    for (;;) {
        Limits limits = limits_at(wall_ms());
        if (source.session != nullptr) note_resets(*source.session);
        int64 base = base_tick(source.packing, limits);
        if (base < 0) report_no_tick(source, limits.now_ms, TickReason::before_epoch);
        Take taken = try_shards(source, limits, base, count);
        if (taken.status == Take::Status::ok) return taken;
        yield_to(source, limits, taken, patience);
    }
}

}  // namespace

Block draw(Source &source, uint32 count) {
    Limits limits = limits_at(recent_wall_ms());
    int64 base = base_tick(source.packing, limits);
    Take taken{};
    taken.status = Take::Status::full;
    if (likely(base >= 0)) taken = try_shards(source, limits, base, count);
    if (unlikely(taken.status != Take::Status::ok)) taken = draw_patiently(source, count);
    require_postmaster();

    const Packing &p = source.packing;
    draw_number++;
    if (source.session != nullptr)
        source.session->last = {taken.tick, source.shard, taken.sequence + taken.count - 1};
    Block block{pack(p, taken.tick, source.shard, taken.sequence), int64{1} << p.sequence_shift, taken.count,
                start_of(p, taken.tick), draw_number};
    count_taken(source, limits, taken, block.first_id + block.step * (block.count - 1));
    int64 granted_ms = self.database->horizon.granted_ms.load(std::memory_order_relaxed);
    if (unlikely(is_half_used(granted_ms, block.start_ms, settings.horizon_window_ms)))
        renew_ahead(source.schema, limits, block.start_ms);
    return block;
}

bool is_fresh(const Block &block) noexcept {
    return block.count > 0 && block.draw_number == draw_number &&
           self.database->horizon.floor_ms.load() <= block.start_ms;
}

}  // namespace idgen::pg
