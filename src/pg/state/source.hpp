// Where a call of a maker draws from: its layout and shard argument, resolved to a packing and a pool
// of shards. Kept from one row to the next.
#pragma once

#include "core/layout/shard_set.hpp"
#include "pg/state/session.hpp"
#include "pg/state/slot_directory.hpp"

namespace idgen::pg {

// The shard argument that means "the shards that this node owns": no shard, so that every other
// negative number stays an error. SQL: idgen_own_shards().
constexpr int64 own_shards = PG_INT64_MIN;

// Valid for its layout and shard argument until shards or region change. Zeroed: not resolved.
struct Source {
    Layout layout;
    int64 shard_argument;
    uint32 settings_generation;  // of the settings that it was resolved with; 0: not resolved
    Packing packing;
    Oid schema;         // of the extension: where its horizon is
    Session *session;   // null for an explicit shard
    ShardSet pool;      // the node's own shards; `single` for an explicit one
    ShardRange single;  //
    uint32 region_top;  // the region above the shards of the pool, shifted
    bool is_pool;       // of more than one shard
    // The slot in use; null: to be found.
    SlotHandle handle;
    uint64 place;  // place_of() it
    uint32 shard;  // its whole number
    uint32 rank;   // and its rank in the pool
};

// The source that the place of a call keeps from row to row.
inline Source &kept_source(FunctionCallInfo fcinfo) {
    FmgrInfo *place = fcinfo->flinfo;
    if (place->fn_extra == nullptr) place->fn_extra = MemoryContextAllocZero(place->fn_mcxt, sizeof(Source));
    return *static_cast<Source *>(place->fn_extra);
}

// Makes the source valid for these arguments. Raises on bad ones.
void resolve(Source &source, Oid schema, const Layout &layout, int64 shard_argument);

}  // namespace idgen::pg
