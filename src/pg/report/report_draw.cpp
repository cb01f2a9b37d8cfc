#include "pg/report/report_draw.hpp"

#include "pg/report/hints.hpp"
#include "pg/report/message_text.hpp"
<<<<<<< HEAD
=======
#include "pg/report/report.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/shared_state.hpp"
>>>>>>> c1474a1 (Read idgen.synchronous by a session that joins a state made without preload, and tell of settings that need preload)

namespace idgen::pg {
namespace {

// What a shard makes in a tick, and where its next one lies if that is not the next of the clock.
int detail_of_full(const Stopped &s) {
    LayoutName name(*s.layout);
    uint32 ids = ids_per_tick(packing_of(*s.layout));
    int64 lead_ms = s.tick_start_ms - s.now_ms;
    if (lead_ms <= s.layout->unit_ms)
        return errdetail_plural("Layout \"%s\" makes %u ID in %d ms for each shard.",
                                "Layout \"%s\" makes %u IDs in %d ms for each shard.", ids, name.text, ids,
                                s.layout->unit_ms);
    return errdetail_plural(
        "Layout \"%s\" makes %u ID in %d ms for each shard; its next tick is %s ahead of the clock.",
        "Layout \"%s\" makes %u IDs in %d ms for each shard; its next tick is %s ahead of the clock.", ids,
        name.text, ids, s.layout->unit_ms, seconds_text(lead_ms));
}

// What gives more slots. Where the server did not load the library when it started, it has no setting for
// that.
const char *way_to_more_slots(bool in_database) {
    if (!is_preloaded())
        return "add idgen to shared_preload_libraries, with a higher idgen.max_slots, and restart";
    return in_database ? "raise idgen.max_slots_per_database, or idgen.max_slots and restart"
                       : "raise idgen.max_slots and restart";
}

}  // namespace

void report_full(const Stopped &s, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
                errmsg("no ID is left in this tick for shard %u", s.shard), detail_of_full(s),
                errhint("Raise idgen.max_wait, set idgen.overflow to wait or borrow, give this node more "
                        "shards, or use a layout with a longer sequence.")));
}

<<<<<<< HEAD
void report_clock_behind(const Stopped &s, const WaitLimits &limits, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("the clock is %s behind the next ID of shard %u",
                       seconds_text(s.tick_start_ms - s.now_ms), s.shard),
                errdetail("The clock says %s, the next ID would say %s; waited for %s; idgen.max_lead is "
                          "%s, idgen.max_wait is %s.",
                          instant_text(s.now_ms), instant_text(s.tick_start_ms), seconds_text(s.waited_ms),
                          seconds_text(limits.max_lead_ms), seconds_text(limits.max_wait_ms)),
                errhint("%s", behind_hint)));
=======
void tell_needs_preload(const char *setting) {
    ereport(WARNING,
            (errcode(ERRCODE_WARNING), errmsg("%s has no effect here", setting),
             errdetail("This setting exists only where the server loads the library when it starts."),
             errhint("Add idgen to shared_preload_libraries and restart.")));
}

void report_recovery() {
    ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION), errmsg("cannot make IDs during recovery"),
                    errdetail("This server is a standby; its primary makes the IDs."),
                    errhint("Connect to the primary, or promote this server.")));
>>>>>>> c1474a1 (Read idgen.synchronous by a session that joins a state made without preload, and tell of settings that need preload)
}

void report_seen_id(const Layout &layout, int64 id, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("%lld is no ID of layout \"%s\"", static_cast<long long>(id), LayoutName(layout).text),
                errdetail("The layout cannot have made it."), errhint("%s", right_layout_hint)));
}

<<<<<<< HEAD
void report_seen_ahead(const Layout &layout, int64 id, int64 lead_ms, const WaitLimits &limits, Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
         errmsg("an ID above %lld would be %s ahead of the clock", static_cast<long long>(id),
                seconds_text(lead_ms)),
         errdetail("In layout \"%s\"; idgen.max_lead is %s, idgen.max_wait is %s.", LayoutName(layout).text,
                   seconds_text(limits.max_lead_ms), seconds_text(limits.max_wait_ms)),
         errhint("Correct the clock that is wrong, or give the layout that the ID was made with.")));
=======
void report_foreign_shard(int64 shard) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("shard %lld does not belong to this node", static_cast<long long>(shard)),
                    errdetail("idgen.shards is \"%s\", idgen.region is %d.",
                              GetConfigOption("idgen.shards", false, false), settings.region),
                    errhint("Leave the shard out to use the node's own, or add it to idgen.shards if no "
                            "other node has it.")));
}

