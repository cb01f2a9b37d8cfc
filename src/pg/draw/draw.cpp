#include "pg/draw/draw.hpp"

#include "core/issue/draw_steps.hpp"
#include "core/issue/placement.hpp"
#include "core/issue/settled.hpp"
#include "core/kinds/decimal_id.hpp"
#include "core/kinds/hlc.hpp"
#include "core/layout/packing.hpp"
#include "pg/draw/keep.hpp"
#include "pg/draw/tally.hpp"
#include "pg/draw/wait.hpp"
#include "pg/horizon/renew.hpp"
#include "pg/host/clock.hpp"
#include "pg/report/instant.hpp"
#include "pg/report/report_arguments.hpp"
#include "pg/report/words.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {

namespace {

// The loop of all that is drawn: try, and if that did not succeed, do what the core says: renew a record, or wait asleep, or
// raise; then try again.
// `Drawing` has a `record` to renew and
//   Next try_once(const Wait &)         one try; what follows from it
//   Outcome renew()                     one try to renew the record
//   void wait_for_tick(Next, Wait &)    for all else, if it draws from ticks: sleeps, or raises
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

// Draws of this backend so far; a block knows which one took it.
uint64 draw_number = 0;

// Finds the slot that the source draws from next, and the lease that caps it. False if there is no shard.
[[gnu::noinline, gnu::cold]] bool select_slot(Source &source, int64 now_ms) {
    if (source.pool.empty()) return false;
    uint32 shard = select_shard(source);
    source.lease = source.is_leased ? find_lease(self.state->leases, shard) : nullptr;
    source.slot = find_slot(self.state, self.database, source.layout, shard, now_ms);
    source.slot_tag = tag_of(self.state, source.slot);
    return true;
}

// Announces the draw of an ID that would begin at `base` to readers by ID, and gives the tick at which it may.
[[gnu::noinline, gnu::cold]] int64 announce_base(const Source &source, int64 base) {
    LocalTransaction transaction{self.announcing_pid, *self.transaction};
    return announce(*self.announcement, self.announced, self.database->horizon, MyDatabaseId, transaction,
                    source.packing, base, NoPause{});
}
inline int64 announced_base(const Source &source, int64 base) {
    bool is_covered = is_announced(self.announced, *self.transaction, start_of(source.packing, base));
    return likely(is_covered) ? base : announce_base(source, base);
}

// One try at the shards that the session may use in this tick. Requires base >= 0.
inline Take try_shards(Source &source, const Limits &limits, int64 base, uint32 count) {
    Take taken;
    begin_try(source, base);
    do {
        if (unlikely(!is_selected(source)) && !select_slot(source, limits.now_ms))
            return {Take::Status::capped, 0, 0, base, 0};
    } while (unlikely(!try_slot(source, limits, base, count, taken)));
    return taken;
}

[[noreturn]] void report_no_tick(const Source &source, int64 at_ms, TickReason reason) {
    if (source.carries) report_hlc_time(at_ms);
    report_instant(reason, source.layout, to_timestamptz(at_ms));
}

[[noreturn]] void report_borrowed(const Stopped &s, const WaitLimits &limits) {
    ereport(
        ERROR, errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
        errmsg("other sessions have borrowed the IDs of shard %u up to %s ahead of the clock", s.shard,
               duration_text(s.tick_start_ms - s.now_ms)),
        errdetail(
            "They set idgen.overflow to borrow, or call next_id_after() with IDs ahead of the clock, which any role may do; waited for %s; idgen.max_lead is %s, idgen.max_wait is %s.",
            duration_text(s.waited_ms), duration_text(limits.max_lead_ms), duration_text(limits.max_wait_ms)),
        errhint(
            "Increase idgen.max_wait, give this node more shards, or have the other sessions set idgen.overflow to wait and pass no such IDs."));
}

[[noreturn]] void report_clock_behind(const Stopped &s, const WaitLimits &limits) {
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        errmsg("the clock is %s behind the next ID of shard %u", duration_text(s.tick_start_ms - s.now_ms), s.shard),
        errdetail(
            "The clock says %s, the next ID would say %s; waited for %s; idgen.max_lead is %s, idgen.max_wait is %s.",
            instant_text(s.now_ms), instant_text(s.tick_start_ms), duration_text(s.waited_ms),
            duration_text(limits.max_lead_ms), duration_text(limits.max_wait_ms)),
        errhint("%s", behind_hint));
}

