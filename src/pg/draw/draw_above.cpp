#include "pg/draw/draw_above.hpp"

#include "core/issue/placement.hpp"
#include "core/kinds/hlc.hpp"
#include "pg/draw/draw.hpp"
#include "pg/draw/keep.hpp"
#include "pg/host/clock.hpp"
#include "pg/report/report_draw.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

// The position of the ID that was observed. Raises where the layout cannot have made it.
DrawHistory observed_argument(const Source &source, int64 id, int64 now_ms) {
    DrawHistory observed;
    if (!position_of(source.packing, id, now_ms, observed)) report_observed_id(source.layout, id);
    return drawn_beyond(source.packing, observed, source.region_top | source.pool.largest());
}

// Raises where the clock would not admit the tick within the longest wait: before anything is drawn for it.
void require_reach(const Source &source, int64 id, const DrawHistory &observed, int64 now_ms) {
    int64 lead_ms = start_of(source.packing, observed.tick) - now_ms;
    if (!is_in_reach(lead_ms, draw_rules())) report_observed_ahead(source.layout, id, lead_ms, wait_limits());
}

// Takes one ID above what was observed. False where the horizon was lowered meanwhile, which made the draw
// forget it.
bool try_above(Source &source, const DrawHistory &observed, int64 &id) {
    if (source.session != nullptr) note_resets(*source.session, self.database->resets);
    // What was observed counts as drawn for this draw alone: in copies, because an error must leave no trace
    // of it.
    DrawSession session = source.session != nullptr ? *source.session : new_session();
    uint32 resets = session.resets;
    session.last = later_of(source.packing, session.last, observed);
    Source above = source;
    above.session = &session;
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

}  // namespace idgen::pg
