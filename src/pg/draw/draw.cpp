#include "pg/draw/draw.hpp"

#include "pg/draw/refusals.hpp"
#include "pg/horizon/renew.hpp"
#include "pg/host/machine.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

// Draws of this backend so far; a block knows which one took it.
uint64 draw_number = 0;

// Finds the slot that the source draws from next, and the lease that caps it. False if there is no shard.
[[gnu::noinline, gnu::cold]] bool find_next_slot(Source &source, int64 now_ms) {
    if (source.pool.empty()) return false;
    uint32 shard = select_shard(source);
    source.held = source.is_leased ? find_lease(*self.leases, shard) : nullptr;
    source.slot = find_slot(self.state, self.database, source.layout, shard, now_ms);
    source.slot_tag = tag_of(self.state, source.slot);
    return true;
}

[[gnu::noinline, gnu::cold]] int64 announce_in_process(const Source &source, int64 base) {
    return own_transaction.announce(self.database->horizon, MyDatabaseId, source.packing, base, NoPause{});
}

// The server, as a draw of this session sees it (core/draw/draw_order.hpp).
struct DrawHost : RecordWaits<Record::horizon> {
    static const Horizon &horizon() noexcept { return self.database->horizon; }
    static uint32 resets() noexcept { return self.database->resets; }
    static int64 window_ms() noexcept { return settings.window_ms; }
    static int64 watched_ms() noexcept { return settings.watched_ms; }
    static int64 recent_us() noexcept { return recent_wall_us(); }
    static int64 now_us() noexcept { return wall_us(); }
    static bool is_announced(int64 start_ms) noexcept { return own_transaction.is_announced(start_ms); }
    static int64 announce(const Source &source, int64 base) { return announce_in_process(source, base); }
    static bool select_slot(Source &source, int64 now_ms) { return find_next_slot(source, now_ms); }
    static void note_try(const Source &, const Limits &, const Tick &, const Take &) noexcept {}
    static void note_drawn(const Source &source, const Limits &, const Take &taken, const Drawn &drawn) {
        draw_number++;
        int64 last_id = drawn.first_id + drawn.step * (drawn.count - 1);
        count_taken(source, taken, last_id, taken.wait_us > 0);
    }
    static void renew_ahead(int64 now_ms, int64 start_ms) { pg::renew_ahead(now_ms, start_ms); }
    static Outcome renew(int64 start_ms) { return renew_horizon(start_ms); }
    static bool wait_for_tick(const Source &source, const Limits &limits, const Take &taken, Wait &wait) {
        note_stopped(source, taken);
        pg::wait_for_tick(source, limits, taken, wait);
        return true;
    }
    static bool wait_for_number(Source &source, Wait &wait) {
        pg::wait_for_number(source, wait);
        return true;
    }
    [[noreturn]] static void refuse(Next next, const Source &source, const Limits &limits, const Take &taken,
                                    const Wait &wait) {
        // At the ends of a layout neither the clock nor the shard stopped the draw.
        if (next != Next::before_epoch && next != Next::past_end) note_stopped(source, taken);
        refuse_draw(source, next, limits, taken, wait);
    }
    static void pause() noexcept {}
    static DrawSession new_session() noexcept { return pg::new_session(); }
    // The copy may find another pool, in the room that both have.
    static void mark_stale(Source &source) noexcept { source.settings_generation = 0; }

   private:
    static void note_stopped(const Source &source, const Take &taken) {
        if (taken.status == Take::Status::ahead)
            watched_clock(self.state);
        else
            count_full(source);
    }
};

template <bool is_read_by>
inline Block draw_block(Source &source, uint32 count) {
    DrawHost host;
    uint32 resets = DrawHost::resets();
    Drawn drawn = idgen::draw<is_read_by>(host, source, count);
    return {drawn, draw_number, source.machine, resets};
}

// The position of the ID that was observed. Raises if the layout cannot have made it.
DrawHistory observed_argument(const Source &source, int64 id, int64 now_us) {
    DrawHistory observed;
    if (!position_of(source.packing, id, now_us, observed))
        ereport(
            ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("%lld is not an ID of layout \"%s\"", static_cast<long long>(id), LayoutName(source.layout).text),
            errdetail("The layout cannot have made it."), errhint("%s", right_layout_hint));
    return drawn_beyond(source.packing, observed, source.region_top | source.pool.largest());
}

// Raises if the clock would not admit the tick within the longest wait: before anything is drawn for it.
void require_reach(const Source &source, int64 id, const DrawHistory &observed, int64 now_us) {
    int64 lead_us = start_of(source.packing, observed.tick) - now_us;
    if (is_in_reach(lead_us, draw_rules())) return;
    ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("an ID above %lld would be %s ahead of the clock", static_cast<long long>(id),
                   duration_text((lead_us + 999) / 1000)),
            errdetail("In layout \"%s\"; idgen.max_lead is %s, idgen.max_wait is %s.", LayoutName(source.layout).text,
                      duration_text(settings.max_lead_ms), duration_text(settings.max_wait_ms)),
            errhint("Correct the clock that is wrong, or give the layout that the ID was made with."));
}

struct GeneratorHost : RecordWaits<Record::generator> {
    static Outcome renew_generator() { return pg::renew_generator(); }
};

}  // namespace

[[gnu::flatten]] int64 draw_id(Source &source) {
    return draw_block<true>(source, 1).first_id;
}
[[gnu::flatten]] int64 draw_timestamp(Source &source) {
    return draw_block<false>(source, 1).first_id;
}

Block draw(Source &source, uint32 count) {
    return source.carries ? draw_block<false>(source, count) : draw_block<true>(source, count);
}

bool next_of(Block &block, int64 &id) {
    bool is_fresh = block.count > 0 && block.draw_number == draw_number && block.resets == DrawHost::resets() &&
                    self.database->horizon.floor_ms.load() <= block.start_ms;
    if (unlikely(!is_fresh || (is_watched() && block.machine != machine()))) return false;
    mark_own_transaction(block.machine);
    id = block.first_id;
    block.first_id += block.step;
    block.count--;
    return true;
}

int64 draw_above_id(Source &source, int64 id) {
    DrawHost host;
    Wait wait{};
    while (source.pool.empty()) wait_for_number(source, wait);
    Drawn drawn{};
    for (bool was_lowered = true; was_lowered;) {
        int64 now_us = wall_us();
        DrawHistory observed = observed_argument(source, id, now_us);
        require_reach(source, id, observed, now_us);
        drawn = draw_above<true>(host, source, observed, was_lowered);
    }
    return drawn.first_id;
}

int64 draw_timestamp_above(Source &source, const DrawHistory &observed) {
    DrawHost host;
    Drawn drawn{};
    for (bool was_lowered = true; was_lowered;) drawn = draw_above<false>(host, source, observed, was_lowered);
    return drawn.first_id;
}

GeneratorCount draw_generator_count() {
    attach_backend();
    GeneratorHost host;
    GeneratorCount taken{};
    draw_count(host, self.database->generators, taken);
    return taken;
}

}  // namespace idgen::pg
