// What stops a draw: shards, slots, ticks, clocks.
#include "core/issue/slot_quota.hpp"
#include "pg/host/release.hpp"
#include "pg/report/message_text.hpp"
#include "pg/report/report.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

void raise_clock_not_synchronised(int level) {
    ereport(level,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("the clock of this machine is not synchronised"),
             errdetail("The kernel's NTP state says so; idgen.require_clock_sync is \"%s\".",
                       GetConfigOption("idgen.require_clock_sync", false, false)),
             errhint("Start chrony, ntpd or systemd-timesyncd, or set idgen.require_clock_sync to off.")));
}

int hint_for(ShardsRemedy remedy) {
    switch (remedy) {
        case ShardsRemedy::alter_database:
            break;
        case ShardsRemedy::reconnect:
            return errhint("It was set for this database or role after this connection began: reconnect.");
        case ShardsRemedy::reset:
            return errhint("This session has set it to nothing: RESET idgen.shards");
        case ShardsRemedy::alter_system:
            return errhint(
                "Set the shards of each node on that node, such as: ALTER SYSTEM SET idgen.shards = "
                "'5'; SELECT pg_reload_conf(). Citus copies ALTER DATABASE ... SET and ALTER ROLE "
                "... SET to every node.");
    }
    return errhint(
        "Set the shards of this node and reconnect, such as: ALTER DATABASE %s SET idgen.shards = '5'",
        quote_identifier(get_database_name(MyDatabaseId)));
}

}  // namespace

void report_older_library(const char *wanted) {
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("the library of idgen %s is loaded, and %s is needed", library_version(), wanted),
             errdetail("The library's file was exchanged after it was loaded, or was not exchanged yet."),
             errhint("Install the library of idgen %s if it is not there, and restart the server.", wanted)));
}

void report_not_loaded() {
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("idgen is not loaded by the server"),
             errdetail("IDs are made from shared memory, which is set up when the server starts."),
             errhint("Add this line to postgresql.conf, joined with what is there, and restart: "
                     "shared_preload_libraries = 'idgen'")));
}

void report_recovery() {
    ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION), errmsg("cannot make IDs during recovery"),
                    errdetail("This server is a standby; its primary makes the IDs."),
                    errhint("Connect to the primary, or promote this server.")));
}

void report_no_shards(ShardsRemedy remedy) {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("idgen.shards is not set"),
                    errdetail("Without a shard, next_id() draws from the shards that this node owns."),
                    hint_for(remedy)));
}

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
                    errhint("Raise idgen.max_slots_per_database, or idgen.max_slots and restart.")));
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
         in_database ? errhint("Put the shards that this node owns into idgen.shards and use a preset, or "
                               "raise idgen.max_slots_per_database, or idgen.max_slots and restart.")
                     : errhint("Put the shards that this node owns into idgen.shards and use a preset, or "
                               "raise idgen.max_slots and restart.")));
}

void report_all_slots_used() {
    ereport(ERROR,
            (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
             errmsg("all %d idgen slots of this server are used", settings.max_slots),
             errdetail("Each shard of each layout in use takes a slot in each database, and none is idle."),
             errhint("Raise idgen.max_slots and restart.")));
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
}

}  // namespace idgen::pg