[[noreturn]] void report_observed_ahead(const Layout &layout, int64 id, int64 lead_ms, const WaitLimits &limits) {
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        errmsg("an ID above %lld would be %s ahead of the clock", static_cast<long long>(id), duration_text(lead_ms)),
        errdetail("In layout \"%s\"; idgen.max_lead is %s, idgen.max_wait is %s.", LayoutName(layout).text,
                  duration_text(limits.max_lead_ms), duration_text(limits.max_wait_ms)),
        errhint("Correct the clock that is wrong, or give the layout that the ID was made with."));
}

[[noreturn]] void report_hlc_behind(int64 now_ms, int64 hlc_ms, int64 waited_ms, const WaitLimits &limits) {
    ereport(
        ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
        errmsg("the clock is %s behind the next HLC timestamp", duration_text(hlc_ms - now_ms)),
        errdetail(
            "The clock says %s, the timestamp would say %s; waited for %s; idgen.max_lead is %s, idgen.max_wait is %s.",
            instant_text(now_ms), instant_text(hlc_ms), duration_text(waited_ms), duration_text(limits.max_lead_ms),
            duration_text(limits.max_wait_ms)),
        errhint("%s", behind_hint));
}

// A draw whose first try did not succeed: with the clock read again each time.
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
        if (!source.carries) base = announced_base(source, base);
        taken = try_shards(source, limits, base, count);
        return next_step(taken, source.packing, limits, rules, waited_ms(wait));
    }

    Outcome renew() { return renew_horizon(tick_start_ms()); }

    // Sleeps until the clock admits the refused tick, or a while.
    void wait_for_tick(Next next, Wait &wait) {
        if (next == Next::keep) return wait_for_number(source, wait);
        if (next == Next::past_end) report_no_tick(source, tick_start_ms(), TickReason::past_end);
        if (taken.status == Take::Status::ahead)
            watched_clock(self.state);
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
    Grant grant = grant_for(self.database->horizon, taken.start_ms, settings.horizon_window_ms);
    if (unlikely(grant == Grant::over)) return draw_patiently(source, taken.count);
    note_drawn(source, taken);
    Block block{first_id(source, taken), int64{1} << p.sequence_shift, taken.count, taken.start_ms, ++draw_number};
    int64 last_id = block.first_id + block.step * (block.count - 1);
    count_taken(source, taken, last_id, block.start_ms > limits.now_ms);
    if (unlikely(grant == Grant::half_used)) renew_ahead(limits.now_ms, block.start_ms);
    return block;
}

// Draws by the path that waits.
[[gnu::noinline, gnu::cold]] Block draw_patiently(Source &source, uint32 count) {
    PatientDraw patient{source, count, rules_of(source, draw_rules())};
    take_or_wait(patient);
    return hand_out(source, patient.limits, patient.taken);
}

// Draws with one look at the clock if that succeeds, as it mostly does. Timestamps of the hybrid logical clock are not
// read by, so they are not announced.
template <bool is_read_by>
inline Block draw_at_once(Source &source, uint32 count) {
    Assert(source.packing.unit_ms > 0 && count > 0);
    DrawRules rules = rules_of(source, draw_rules());
    Limits limits = limits_of(self.database->horizon, recent_wall_ms(), rules);
    int64 base = base_of(source, limits);
    if (unlikely(base < 0)) return draw_patiently(source, count);
    if constexpr (is_read_by) base = announced_base(source, base);
    Take taken = try_shards(source, limits, base, count);
    if (unlikely(taken.status != Take::Status::ok)) return draw_patiently(source, count);
    return hand_out(source, limits, taken);
}

}  // namespace

