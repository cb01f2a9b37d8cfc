#include "pg/state/source.hpp"

#include "pg/report/report_arguments.hpp"
#include "pg/state/libraries.hpp"
#include "pg/state/own_transaction.hpp"
#include "pg/state/settings.hpp"

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
    backend.process = process_number(MyProc);
    pg_write_barrier();
    pg_atomic_write_u32(&backend.pid, static_cast<uint32>(MyProcPid));
    before_shmem_exit(forget_backend, 0);
}

[[noreturn]] void report_recovery() {
    note_error();
    ereport(ERROR, errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION), errmsg("cannot make IDs during recovery"),
            errdetail("This server is a standby; its primary makes the IDs."),
            errhint("Connect to the primary, or promote this server."));
}

// What this backend last drew from its own shards with a packing, kept for its life; made on the first call.
DrawSession *session_of(const PackingKey &packing) {
    static HTAB *sessions = nullptr;
    if (sessions == nullptr) sessions = make_sessions();
    bool found;
    auto *kept = static_cast<KeptSession *>(hash_search(sessions, &packing, HASH_ENTER, &found));
    if (!found) kept->session = DrawSession{{}, {}, self.database->resets};
    return &kept->session;
}

// What keeps a number from being one of the layout's, beside idgen.region. Of a number that was given; else it is of
// idgen.region alone.
Refusal refusal_of_node(NodeReason reason, const Layout &layout, int64 number) {
    LayoutName name(layout);
    int region = settings.region;
    switch (reason) {
        case NodeReason::region_not_in_layout:
            return {ERRCODE_INVALID_PARAMETER_VALUE, psprintf("layout \"%s\" has no region", name.text),
                    psprintf("idgen.region is %d.", region), "Use a layout with a region, or set idgen.region to 0.",
                    "shards"};
        case NodeReason::region_out_of_range:
            return {ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
                    psprintf("region %d is out of range for layout \"%s\"", region, name.text),
                    psprintf("The layout has the regions 0 to %u.", mask32(layout.region_bits)), "Change idgen.region.",
                    "shards"};
        case NodeReason::shard_not_in_region:
            return {ERRCODE_INVALID_PARAMETER_VALUE,
                    psprintf("shard %lld is not in this node's region", static_cast<long long>(number)),
                    psprintf("It has the region %lld in layout \"%s\"; idgen.region is %d.",
                             static_cast<long long>(number >> layout.shard_bits), name.text, region),
                    psprintf("Give a shard from 0 to %u, or change idgen.region.", mask32(layout.shard_bits)),
                    "shards"};
        case NodeReason::shard_out_of_range:
        case NodeReason::none:
            break;
    }
    return refusal_of_shard(layout, number);
}

[[noreturn]] void report_foreign_shard(int64 shard) {
    const char *text = shards_with_origin();
    const char *numbers = own_numbers_text();
    bool is_list = numbers == nullptr;
    ereport(
        ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
        errmsg("shard %lld does not belong to this node", static_cast<long long>(shard)),
        is_list ? errdetail("idgen.shards is %s; idgen.region is %d.", text, settings.region)
                : errdetail("idgen.shards is %s, now %s; idgen.region is %d.", text,
                            numbers[0] == '\0' ? "none" : numbers, settings.region),
        is_list
            ? errhint("Leave the shard out to use the node's own, or add it to idgen.shards if no other node has it.")
            : errhint("Leave the shard out to use the node's own."));
}

uint32 whole_or_raise(const Layout &layout, int64 number) {
    uint32 whole = 0;
    NodeReason reason = whole_shard(layout, static_cast<uint32>(settings.region), number, whole);
    if (reason != NodeReason::none) raise(refusal_of_node(reason, layout, number));
    return whole;
}

// Reports to the session once that such a layout ignores the node's shards. A worker leaves it to its leader:
// there may be a new one for each statement.
void notice_shardless_once(const Layout &layout) {
    static bool told = false;
    if (told || layout.node_bits() != 0 || !has_shards() || IsParallelWorker()) return;
    told = true;
    ereport(
        NOTICE, errcode(ERRCODE_SUCCESSFUL_COMPLETION),
        errmsg("layout \"%s\" is for one node only", LayoutName(layout).text),
        errdetail(
            "It has no shard, so idgen.shards, which is \"%s\", does not keep its IDs apart from those of other nodes.",
            shards_text()),
        errhint(
            "If other nodes make IDs for the same column, use a layout with a shard, such as snowflake. This notice comes once in a session."));
}

