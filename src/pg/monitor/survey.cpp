#include "pg/monitor/survey.hpp"

#include <algorithm>

#include "pg/horizon/durable_page.hpp"
#include "pg/host/server_identity.hpp"
#include "pg/state/own_transaction.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/slot_directory.hpp"
#include "pg/state/standby.hpp"

namespace idgen::pg {
namespace {

SlotOwner owner_of(const SlotKey &key, LayoutForm form) noexcept {
    bool is_clock = key.shard == clock_shard;
    return {layout_of(key.packing, form), is_clock ? 0 : key.shard, is_clock};
}

SlotCopy copy_of(SharedSlot &entry) noexcept {
    Guard<SpinLock> guard(entry.mutex);
    return {entry.link.key, entry.form, entry.use, entry.slot, entry.waits, entry.wait_us, entry.max_lead_ms};
}

// Copies whose slot a tag is of; false if it is no slot's, or that one is another shard's now.
bool copy_owner(SharedState *state, uint64 slot_tag, SlotOwner &owner) noexcept {
    auto number = static_cast<uint32>(slot_tag);
    if (number >= state->max_slots) return false;
    SharedSlot &slot = slots_of(state)[number];
    SlotKey key;
    LayoutForm form;
    {
        Guard<SpinLock> guard(slot.mutex);
        if (slot.generation != slot_tag >> 32) return false;
        key = slot.link.key;
        form = slot.form;
    }
    owner = owner_of(key, form);
    return true;
}

void look_at_page(const SharedState *state, Survey &survey) {
    RecordPage page;
    survey.page = peek_page(Record::horizon, page);
    if (survey.page != Renewal::granted) return;
    survey.record = page.record;
    survey.told_until = page.pairs.newest();
    bool is_in_bounds = is_horizon(survey.record.value);
    if (!is_in_bounds) survey.page = Renewal::out_of_bounds;
    if (is_in_bounds) survey.horizon_ms = survey.record.value;
    survey.origin_read = Renewal::granted;
    if (survey.record.owner == 0) survey.origin_read = read_foreign_origin(survey.foreign_origin);
    if (has_registry()) return;
    DurableRecord record = with_origin(survey.record, survey.foreign_origin);
    Owner owner{own_system(), name_of_machine(machine()), 0};
    owner.began = state == nullptr ? owner.machine : name_of_machine(state->began_in);
    if (is_copy(record, owner)) survey.copied_from = record.owner;
    survey.is_resumed = is_copied_machine(record, owner, read_boot_id());
}

// Whether a layout lacks a shard of the list in idgen.shards. A region that it lacks too is another matter.
bool is_narrow(const Layout &layout) noexcept {
    if (settings.shards.empty() || layout.node_bits() == 0) return false;
    auto region = static_cast<uint32>(settings.region);
    return (region == 0 || layout.region_bits != 0) && settings.shards.largest() > largest_shard(layout, region);
}

// A draw that fails leaves no slot: before any succeeds, the default layout counts.
void look_at_width(const SlotCopies &slots, Survey &survey) noexcept {
    const Layout &standard = preset(0).layout;
    PackingKey usual = key_of(standard);
    bool is_used = false;
    bool is_standard = false;
    for (uint32 i = 0; i < slots.count; i++) {
        SlotOwner owner = owner_of(slots.rows[i]);
        if (owner.is_clock || owner.layout.node_bits() == 0) continue;
        is_used = true;
        is_standard |= memcmp(&slots.rows[i].key.packing, &usual, sizeof(usual)) == 0;
        survey.usual = owner.layout;
        if (survey.has_narrow) continue;
        survey.narrow = owner.layout;
        survey.has_narrow = is_narrow(owner.layout);
    }
    if (is_standard || !is_used) survey.usual = standard;
    if (is_used) return;
    survey.narrow = standard;
    survey.has_narrow = is_narrow(standard);
}

void look_at_slot(const SlotCopy &copy, Survey &survey) noexcept {
    SlotOwner owner = owner_of(copy);
    Packing p = packing_of(owner.layout);
    int64 lead_ms = ms_down(start_of(p, copy.slot.tick)) - survey.now_ms;
    if (copy.slot.sequence != no_sequence && lead_ms > survey.lead_ms) survey.lead_ms = lead_ms;
    // The hybrid logical clock has no shard either, but no layout.
    bool is_shardless = owner.layout.node_bits() == 0 && !owner.is_clock;
    if (is_shardless && !survey.has_shardless) survey.shardless = owner.layout;
    survey.has_shardless |= is_shardless;
    int64 end_ms = ms_down(end_of_first_turn(owner.layout));
    if (p.wraps || end_ms >= survey.end_ms) return;
    survey.ending = owner.layout;
    survey.end_ms = end_ms;
}

bool is_number_below(const SlotCopy &a, const SlotCopy &b) noexcept {
    int order = memcmp(&a.key.packing, &b.key.packing, sizeof(PackingKey));
    return order != 0 ? order < 0 : a.key.shard < b.key.shard;
}

// Of databases that are gone slots may be left.
void look_at_twins(const SlotCopies &slots, uint32 own_count, Survey &survey) {
    SlotCopy *own_end = slots.rows + own_count;
    std::sort(slots.rows, own_end, is_number_below);
    for (SlotCopy *other = own_end; other < slots.rows + slots.count && survey.twin_name == nullptr; other++) {
        const SlotCopy *own = std::lower_bound(slots.rows, own_end, *other, is_number_below);
        if (own == own_end || is_number_below(*other, *own) || own->key.packing.node_bits == 0) continue;
        survey.twin = {own->key.shard, owner_of(*own).layout};
        survey.twin_name = get_database_name(other->key.database);
    }
}

void look_at_slots(SharedState *state, Survey &survey) {
    survey.ending = preset(0).layout;
    survey.end_ms = ms_down(end_of_first_turn(survey.ending));
    survey.slots_limit = static_cast<uint32>(slots_per_database());
    survey.server_slots_limit = state->max_slots;
    survey.server_databases = count_databases(state);
    survey.server_databases_limit = state->max_databases;
    SlotCopies slots = copy_slots(state);
    // The clock after the slots: else an ID made in between would lie further ahead than it may.
    survey.now_ms = wall_ms();
    SlotCounts database, server;
    count_slots(slots, database, server);
    survey.slots = database.all;
    survey.server_slots = server.all;
    survey.others_used = database.other >= slots_for_others(survey.slots_limit) ||
                         server.other >= slots_for_others(survey.server_slots_limit);
    // This database's slots go to the front.
    auto is_mine = [](const SlotCopy &copy) { return is_of_database(copy, MyDatabaseId); };
    std::partition(slots.rows, slots.rows + slots.count, is_mine);
    uint32 own_count = database.all;
    look_at_width({slots.rows, own_count}, survey);
    for (uint32 i = 0; i < own_count; i++) look_at_slot(slots.rows[i], survey);
    look_at_twins(slots, own_count, survey);
}

void look_at_renewals(SharedState *state, Survey &survey) {
    SharedDatabase *database = find_database(state);
    if (database == nullptr) return;
    survey.renewals = pg_atomic_read_u64(&database->renewals);
    survey.renewed_ms = static_cast<int64>(pg_atomic_read_u64(&database->renewed_ms));
    uint64 stall = pg_atomic_read_u64(&database->stall);
    survey.stall_ms = stall_ms(stall, monotonic_ms());
    survey.advanced_ms = database->horizon.advanced_ms;
    Arrivals &arrivals = database->arrivals;
    survey.arrived_others = pg_atomic_read_u64(&arrivals.others);
    survey.arrived_perhaps = pg_atomic_read_u64(&arrivals.perhaps);
    survey.arrived_id = static_cast<int64>(pg_atomic_read_u64(&arrivals.last_id));
    survey.arrived_place = pg_atomic_read_u64(&arrivals.last_place);
}

void look_at_clock(SharedState *state, Survey &survey) noexcept {
    SharedDatabase *database = find_database(state);
    uint32 known = database == nullptr ? 0 : database->horizon.confirmations;
    int64 accepted_ms = accepted_for(state->accepted_clock, known, survey.record, state->boot);
    survey.has_accepted_clock = accepted_ms != nothing_accepted;
    if (survey.has_accepted_clock) survey.clock_offset_ms = wall_minus_boot_ms() - accepted_ms;
    survey.machine_copied = pg_atomic_read_u32(&state->copied);
    survey.is_clock_doubtful = is_clock_doubtful(state, kernel_clock());
    survey.steps_forward = pg_atomic_read_u64(&state->steps_forward);
    survey.steps_back = pg_atomic_read_u64(&state->steps_back);
}

void look_at_readers(SharedState *state, Survey &survey) {
    survey.has_settled = !survey.in_recovery;
    if (!survey.has_settled) return;
    survey.settled = look_at_settled(state, wall_ms());
    if (survey.settled.held_by != HeldBy::process) return;
    survey.holder_pid = static_cast<uint32>(ProcGlobal->allProcs[survey.settled.holder].pid);
    for (int i = 0; i < pgstat_fetch_stat_numbackends(); i++) {
        const PgBackendStatus &status = session_status(i);
        if (static_cast<uint32>(status.st_procpid) == survey.holder_pid)
            survey.held_since = status.st_xact_start_timestamp;
    }
}

ClockUse use_of_clock(const Survey &survey) {
    if (settings.require_clock_sync != static_cast<int>(RequireClockSync::off)) return ClockUse::setting;
    if (survey.leases != nullptr) return ClockUse::registry;
    if (survey.has_standby_names) return ClockUse::synchronous;
    if (survey.in_recovery) return ClockUse::promotion;
    if (has_standby()) return ClockUse::standby;
    return XLogArchivingActive() ? ClockUse::archive : ClockUse::none;
}

void look_at_memory(SharedState *state, Survey &survey) {
    survey.lacks_standbys = lacks_standbys(state);
    look_at_slots(state, survey);
    look_at_renewals(state, survey);
    look_at_clock(state, survey);
    look_at_readers(state, survey);
    if (has_registry()) survey.leases = &survey_leases(leases_of(state));
}

}  // namespace

SlotOwner owner_of(const SlotCopy &copy) noexcept {
    return owner_of(copy.key, copy.form);
}

SlotCopies copy_slots(SharedState *state) {
    uint32 used = unlocked_directory_of(state).slots_used();
    SlotCopies copies{static_cast<SlotCopy *>(palloc((used + 1) * sizeof(SlotCopy))), 0};
    for (uint32 i = 0; i < used; i++) {
        SlotCopy &row = copies.rows[copies.count];
        row = copy_of(slots_of(state)[i]);
        if (row.key.database != 0) copies.count++;
    }
    return copies;
}

void count_slots(const SlotCopies &slots, SlotCounts &database, SlotCounts &server) noexcept {
    database = server = {0, 0};
    for (uint32 i = 0; i < slots.count; i++) {
        add_slot(server, slots.rows[i].use);
        if (is_of_database(slots.rows[i], MyDatabaseId)) add_slot(database, slots.rows[i].use);
    }
}

bool copy_backend(SharedState *state, uint32 number, BackendCopy &copy) noexcept {
    SharedBackend &backend = backends_of(state)[number];
    copy.pid = pg_atomic_read_u32(&backend.pid);
    pg_read_barrier();
    copy.last_id = pg_atomic_read_u64(&backend.last_id);
    if (copy.pid == 0 || copy.last_id == 0) return false;
    copy.database = backend.database;
    copy.user = backend.user;
    // In this order: a reset in between would leave fewer than none.
    uint64 ids_before = pg_atomic_read_u64(&backend.ids_before);
    pg_read_barrier();
    copy.ids = pg_atomic_read_u64(&backend.ids) - ids_before;
    copy.waits = pg_atomic_read_u64(&backend.waits);
    copy.wait_us = pg_atomic_read_u64(&backend.wait_us);
    copy.announced_ms = announced_ms(state, backend.process, copy.database);
    copy.has_slot = copy_owner(state, pg_atomic_read_u64(&backend.slot_tag), copy.owner);
    pg_read_barrier();
    return pg_atomic_read_u32(&backend.pid) == copy.pid;
}

bool copy_leader(SharedState *state, uint32 process, BackendCopy &copy) noexcept {
    Oid database = processes_of(state)[process].database.load();
    int64 start_ms = announced_ms(state, process, database);
    if (start_ms == 0) return false;
    const volatile PGPROC &leader = ProcGlobal->allProcs[process];
    uint32 number = backend_number_of(leader);
    if (number < state->backend_count && copy_backend(state, number, copy)) return false;
    copy = BackendCopy{};
    copy.pid = static_cast<uint32>(leader.pid);
    copy.database = database;
    copy.user = leader.roleId;
    copy.announced_ms = start_ms;
    return true;
}

CitusNode surveyed_node(const Survey &survey) {
    CitusNode node = citus_node();
    bool is_known = !survey.in_recovery && survey.page == Renewal::granted && !has_registry();
    if (node.state == CitusState::member && is_known && has_clone() &&
        may_be_clone(survey.record, server_identity(), true))
        node.state = CitusState::doubtful;
    return node;
}

Survey take_survey() {
    Survey survey{};
    survey.in_recovery = RecoveryInProgress();
    survey.extension = extension_version();
    SharedState *state = find_shared_state();
    look_at_page(state, survey);
    survey.kernel = kernel_clock();
    survey.has_standby_names = has_synchronous_standbys();
    survey.standbys = connected_standbys();
    survey.schemas = find_open_schemas();
    survey.is_preloaded = is_preloaded();
    survey.is_loaded = state != nullptr;
    survey.now_ms = wall_ms();
    if (survey.is_loaded) look_at_memory(state, survey);
    survey.clock_use = use_of_clock(survey);
    if (survey.is_loaded && !survey.in_recovery) survey.outlook = look_ahead(state, survey);
    return survey;
}

}  // namespace idgen::pg
