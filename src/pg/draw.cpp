#include "pg/draw.hpp"

#include "pg/clock.hpp"
#include "pg/horizon.hpp"
#include "pg/instant.hpp"
#include "pg/report.hpp"
#include "pg/settings.hpp"

namespace idgen::pg {
namespace {

// Draws of this backend so far; a block knows which one took it.
uint64 draw_number = 0;

// The only lock around a take: nothing in its scope can raise an error.
class SlotGuard {
   public:
    explicit SlotGuard(SharedSlot &slot) noexcept : slot_(slot) { SpinLockAcquire(&slot_.mutex); }
    ~SlotGuard() { SpinLockRelease(&slot_.mutex); }
    SlotGuard(const SlotGuard &) = delete;
    SlotGuard &operator=(const SlotGuard &) = delete;

   private:
    SharedSlot &slot_;
};

Limits read_limits(const Self &self) noexcept {
    Limits limits;
    limits.now_ms = wall_ms();
    limits.floor_ms = read_ms(self.database->floor_ms);
    limits.granted_ms = read_ms(self.database->granted_ms);
    limits.max_lead_ms = settings.max_lead_ms;
    limits.may_borrow = settings.overflow == static_cast<int>(Overflow::borrow);
    return limits;
}

// Makes the source's slot the one of `shard`, found anew where somebody else has it now.
void aim_at(const Self &self, Source &source, uint32 shard, int64 now_ms) {
    source.handle = find_slot(self.state, self.database, source.layout, shard, now_ms);
    source.shard = shard;
    self.backend->slot = static_cast<int32>(source.handle.slot - slots_of(self.state));
}

uint32 shard_at_cursor(const Source &source) noexcept {
    return source.region_top | source.pool.at(source.session->cursor.rank());
}

// Takes from the source's slot; false where the slot is somebody else's now.
bool take_locked(Source &source, const Limits &limits, int64 base, const Place &above, uint32 count,
                 Take &taken) noexcept {
    SharedSlot &slot = *source.handle.slot;
    SlotGuard guard(slot);
    if (slot.generation != source.handle.generation) return false;
    taken = take(slot.slot, source.packing, limits, base, source.shard, above, count);
    return true;
}

// One try at the shards that the session may use in this tick.
Take try_shards(const Self &self, Source &source, const Limits &limits, int64 base, uint32 count) {
    Session *session = source.session;
    bool is_pool = session != nullptr && source.pool.shard_count > 1;
    if (is_pool && base > session->last.tick) session->cursor.begin_tick();
    for (;;) {
        uint32 shard = is_pool ? shard_at_cursor(source) : source.region_top | source.pool.smallest();
        if (source.handle.slot == nullptr || shard != source.shard) aim_at(self, source, shard, limits.now_ms);
        Place above = session != nullptr ? lowest_above(source.packing, session->last, shard) : before_all;
        Take taken;
        if (!take_locked(source, limits, base, above, count, taken)) {
            source.handle.slot = nullptr;
            continue;
        }
        if (taken.status != Take::Status::full || !is_pool) return taken;
        // Within a tick a move must go upward, which makes the smallest larger ID only where the
        // shard lies above the sequence.
        bool may_move = source.packing.shard_above || session->last.tick < base;
        if (!may_move || !session->cursor.advance()) return taken;
    }
}

Stopped stopped_at(const Source &source, const Limits &limits, const Take &taken, int64 waited_ms) {
    return {&source.layout, source.shard, limits.now_ms, start_of(source.packing, taken.tick), waited_ms};
}

// Sleeps until the clock admits the refused tick, or a while; raises where that takes too long.
void wait_for_tick(const Source &source, const Limits &limits, const Take &taken, int64 &wait_began_ms) {
    int64 now_ms = monotonic_ms();
    if (wait_began_ms == 0) wait_began_ms = now_ms;
    int64 waited_ms = now_ms - wait_began_ms;
    Stopped stopped = stopped_at(source, limits, taken, waited_ms);
    bool is_full = taken.status == Take::Status::full;
    if (is_full && settings.overflow == static_cast<int>(Overflow::error)) report_full(stopped);
    if (waited_ms + taken.wait_ms > settings.max_wait_ms) {
        if (is_full && taken.wait_ms <= source.packing.unit_ms && waited_ms == 0) report_full(stopped);
        report_clock_behind(stopped);
    }
    int64 us = (limits.now_ms + taken.wait_ms) * 1000 - wall_us();
    if (us > 0) sleep_us(us);
}

[[noreturn]] void report_no_tick(const Source &source, const Limits &limits, Reason reason) {
    report_instant(reason, source.layout, to_timestamptz(limits.now_ms));
}

Block block_of(const Source &source, const Take &taken) noexcept {
    const Packing &p = source.packing;
    return {pack(p, taken.tick, source.shard, taken.sequence), int64{1} << p.sequence_shift, taken.count,
            start_of(p, taken.tick), draw_number + 1};
}

// Counts a draw in the backend's entry and remembers where the session stands.
void note_draw(const Self &self, const Source &source, const Take &taken, const Block &block) noexcept {
    draw_number++;
    if (source.session != nullptr)
        source.session->last = {taken.tick, source.shard, taken.sequence + taken.count - 1};
    pg_atomic_write_u64(&self.backend->ids, pg_atomic_read_u64(&self.backend->ids) + block.count);
    pg_atomic_write_u64(&self.backend->last_id,
                        static_cast<uint64>(block.first_id + block.step * (block.count - 1)));
}

}  // namespace

Block draw(Source &source, uint32 count) {
    const Self &self = this_backend();
    int64 wait_began_ms = 0;
    for (;;) {
        Limits limits = read_limits(self);
        int64 base = base_tick(source.packing, limits);
        if (base < 0) report_no_tick(source, limits, Reason::time_before_epoch);
        Take taken = try_shards(self, source, limits, base, count);
        switch (taken.status) {
            case Take::Status::ok: {
                Block block = block_of(source, taken);
                note_draw(self, source, taken, block);
                return block;
            }
            case Take::Status::past_end:
                report_no_tick(source, limits, Reason::time_past_end);
                break;
            case Take::Status::renew:
                renew_horizon(self.state, self.database, limits, start_of(source.packing, taken.tick));
                break;
            case Take::Status::full:
            case Take::Status::ahead:
                wait_for_tick(source, limits, taken, wait_began_ms);
                break;
        }
    }
}

bool is_fresh(const Block &block) {
    return block.count > 0 && block.draw_number == draw_number &&
           read_ms(this_backend().database->floor_ms) <= block.start_ms;
}

}  // namespace idgen::pg
