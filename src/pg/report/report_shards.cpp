#include "pg/report/report_shards.hpp"

#include "core/issue/slot_index.hpp"
#include "pg/report/hints.hpp"
#include "pg/report/message_text.hpp"
#include "pg/report/report_arguments.hpp"

namespace idgen::pg {
namespace {

const char *database_name() {
    return quote_identifier(get_database_name(MyDatabaseId));
}

int hint_for(ShardsRemedy remedy) {
    switch (remedy) {
        case ShardsRemedy::alter_database:
            break;
        case ShardsRemedy::reconnect:
            return errhint("%s", reconnect_hint);
        case ShardsRemedy::reset:
            return errhint("%s", reset_shards_hint);
        case ShardsRemedy::citus:
            return errhint(
                "Have each node draw from the group that it has in Citus, and reconnect; on the coordinator: "
                "ALTER DATABASE %s SET idgen.shards = 'citus'",
                database_name());
    }
    return errhint("Set the shards of this node and reconnect, such as: ALTER DATABASE %s SET idgen.shards = '5'",
                   database_name());
}

// Without preload the server has no setting that says how many slots there are.
int hint_of_slots(bool in_database, bool is_preloaded) {
    if (!is_preloaded)
        return errhint(
            "To have more, add idgen to shared_preload_libraries, with a higher idgen.max_slots, and "
            "restart.");
    return in_database ? errhint("To have more, raise idgen.max_slots_per_database, or idgen.max_slots and restart.")
                       : errhint("To have more, raise idgen.max_slots and restart.");
}

int hint_of_others(bool in_database, bool is_preloaded) {
    if (!is_preloaded)
        return errhint(
            "Put the shards that this node owns into idgen.shards and use a preset, or add idgen to "
            "shared_preload_libraries, with a higher idgen.max_slots, and restart.");
    return in_database ? errhint(
                             "Put the shards that this node owns into idgen.shards and use a preset, or "
                             "raise idgen.max_slots_per_database, or idgen.max_slots and restart.")
                       : errhint(
                             "Put the shards that this node owns into idgen.shards and use a preset, or "
                             "raise idgen.max_slots and restart.");
}

[[noreturn]] void report_no_region(const Layout &layout, int region, Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("layout \"%s\" has no region", LayoutName(layout).text),
         errdetail("idgen.region is %d.", region), errhint("Use a layout with a region, or set idgen.region to 0.")));
}

[[noreturn]] void report_region_range(const Layout &layout, int region, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("region %d is out of range for layout \"%s\"", region, LayoutName(layout).text),
                errdetail("The layout has the regions 0 to %u.", mask32(layout.region_bits)),
                errhint("Change idgen.region.")));
}

[[noreturn]] void report_other_region(const Layout &layout, int64 shard, int region, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("shard %lld is not in this node's region", static_cast<long long>(shard)),
                errdetail("It has the region %lld in layout \"%s\"; idgen.region is %d.",
                          static_cast<long long>(shard >> layout.shard_bits), LayoutName(layout).text, region),
                errhint("Give a shard from 0 to %u, or change idgen.region.", mask32(layout.shard_bits))));
}

}  // namespace

void report_no_shards(ShardsRemedy remedy, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("idgen.shards is not set"),
                errdetail("Without a shard, next_id() draws from the shards that this node owns."), hint_for(remedy)));
}

void report_node(NodeReason reason, const Layout &layout, int64 number, int region, Location at) {
    switch (reason) {
        case NodeReason::region_not_in_layout:
            report_no_region(layout, region, at);
        case NodeReason::region_out_of_range:
            report_region_range(layout, region, at);
        case NodeReason::shard_not_in_region:
            report_other_region(layout, number, region, at);
        case NodeReason::shard_out_of_range:
        case NodeReason::none:
            break;
    }
    report_shard_range(layout, number, at);
}

void report_foreign_shard(int64 shard, const OwnShards &own, Location at) {
    bool is_list = own.numbers == nullptr;
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("shard %lld does not belong to this node", static_cast<long long>(shard)),
                is_list ? errdetail("idgen.shards is \"%s\", idgen.region is %d.", own.text, own.region)
                        : errdetail("idgen.shards is \"%s\", now %s; idgen.region is %d.", own.text,
                                    own.numbers[0] == '\0' ? "none" : own.numbers, own.region),
                is_list ? errhint("Leave the shard out to use the node's own, or add it to idgen.shards if no other "
                                  "node has it.")
                        : errhint("Leave the shard out to use the node's own.")));
}

void report_pool_shard(const Layout &layout, uint32 shard, int region, Location at) {
    LayoutName name(layout);
    if (region == 0)
        ereport_at(at, ERROR,
                   (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                    errmsg("shard %u is out of range for layout \"%s\"", shard, name.text),
                    errdetail("The layout has the shards 0 to %u.", mask32(layout.node_bits())),
                    errhint("Change idgen.shards, or use a layout with more shards.")));
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("shard %u of idgen.shards is too large beside a region", shard),
                errdetail("Layout \"%s\" has the shards 0 to %u in each region; idgen.region is %d.", name.text,
                          mask32(layout.shard_bits), region),
                errhint("Give idgen.shards without the region, or set idgen.region to 0.")));
}

void tell_one_node(const Layout &layout, const char *shards, Location at) {
    ereport_at(
        at, NOTICE,
        (errcode(ERRCODE_SUCCESSFUL_COMPLETION), errmsg("layout \"%s\" is for one node only", LayoutName(layout).text),
         errdetail("It has no shard, so idgen.shards, which is \"%s\", does not keep its IDs apart "
                   "from those of other nodes.",
                   shards),
         errhint("If other nodes make IDs for the same column, use a layout with a shard, such as "
                 "snowflake. This is told once in a session.")));
}

void report_share_used(int slots, bool is_preloaded, Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED), errmsg("this database uses all of its %d idgen slots", slots),
         errdetail("Each shard of each layout in use takes a slot, and none is idle."),
         hint_of_slots(true, is_preloaded)));
}

void report_others_used(int slots, bool in_database, bool is_preloaded, Location at) {
    auto limit = static_cast<int>(slots_for_others(static_cast<uint32>(slots)));
    ereport_at(at, ERROR,
               (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
                in_database ? errmsg("this database uses all of its %d idgen slots for other shards and layouts", limit)
                            : errmsg("all %d idgen slots of this server for other shards and layouts are used", limit),
                errdetail("Half of the %d slots is kept for this node's own shards, those of idgen.shards, in the "
                          "layouts of presets; none of the other half is idle.",
                          slots),
                hint_of_others(in_database, is_preloaded)));
}

void report_all_slots_used(int slots, bool is_preloaded, Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED), errmsg("all %d idgen slots of this server are used", slots),
         errdetail("Each shard of each layout in use takes a slot in each database, and none is "
                   "idle."),
         hint_of_slots(false, is_preloaded)));
}

}  // namespace idgen::pg
