#include "pg/state/source.hpp"

#include "core/kinds/hlc.hpp"
#include "pg/report/report_citus.hpp"
#include "pg/report/report_host.hpp"
#include "pg/report/report_lease.hpp"
#include "pg/report/report_shards.hpp"
#include "pg/state/lease_gate.hpp"
#include "pg/state/own_shards.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/slot_directory.hpp"

namespace idgen::pg {

Self self{};

namespace {

struct KeptSession {
    PackingKey packing;
    DrawSession session;
};

HTAB *make_sessions() {
    HASHCTL control{};
    control.keysize = sizeof(PackingKey);
    control.entrysize = sizeof(KeptSession);
    return hash_create("idgen sessions", 16, &control, HASH_ELEM | HASH_BLOBS);
}

// Ends this backend's entry: it counts for nobody any more.
void forget_backend(int, Datum) {
    pg_atomic_write_u32(&self.backend->pid, 0);
}

// Its database follows with the database's entry.
void begin_backend(SharedBackend &backend) {
    self.backend = &backend;
    for (pg_atomic_uint64 *value :
         {&backend.ids, &backend.ids_before, &backend.last_id, &backend.slot_tag, &backend.waits, &backend.wait_us})
        pg_atomic_write_u64(value, 0);
    backend.database = InvalidOid;
    backend.user = MyProc->roleId;
    pg_write_barrier();
    pg_atomic_write_u32(&backend.pid, static_cast<uint32>(MyProcPid));
    before_shmem_exit(forget_backend, 0);
}

}  // namespace

void attach_backend() {
    if (self.state != nullptr) return;
    if (RecoveryInProgress()) report_recovery();
    SharedState *state = shared_state();
    if (self.backend == nullptr) begin_backend(backends_of(state)[backend_number()]);
    self.database = my_database(state, *self.backend);
    self.state = state;
}

DrawSession new_session() noexcept {
    DrawSession session{};
    session.cursor.aim(0, 1);
    session.resets = self.database->resets;
    return session;
}

DrawSession *session_of(const PackingKey &packing) {
    static HTAB *sessions = nullptr;
    if (sessions == nullptr) sessions = make_sessions();
    bool found;
    auto *kept = static_cast<KeptSession *>(hash_search(sessions, &packing, HASH_ENTER, &found));
    if (!found) kept->session = DrawSession{{}, {}, self.database->resets};
    return &kept->session;
}

namespace {

uint32 whole_or_raise(const Layout &layout, int64 number) {
    uint32 whole = 0;
    NodeReason reason = whole_shard(layout, static_cast<uint32>(settings.region), number, whole);
    if (reason != NodeReason::none) report_node(reason, layout, number, settings.region);
    return whole;
}

// Tells the session once that such a layout does not reckon with the node's shards. A worker leaves it to its
// leader: there may be a new one for each statement.
void tell_of_shardless(const Layout &layout) {
    static bool told = false;
    if (told || layout.node_bits() != 0 || !has_shards() || IsParallelWorker()) return;
    told = true;
    tell_one_node(layout, shards_text());
}

void make_single(Source &source, uint32 whole) noexcept {
    source.single = {whole, whole};
    source.pool = {&source.single, 1, 1};
    source.region_top = 0;
}

// Whether the node may draw from a number of the source's layout. Where numbers come from elsewhere, from its
// own alone.
bool may_draw_from(const Source &source, uint32 whole) {
    if (source.layout.node_bits() == 0) return true;
    ShardSet own = own_set();
    auto region = static_cast<uint32>(settings.region);
    return source.is_leased || settings.shards_from != ShardsFrom::list ? owns(own, region, source.layout, whole)
                                                                        : may_draw(own, region, source.layout, whole);
}

void require_own(const Source &source, uint32 whole, int64 shard) {
    if (!may_draw_from(source, whole))
        report_foreign_shard(shard, {shards_text(), own_numbers_text(), settings.region});
}

void resolve_explicit(Source &source, int64 shard) {
    uint32 whole = whole_or_raise(source.layout, shard);
    require_own(source, whole, shard);
    make_single(source, whole);
    source.session = nullptr;
}

[[noreturn]] void report_large_number(const Layout &layout, uint32 number) {
    if (settings.shards_from == ShardsFrom::citus) report_group_range(layout, number, settings.region);
    report_pool_shard(layout, number, settings.region);
}

// Takes the node's own shards for the pool, which may be none yet where they are numbers from the registry.
void set_pool(Source &source) {
    const Layout &layout = source.layout;
    uint32 last = largest_shard(layout, static_cast<uint32>(settings.region));
    source.pool = own_set();
    if (!source.pool.empty() && source.pool.largest() > last) report_large_number(layout, source.pool.largest());
    source.is_pool = source.pool.shard_count > 1;
    source.slot.entry = nullptr;
    source.session->cursor.aim(backend_number(), Max(source.pool.shard_count, 1));
}

void resolve_own(Source &source) {
    const Layout &layout = source.layout;
    source.session = session_of(key_of(layout));
    if (layout.node_bits() == 0) {
        make_single(source, whole_or_raise(layout, 0));
        source.session->cursor.aim(backend_number(), 1);
        return;
    }
    if (!has_shards()) report_no_shards(remedy_for_no_shards());
    source.region_top = whole_or_raise(layout, 0);
    source.follows_pool = settings.shards_from == ShardsFrom::lease;
    if (source.follows_pool && settings.region != 0) report_region_beside_lease(settings.region);
    source.pool_changes = changes_of_pool();
    set_pool(source);
}

}  // namespace

void resolve(Source &source, const Layout &layout, int64 shard_argument) {
    attach_backend();
    source.settings_generation = 0;
    source.layout = layout;
    source.shard_argument = shard_argument;
    source.packing = packing_of(layout);
    source.slot.entry = nullptr;
    source.lease = nullptr;
    source.is_pool = source.follows_pool = false;
    bool is_kept = settings.shards_from == ShardsFrom::lease || has_registry();
    source.is_leased = is_kept && layout.node_bits() != 0;
    if (shard_argument == own_shards)
        resolve_own(source);
    else
        resolve_explicit(source, shard_argument);
    tell_of_shardless(layout);
    source.settings_generation = settings.generation;
}

bool follow_pool(Source &source) {
    uint32 changes = changes_of_pool();
    if (!source.follows_pool || source.pool_changes == changes) return false;
    source.pool_changes = changes;
    set_pool(source);
    return true;
}

void require_shard(const Source &source) {
    bool is_named = source.shard_argument != own_shards;
    if (is_named) require_own(source, source.single.first, source.shard_argument);
}

void resolve_hlc(Source &source) {
    attach_backend();
    source.layout = hlc_layout;
    source.packing = hlc_packing;
    source.carries = true;
    make_single(source, hlc_shard);
}

}  // namespace idgen::pg