void make_single(Source &source, uint32 whole) noexcept {
    source.single = {whole, whole};
    source.pool = {&source.single, 1, 1};
    source.region_top = 0;
}

// Raises if the node may not draw from a number of the layout: if numbers come from elsewhere, only from its own.
void require_own(const Source &source, uint32 whole, int64 shard) {
    if (source.layout.node_bits() == 0) return;
    OwnRoom room;
    ShardSet own = own_set(*self.leases, room);
    auto region = static_cast<uint32>(settings.region);
    bool is_given = source.is_leased || settings.shards_from != ShardsFrom::list;
    bool is_right = is_given ? owns(own, region, source.layout, whole) : may_draw(own, region, source.layout, whole);
    if (!is_right) report_foreign_shard(shard);
}

void resolve_explicit(Source &source, int64 shard) {
    uint32 whole = whole_or_raise(source.layout, shard);
    require_own(source, whole, shard);
    make_single(source, whole);
    source.session = nullptr;
}

// Of the node's own shards, whose largest a layout lacks.

Refusal large_shard(const Layout &layout, uint32 shard, int region) {
    LayoutName name(layout);
    if (region == 0)
        return {ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
                psprintf("shard %u is out of range for layout \"%s\"", shard, name.text),
                psprintf("The layout has the shards 0 to %u; idgen.shards is %s.", mask32(layout.node_bits()),
                         shards_with_origin()),
                "Change idgen.shards, or use a layout with more shards.", "shards"};
    return {ERRCODE_INVALID_PARAMETER_VALUE, psprintf("shard %u of idgen.shards is too large beside a region", shard),
            psprintf("Layout \"%s\" has the shards 0 to %u in each region; idgen.region is %d, idgen.shards is %s.",
                     name.text, mask32(layout.shard_bits), region, shards_with_origin()),
            "Give idgen.shards without the region, or set idgen.region to 0.", "shards"};
}

Refusal large_group(const Layout &layout, uint32 group, int region) {
    LayoutName name(layout);
    uint32 last = mask32(region == 0 ? layout.node_bits() : layout.shard_bits);
    const char *own = shards_with_origin();
    return {
        ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
        psprintf("group %u of this node in Citus is too large for layout \"%s\"", group, name.text),
        region == 0
            ? psprintf("idgen.shards is %s; the layout has the shards 0 to %u.", own, last)
            : psprintf("idgen.shards is %s; idgen.region is %d; the layout has the shards 0 to %u in each region.", own,
                       region, last),
        region == 0
            ? "Use a layout with more shards, or give each node a shard of its own, such as: ALTER SYSTEM SET idgen.shards = '5'; SELECT pg_reload_conf()."
            : "Use a layout with more shards, or set idgen.region to 0.",
        "shards"};
}

Refusal refusal_of_pool(const Layout &layout, const ShardSet &pool) {
    uint32 last = largest_shard(layout, static_cast<uint32>(settings.region));
    if (pool.empty() || pool.largest() <= last) return {};
    bool is_group = settings.shards_from == ShardsFrom::citus;
    return is_group ? large_group(layout, pool.largest(), settings.region)
                    : large_shard(layout, pool.largest(), settings.region);
}

// What keeps the node's own shards from being drawn from with a layout that has any, whatever they are now.
Refusal refusal_of_own(const Layout &layout) {
    if (!has_shards()) return refusal_of_none();
    uint32 top = 0;
    NodeReason reason = whole_shard(layout, static_cast<uint32>(settings.region), 0, top);
    if (reason != NodeReason::none) return refusal_of_node(reason, layout, 0);
    if (settings.shards_from != ShardsFrom::lease || settings.region == 0) return {};
    return {ERRCODE_INVALID_PARAMETER_VALUE, "shards from a registry have no region beside them",
            psprintf("idgen.region is %d.", settings.region),
            "Set idgen.region to 0; shards cover the region of a layout that has one.", "shards"};
}

