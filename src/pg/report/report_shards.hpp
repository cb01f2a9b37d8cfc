// Refusals of shards and slots.
#pragma once

#include "core/layout/packing.hpp"
#include "pg/report/location.hpp"

namespace idgen::pg {

// What gives a session shards that has none.
enum class ShardsRemedy : uint8 { alter_database, reconnect, reset, citus };

[[noreturn]] void report_no_shards(ShardsRemedy remedy, Location at = Location::here());
// A number that is no node of the layout in this node's region.
[[noreturn]] void report_node(NodeReason reason, const Layout &layout, int64 number, int region,
                              Location at = Location::here());
// The shards of this node, as errors say them.
struct OwnShards {
    const char *text;     // idgen.shards as it was written
    const char *numbers;  // the ones that it stands for now; null where it is a list itself
    int region;
};

// A shard that is not among the node's own.
[[noreturn]] void report_foreign_shard(int64 shard, const OwnShards &own, Location at = Location::here());
// A shard of idgen.shards that the layout cannot hold, or not beside a region.
[[noreturn]] void report_pool_shard(const Layout &layout, uint32 shard, int region, Location at = Location::here());
// A notice: a layout without a shard, on a node that has shards.
void tell_one_node(const Layout &layout, const char *shards, Location at = Location::here());

// No slot is left. Whether the server loaded the library when it started decides what gives more.
[[noreturn]] void report_share_used(int slots, bool is_preloaded, Location at = Location::here());
// Of so many slots, those for others than the node's own shards in presets.
[[noreturn]] void report_others_used(int slots, bool in_database, bool is_preloaded, Location at = Location::here());
[[noreturn]] void report_all_slots_used(int slots, bool is_preloaded, Location at = Location::here());

}  // namespace idgen::pg
