// Where this backend draws from: its entries in shared memory but that of its transaction (own_transaction.hpp), what it last drew with each packing, and the source that
// a call site keeps.
#pragma once

#include "core/draw/draw_steps.hpp"
#include "pg/state/slot_directory.hpp"

namespace idgen::pg {

struct Self {
    SharedState *state;
    SharedDatabase *database;
    SharedBackend *backend;
    SharedLeases *leases;
};

// Null before attach_backend().
[[gnu::visibility("hidden")]] extern Self self;

// Attaches `self`, cheap if it is attached already. Raises if no IDs can be made: library not preloaded, or recovery.
void attach_backend();

// A session that has drawn nothing.
DrawSession new_session() noexcept;

// Where a call of a maker draws from: its layout and shard argument, resolved to a packing and a pool of shards. Kept
// from one row to the next.

// The shard argument that means "the shards that this node owns": no shard, so that every other negative number stays
// an error. SQL: idgen.own_shards().
constexpr int64 own_shards = PG_INT64_MIN;

// Valid for its layout and shard argument until shards or region change. Zeroed, but for its memory: not resolved.
struct Source : DrawSource<SpinLock> {
    Layout layout;
    int64 shard_argument;
    uint32 settings_generation;  // of the settings that it was resolved with; 0: not resolved
    ShardRange single;           // an explicit shard, in the pool
    MemoryContext memory;        // that lives as long as the source
    OwnRoom *room;               // of its pool, if idgen.shards is not a list; null: not needed yet
    uint64 slot_tag;             // tag_of() the slot in use
    uint32 pool_changes;         // changes_of_pool() when the pool was looked at
    bool is_leased;              // its shards must be held from the registry
};

// The source that a call site keeps from row to row.
inline Source &kept_source(FunctionCallInfo fcinfo) {
    FmgrInfo *site = fcinfo->flinfo;
    if (site->fn_extra == nullptr) {
        site->fn_extra = MemoryContextAllocZero(site->fn_mcxt, sizeof(Source));
        static_cast<Source *>(site->fn_extra)->memory = site->fn_mcxt;
    }
    return *static_cast<Source *>(site->fn_extra);
}

// Makes the source valid for these arguments. Raises on bad ones.
void resolve(Source &source, const Layout &layout, int64 shard_argument);

// Whether the node has shards of its own for a layout, as resolve() judges that; the source then has them, in the room,
// and need not be attached. Else why not.
bool look_at_own(SharedLeases &leases, const Layout &layout, OwnRoom &room, Source &source, Refusal &why);

// Has it draw from the numbers that are held now, if it follows them. True if they have changed.
bool follow_pool(Source &source);

// Raises if a shard that was named is not the node's any more: numbers come and go while a statement runs.
void require_shard(const Source &source);

// Makes it that of a clock of the database, whose timestamps are packed so: they are drawn as IDs are, and carry.
void resolve_clock(Source &source, const Layout &layout);

}  // namespace idgen::pg