void raise_if(const Refusal &why) {
    if (why.what != nullptr) refuse(why);
}

OwnRoom &room_of(Source &source) {
    if (source.room == nullptr)
        source.room = static_cast<OwnRoom *>(MemoryContextAlloc(source.memory, sizeof(OwnRoom)));
    return *source.room;
}

// Takes the node's own shards for the pool, which may be none yet if they are numbers from the registry. If it raises,
// the source has to be resolved again.
void set_pool(Source &source) {
    source.settings_generation = 0;
    bool is_list = settings.shards_from == ShardsFrom::list;
    source.pool_changes = changes_of_pool(*self.leases);
    source.pool = is_list ? settings.shards : own_set(*self.leases, room_of(source));
    raise_if(refusal_of_pool(source.layout, source.pool));
    source.is_pool = source.pool.shard_count > 1;
    source.slot.entry = nullptr;
    source.session->cursor.aim(backend_number(), Max(source.pool.shard_count, 1));
    source.settings_generation = settings.generation;
}

void resolve_own(Source &source) {
    const Layout &layout = source.layout;
    source.session = session_of(key_of(layout));
    if (layout.node_bits() == 0) {
        make_single(source, whole_or_raise(layout, 0));
        source.session->cursor.aim(backend_number(), 1);
        return;
    }
    raise_if(refusal_of_own(layout));
    source.region_top = whole_or_raise(layout, 0);
    source.follows_pool = settings.shards_from == ShardsFrom::lease;
    set_pool(source);
}

}  // namespace

void attach_backend() {
    if (self.state != nullptr) return;
    if (RecoveryInProgress()) report_recovery();
    SharedState *state = shared_state();
    join_state();
    if (self.backend == nullptr) begin_backend(backends_of(state)[backend_number()]);
    note_first_xid(state);
    attach_transaction();
    self.database = my_database(state, *self.backend);
    self.leases = &leases_of(state);
    self.state = state;
}

DrawSession new_session() noexcept {
    DrawSession session{};
    session.cursor.aim(0, 1);
    session.resets = self.database->resets;
    return session;
}

void resolve(Source &source, const Layout &layout, int64 shard_argument) {
    attach_backend();
    source.settings_generation = 0;
    source.layout = layout;
    source.shard_argument = shard_argument;
    set_packing(source, packing_of(layout));
    source.slot.entry = nullptr;
    source.held = nullptr;
    source.is_pool = source.follows_pool = false;
    bool is_kept = settings.shards_from == ShardsFrom::lease || has_registry();
    source.is_leased = is_kept && layout.node_bits() != 0;
    source.machine = self.database->horizon.machine;
    if (shard_argument == own_shards)
        resolve_own(source);
    else
        resolve_explicit(source, shard_argument);
    notice_shardless_once(layout);
    source.settings_generation = settings.generation;
}

bool look_at_own(SharedLeases &leases, const Layout &layout, OwnRoom &room, Source &source, Refusal &why) {
    source.layout = layout;
    source.shard_argument = own_shards;
    set_packing(source, packing_of(layout));
    source.is_leased = settings.shards_from == ShardsFrom::lease || has_registry();
    source.follows_pool = settings.shards_from == ShardsFrom::lease;
    why = refusal_of_own(layout);
    if (why.what != nullptr) return false;
    source.region_top = whole_or_raise(layout, 0);
    source.pool = own_set(leases, room);
    source.is_pool = source.pool.shard_count > 1;
    why = refusal_of_pool(layout, source.pool);
    return why.what == nullptr;
}

bool follow_pool(Source &source) {
    if (!source.follows_pool || source.pool_changes == changes_of_pool(*self.leases)) return false;
    set_pool(source);
    return true;
}

void require_shard(const Source &source) {
    if (source.shard_argument != own_shards) require_own(source, source.single.first, source.shard_argument);
}

void resolve_clock(Source &source, const Layout &layout) {
    attach_backend();
    source.layout = layout;
    set_packing(source, packing_of(layout));
    source.carries = true;
    source.machine = self.database->horizon.machine;
    make_single(source, clock_shard);
}

}  // namespace idgen::pg