void report_pool_shard(const Layout &layout, uint32 shard) {
    LayoutName name(layout);
    if (settings.region == 0)
        ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                        errmsg("shard %u is out of range for layout \"%s\"", shard, name.text),
                        errdetail("The layout has the shards 0 to %u.", mask32(layout.node_bits())),
                        errhint("Change idgen.shards, or use a layout with more shards.")));
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("shard %u of idgen.shards is too large beside a region", shard),
                    errdetail("Layout \"%s\" has the shards 0 to %u in each region; idgen.region is %d.",
                              name.text, mask32(layout.shard_bits), settings.region),
                    errhint("Give idgen.shards without the region, or set idgen.region to 0.")));
}

void tell_one_node(const Layout &layout) {
    LayoutName name(layout);
    ereport(NOTICE,
            (errcode(ERRCODE_SUCCESSFUL_COMPLETION), errmsg("layout \"%s\" is for one node only", name.text),
             errdetail("It has no shard, so idgen.shards, which is \"%s\", does not keep its IDs apart from "
                       "those of other nodes.",
                       GetConfigOption("idgen.shards", false, false)),
             errhint("If other nodes make IDs for the same column, use a layout with a shard, such as "
                     "snowflake. This is told once in a session.")));
}

void report_share_used(int slots) {
    ereport(ERROR, (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
                    errmsg("this database uses all of its %d idgen slots", slots),
                    errdetail("Each shard of each layout in use takes a slot, and none is idle."),
                    errhint("To have more, %s.", way_to_more_slots(true))));
}

void report_others_used(int slots, bool in_database) {
    auto limit = static_cast<int>(slots_for_others(static_cast<uint32>(slots)));
    ereport(
        ERROR,
        (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
         in_database
             ? errmsg("this database uses all of its %d idgen slots for other shards and layouts", limit)
             : errmsg("all %d idgen slots of this server for other shards and layouts are used", limit),
         errdetail("Half of the %d slots is kept for this node's own shards, those of idgen.shards, in the "
                   "layouts of presets; none of the other half is idle.",
                   slots),
         errhint("Put the shards that this node owns into idgen.shards and use a preset, or %s.",
                 way_to_more_slots(in_database))));
}

void report_all_slots_used() {
    ereport(ERROR,
            (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
             errmsg("all %d idgen slots of this server are used", settings.max_slots),
             errdetail("Each shard of each layout in use takes a slot in each database, and none is idle."),
             errhint("To have more, %s.", way_to_more_slots(false))));
}

void report_full(const Stopped &s) {
    LayoutName name(*s.layout);
    Packing p = packing_of(*s.layout);
    uint32 ids = p.sequence_last - p.sequence_first + 1;
    int64 lead_ms = s.tick_start_ms - s.now_ms;
    const char *ahead = lead_ms <= p.unit_ms
                            ? ""
                            : psprintf("; its next tick is %s ahead of the clock", seconds_text(lead_ms));
    ereport(ERROR, (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
                    errmsg("no ID is left in this tick for shard %u", s.shard),
                    errdetail("Layout \"%s\" makes %u ID%s in %d ms for each shard%s.", name.text, ids,
                              ids == 1 ? "" : "s", s.layout->unit_ms, ahead),
                    errhint("Raise idgen.max_wait, set idgen.overflow to wait or borrow, give this node more "
                            "shards, or use a layout with a longer sequence.")));
}

void report_clock_behind(const Stopped &s) {
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("the clock is %s behind the next ID of shard %u",
                    seconds_text(s.tick_start_ms - s.now_ms), s.shard),
             errdetail("The clock says %s, the next ID would say %s; waited for %s; idgen.max_lead is %s, "
                       "idgen.max_wait is %s.",
                       instant_text(s.now_ms), instant_text(s.tick_start_ms), seconds_text(s.waited_ms),
                       seconds_text(settings.max_lead_ms), seconds_text(settings.max_wait_ms)),
             errhint("Correct the clock, or raise idgen.max_wait to wait for it.")));
}

void report_clock_jumped(int64 jump_ms) {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("the clock jumped forward by %s", seconds_text(jump_ms)),
                    errdetail("idgen.max_clock_jump is %s. No ID is stamped with a time that may be wrong.",
                              seconds_text(settings.max_clock_jump_ms)),
                    errhint("Correct the clock; or, if it is right now, have a superuser call "
                            "idgen_accept_clock().")));
}

void report_clock_not_synchronised() {
    raise_clock_not_synchronised(ERROR);
    pg_unreachable();
}

void warn_clock_not_synchronised() {
    raise_clock_not_synchronised(WARNING);
}

void report_postmaster_dead() {
    ereport(FATAL, (errcode(ERRCODE_ADMIN_SHUTDOWN), errmsg("the server's main process is gone"),
                    errdetail("Another server may have taken its place, so this one makes no more IDs."),
                    errhint("Connect again.")));
    pg_unreachable();
>>>>>>> c1474a1 (Read idgen.synchronous by a session that joins a state made without preload, and tell of settings that need preload)
}

}  // namespace idgen::pg
