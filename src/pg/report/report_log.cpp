#include "pg/report/report_log.hpp"

#include "core/layout/packing.hpp"
#include "pg/report/hints.hpp"
#include "pg/report/message_text.hpp"

namespace idgen::pg {
namespace {

void log_clock_back(int64 by_ms, int64 max_lead_ms, Location at) {
    ereport_at(at, LOG,
               (errmsg("the clock of this machine was set back by %s", seconds_text(by_ms)),
                errdetail("IDs go on above the last ones: held up to idgen.max_lead (%s) ahead of the clock, "
                          "waited for up to idgen.max_wait, refused beyond.",
                          seconds_text(max_lead_ms)),
                errhint("See what set it; a clock that is slewed, not stepped, keeps IDs going.")));
}

void log_clock_forward(int64 by_ms, int64 max_jump_ms, Location at) {
    bool is_too_far = by_ms > max_jump_ms;
    ereport_at(at, LOG,
               (errmsg("the clock of this machine was set forward by %s", seconds_text(by_ms)),
                is_too_far ? errdetail("That is more than idgen.max_clock_jump (%s): no ID takes this time.",
                                       seconds_text(max_jump_ms))
                           : errdetail("That is within idgen.max_clock_jump (%s): IDs take this time.",
                                       seconds_text(max_jump_ms)),
                is_too_far ? errhint("%s", accept_clock_hint) : 0));
}

}  // namespace

void log_clock_step(int64 step_ms, int64 max_lead_ms, int64 max_jump_ms, Location at) {
    if (step_ms < 0)
        log_clock_back(-step_ms, max_lead_ms, at);
    else
        log_clock_forward(step_ms, max_jump_ms, at);
}

void log_shard_full(const Layout &layout, uint32 shard, int64 full_ms, Location at) {
    LayoutName name(layout);
    uint32 ids = ids_per_tick(packing_of(layout));
    ereport_at(at, LOG,
               (errmsg("shard %u of database \"%s\" has been out of IDs for %s", shard, get_database_name(MyDatabaseId),
                       seconds_text(full_ms)),
                errdetail_plural("Layout \"%s\" makes %u ID in %d ms for each shard; sessions wait, borrow to the "
                                 "limit, or fail, as idgen.overflow says.",
                                 "Layout \"%s\" makes %u IDs in %d ms for each shard; sessions wait, borrow to "
                                 "the limit, or fail, as idgen.overflow says.",
                                 ids, name.text, ids, layout.unit_ms),
                errhint("Give this node more shards, or use a layout with a longer sequence.")));
}

void log_horizon_behind(int64 horizon_ms, int64 behind_ms, Location at) {
    ereport_at(at, LOG,
               (errmsg("the durable horizon of database \"%s\" lies %s behind the clock",
                       get_database_name(MyDatabaseId), seconds_text(behind_ms)),
                errdetail("It is %s: no ID was made here since, or the clock was set forward while the server "
                          "was stopped.",
                          instant_text(horizon_ms)),
                errhint("If the clock is wrong, stop the clients and correct it: IDs take its time.")));
}

void log_copy(int64 origin, Location at) {
    ereport_at(at, LOG,
               (errmsg("database \"%s\" is a copy of one on another server and keeps its shards",
                       get_database_name(MyDatabaseId)),
                errdetail("The system identifier was %lld and is %lld: if both make IDs, they make the same ones.",
                          static_cast<long long>(origin), static_cast<long long>(GetSystemIdentifier())),
                errhint("%s", confirm_shards_hint)));
}

void log_promoted(Location at) {
    ereport_at(at, LOG,
               (errmsg("database \"%s\" goes on with the shards of the server before this one: if the former primary "
                       "lives on, change idgen.shards",
                       get_database_name(MyDatabaseId))));
}

void log_order_anew(const char *kind, int64 now_ms, int64 behind_ms, Location at) {
    ereport_at(
        at, LOG,
        (errmsg("the order of %s begins anew at the clock, %s below the last one", kind, seconds_text(behind_ms)),
         errdetail("The last one says %s, the clock says %s: one of the two is wrong.",
                   instant_text(now_ms + behind_ms), instant_text(now_ms)),
         errhint("See what set the clock; values of before may sort above those made from now on.")));
}

}  // namespace idgen::pg
