#include "pg/draw/draw.hpp"

#include "pg/draw/keep.hpp"
#include "pg/draw/take_or_wait.hpp"
#include "pg/draw/tally.hpp"
#include "pg/draw/why_ahead.hpp"
#include "pg/horizon/horizon.hpp"
#include "pg/host/clock.hpp"
#include "pg/report/instant.hpp"
#include "pg/report/report_arguments.hpp"
#include "pg/report/report_draw.hpp"
#include "pg/report/report_hlc.hpp"
#include "pg/state/clock_steps.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

// Draws of this backend so far; a block knows which one took it.
uint64 draw_number = 0;

// Finds the slot that the source draws from next, and the lease that caps it. False where there is no shard.
[[gnu::noinline, gnu::cold]] bool select_slot(Source &source, int64 now_ms) {
    if (source.pool.empty()) return false;
    uint32 shard = select_shard(source);
    source.lease = source.is_leased ? find_lease(self.state->leases, shard) : nullptr;
    source.slot = find_slot(self.state, self.database, source.layout, shard, now_ms);
    source.slot_tag = tag_of(self.state, source.slot);
    return true;
}

// One try at the shards that the session may use in this tick. Requires base >= 0.
inline Take try_shards(Source &source, const Limits &limits, int64 base, uint32 count) {
    Take taken;
    begin_try(source, base);
    do {
        if (unlikely(!is_selected(source)) && !select_slot(source, limits.now_ms))
            return {Take::Status::capped, 0, 0, base, 0};
    } while (unlikely(try_slot(source, limits, base, count, taken) == Answer::select));
    return taken;
}

[[noreturn]] void report_no_tick(const Source &source, int64 at_ms, TickReason reason) {
    if (source.carries) report_hlc_time(at_ms);
    report_instant(reason, source.layout, to_timestamptz(at_ms));
}

// A draw whose first try did not succeed: with the clock read anew each time.
struct PatientDraw {
    static constexpr Record record = Record::horizon;
    static constexpr bool has_ticks = true;

    Source &source;
    uint32 count;
    DrawRules rules;
    Limits limits = {};
    Take taken = {};

    Next try_once(const Wait &wait) {
        limits = limits_of(self.database->horizon, wall_ms(), rules);
        if (source.session != nullptr) note_resets(*source.session, self.database->resets);
        int64 base = base_of(source, limits);
        if (base < 0) report_no_tick(source, limits.now_ms, TickReason::before_epoch);
        taken = try_shards(source, limits, base, count);
        return next_step(taken, source.packing, limits, rules, waited_ms(wait));
    }

    Outcome renew() { return renew_horizon(tick_start_ms()); }

    // Sleeps until the clock admits the refused tick, or a while.
    void wait_for_tick(Next next, Wait &wait) {
        if (next == Next::keep) return wait_for_number(source, wait);
        if (next == Next::past_end) report_no_tick(source, tick_start_ms(), TickReason::past_end);
        if (taken.status == Take::Status::ahead)
            look_for_clock_step(self.state);
        else
            count_full(source);
        if (next != Next::wait) report_stopped(next, wait);
        sleep_for_tick(source, limits, taken, wait);
    }

   private:
    int64 tick_start_ms() const noexcept { return start_of(source.packing, taken.tick); }

    [[noreturn]] void report_stopped(Next next, const Wait &wait) const {
        Stopped stopped{&source.layout, source.shard, limits.now_ms, tick_start_ms(), waited_ms(wait)};
        if (!source.carries && next == Next::full) report_full(stopped);
        if (!source.carries && next == Next::borrowed) report_borrowed(stopped, wait_limits());
        report_if_clock_is_well(source, stopped, taken, wait);
        if (source.carries) report_hlc_behind(stopped.now_ms, stopped.tick_start_ms, stopped.waited_ms, wait_limits());
        report_clock_behind(stopped, wait_limits());
    }
};

Block draw_patiently(Source &source, uint32 count);

// Hands out what was taken: in one order with all else that this session draws.
inline Block hand_out(Source &source, const Limits &limits, const Take &taken) {
    require_postmaster();
    const Packing &p = source.packing;
    int64 start_ms = start_of(p, taken.tick);
    Grant grant = grant_for(self.database->horizon, start_ms, settings.horizon_window_ms);
    if (unlikely(grant == Grant::over)) return draw_patiently(source, taken.count);
    note_drawn(source, taken);
    Block block{first_id(source, taken), int64{1} << p.sequence_shift, taken.count, start_ms, ++draw_number};
    int64 last_id = block.first_id + block.step * (block.count - 1);
    count_taken(source, taken, last_id, block.start_ms > limits.now_ms);
    if (unlikely(grant == Grant::half_used)) renew_ahead(limits.now_ms, block.start_ms);
    return block;
}

// Draws by the way that waits.
[[gnu::noinline, gnu::cold]] Block draw_patiently(Source &source, uint32 count) {
    PatientDraw patient{source, count, rules_of(source, draw_rules())};
    take_or_wait(patient);
    return hand_out(source, patient.limits, patient.taken);
}

// Draws with one look at the clock where that succeeds, as it mostly does.
inline Block draw_at_once(Source &source, uint32 count) {
    DrawRules rules = rules_of(source, draw_rules());
    Limits limits = limits_of(self.database->horizon, recent_wall_ms(), rules);
    int64 base = base_of(source, limits);
    if (unlikely(base < 0)) return draw_patiently(source, count);
    Take taken = try_shards(source, limits, base, count);
    if (unlikely(taken.status != Take::Status::ok)) return draw_patiently(source, count);
    return hand_out(source, limits, taken);
}

}  // namespace

[[gnu::flatten]] int64 draw_id(Source &source) {
    return draw_at_once(source, 1).first_id;
}

Block draw(Source &source, uint32 count) {
    return draw_at_once(source, count);
}

bool is_fresh(const Block &block) noexcept {
    return block.count > 0 && block.draw_number == draw_number &&
           self.database->horizon.floor_ms.load() <= block.start_ms;
}

}  // namespace idgen::pg
