#include "pg/draw/draw_after.hpp"

#include "core/issue/seen_id.hpp"
#include "pg/draw/draw.hpp"
#include "pg/host/clock.hpp"
#include "pg/report/report_draw.hpp"

namespace idgen::pg {
namespace {

// The place of the ID that was seen. Raises where the layout cannot have made it.
LastDraw seen_argument(const Source &source, int64 id, int64 now_ms) {
    LastDraw seen;
    if (!place_of(source.packing, id, now_ms, seen)) report_seen_id(source.layout, id);
    return drawn_beyond(source.packing, seen, source.region_top | source.pool.largest());
}

// Raises where the clock would not admit the tick within the longest wait: before anything is drawn for it.
void require_reach(const Source &source, int64 id, const LastDraw &seen, int64 now_ms) {
    int64 lead_ms = start_of(source.packing, seen.tick) - now_ms;
    if (lead_ms - settings.max_lead_ms > settings.max_wait_ms)
        report_seen_ahead(source.layout, id, lead_ms, wait_limits());
}

// The session of an explicit shard: it has drawn nothing.
Session new_session() noexcept {
    Session session{};
    session.cursor.aim(0, 1);
    session.resets = pg_atomic_read_u32(&self.database->resets);
    return session;
}

}  // namespace

int64 draw_after(Source &source, int64 id) {
    for (;;) {
        int64 now_ms = wall_ms();
        LastDraw seen = seen_argument(source, id, now_ms);
        require_reach(source, id, seen, now_ms);
        if (source.session != nullptr) note_resets(*source.session);
        // What was seen is drawn already, for this draw: in copies, because an error must leave no trace of
        // it.
        Session session = source.session != nullptr ? *source.session : new_session();
        uint32 resets = session.resets;
        session.last = later_of(source.packing, session.last, seen);
        Source above = source;
        above.session = &session;
        Block block = draw(above, 1);
        if (source.session != nullptr) *source.session = session;
        source.handle = above.handle;
        source.shard = above.shard;
        source.rank = above.rank;
        // A horizon that was lowered meanwhile made the draw forget what was seen.
        if (session.resets == resets) return block.first_id;
    }
}

}  // namespace idgen::pg