[[gnu::flatten]] int64 draw_id(Source &source) {
    return draw_at_once<true>(source, 1).first_id;
}
[[gnu::flatten]] int64 draw_timestamp(Source &source) {
    return draw_at_once<false>(source, 1).first_id;
}

Block draw(Source &source, uint32 count) {
    return source.carries ? draw_at_once<false>(source, count) : draw_at_once<true>(source, count);
}

bool is_fresh(const Block &block) noexcept {
    return block.count > 0 && block.draw_number == draw_number &&
           self.database->horizon.floor_ms.load() <= block.start_ms;
}

namespace {

// The position of the ID that was observed. Raises if the layout cannot have made it.
DrawHistory observed_argument(const Source &source, int64 id, int64 now_ms) {
    DrawHistory observed;
    if (!position_of(source.packing, id, now_ms, observed))
        ereport(
            ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("%lld is not an ID of layout \"%s\"", static_cast<long long>(id), LayoutName(source.layout).text),
            errdetail("The layout cannot have made it."), errhint("%s", right_layout_hint));
    return drawn_beyond(source.packing, observed, source.region_top | source.pool.largest());
}

// Raises if the clock would not admit the tick within the longest wait: before anything is drawn for it.
void require_reach(const Source &source, int64 id, const DrawHistory &observed, int64 now_ms) {
    int64 lead_ms = start_of(source.packing, observed.tick) - now_ms;
    if (!is_in_reach(lead_ms, draw_rules())) report_observed_ahead(source.layout, id, lead_ms, wait_limits());
}

// Takes one ID above what was observed. False if the horizon was lowered meanwhile, which made the draw forget it.
bool try_above(Source &source, const DrawHistory &observed, int64 &id) {
    if (source.session != nullptr) note_resets(*source.session, self.database->resets);
    // What was observed counts as drawn only for this draw: in copies, because an error must leave no trace of it.
    DrawSession session = source.session != nullptr ? *source.session : new_session();
    uint32 resets = session.resets;
    session.last = later_of(source.packing, session.last, observed);
    Source above = source;
    above.session = &session;
    // The copy may find another pool, in the room that both have: if an error loses the copy, the source is resolved
    // again.
    source.settings_generation = 0;
    id = draw(above, 1).first_id;
    if (source.session != nullptr) *source.session = session;
    above.session = source.session;
    source = above;
    return session.resets == resets;
}

}  // namespace

int64 draw_above_id(Source &source, int64 id) {
    Wait wait{};
    while (source.pool.empty()) wait_for_number(source, wait);
    for (int64 drawn;;) {
        int64 now_ms = wall_ms();
        DrawHistory observed = observed_argument(source, id, now_ms);
        require_reach(source, id, observed, now_ms);
        if (try_above(source, observed, drawn)) return drawn;
    }
}

int64 draw_above_hlc(Source &source, int64 remote) {
    for (int64 drawn;;)
        if (try_above(source, observed_hlc(remote), drawn)) return drawn;
}

namespace {

struct DecimalDraw {
    static constexpr Record record = Record::generator;
    static constexpr bool has_ticks = false;

    GeneratorCount taken = {};

    Next try_once(const Wait &) noexcept {
        return self.database->generators.counter.take(taken) ? Next::issue : Next::renew;
    }
    Outcome renew() { return renew_generator(); }
};

}  // namespace

int64 draw_decimal() {
    attach_backend();
    DecimalDraw drawing;
    take_or_wait(drawing);
    require_postmaster();
    auto launch = static_cast<uint32>(settings.decimal_launch);
    int64 id = pack_decimal({drawing.taken.counter, drawing.taken.generator, launch});
    count_made(1, id, no_slot_tag);
    return id;
}

}  // namespace idgen::pg
