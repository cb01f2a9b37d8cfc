#include "pg/draw/hlc_draw.hpp"

#include "pg/draw/tally.hpp"
#include "pg/horizon/horizon.hpp"
#include "pg/host/clock.hpp"
#include "pg/report/report_hlc.hpp"
#include "pg/state/clock_steps.hpp"
#include "pg/state/slot_guard.hpp"

namespace idgen::pg {
namespace {

// Takes from the clock's slot; false where the slot is somebody else's now.
bool take_locked(const SlotHandle &handle, const Limits &limits, const Place &above, Take &taken) noexcept {
    SlotGuard guard(*handle.slot);
    if (!guard.is_current(handle)) return false;
    taken = take_hlc(handle.slot->slot, limits, above);
    return true;
}

Take try_take(Source &source, const Limits &limits, const Place &above) {
    for (;;) {
        if (source.handle.slot == nullptr) {
            source.handle = find_slot(self.state, self.database, hlc_layout, hlc_shard, limits.now_ms);
            source.place = place_of(self.state, source.handle);
        }
        Take taken;
        if (take_locked(source.handle, limits, above, taken)) return taken;
        source.handle.slot = nullptr;
    }
}

// Sleeps until the clock admits the refused ms, or a while; raises where that takes too long.
void wait_for_ms(const Source &source, const Limits &limits, const Take &taken, Patience &patience) {
    int64 waited_ms = waited_since(patience.began_ms);
    if (taken.status == Take::Status::ahead) look_for_clock_step(self.state);
    if (waited_ms + taken.wait_ms > settings.max_wait_ms)
        report_hlc_behind(limits.now_ms, taken.tick, waited_ms, wait_limits());
    sleep_for_tick(source, limits, taken, patience);
}

}  // namespace

void resolve_hlc(Source &source, FunctionCallInfo fcinfo) {
    if (source.schema != InvalidOid) return;
    attach_backend();
    source.layout = hlc_layout;
    source.packing = hlc_packing;
    source.shard = hlc_shard;
    source.schema = get_func_namespace(fcinfo->flinfo->fn_oid);
}

int64 draw_hlc(Source &source, const Place &above) {
    Limits limits = limits_at(recent_wall_ms());
    Take taken = try_take(source, limits, above);
    Patience patience{};
    while (taken.status != Take::Status::ok) {
        if (taken.status == Take::Status::past_end) report_hlc_time(taken.tick);
        if (taken.status == Take::Status::renew)
            renew_or_wait(source.schema, taken.tick, patience.began_ms);
        else
            wait_for_ms(source, limits, taken, patience);
        limits = limits_at(wall_ms());
        taken = try_take(source, limits, above);
    }
    require_postmaster();
    int64 hlc = pack_hlc({taken.tick, taken.sequence});
    count_taken(source, limits, taken, hlc);
    if (is_half_used(limits.granted_ms, taken.tick, settings.horizon_window_ms))
        renew_ahead(source.schema, limits, taken.tick);
    return hlc;
}

}  // namespace idgen::pg
