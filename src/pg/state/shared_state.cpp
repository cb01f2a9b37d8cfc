#include "pg/state/shared_state.hpp"

#include "pg/host/machine.hpp"
#include "pg/state/libraries.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

// Bump with any change to the structs: a DSM segment outlives a change of the library.
constexpr const char *state_name = "idgen state 22";
constexpr size_t state_name_prefix = sizeof("idgen state ") - 1;

SharedState *attached = nullptr;
bool preloaded = false;
// The machine when the server's main process loaded the library. In its own memory, which others inherit: shared memory
// is made again after a crash, and may then be in a copy.
uint64 started_in = 0;
shmem_request_hook_type previous_request_hook = nullptr;
shmem_startup_hook_type previous_startup_hook = nullptr;

// Where the arrays lie behind the SharedState, in bytes.
struct Plan {
    size_t slots;
    size_t databases;
    size_t backends;
    size_t processes;
    size_t prepared;
    size_t buckets;
    size_t leases;
};

Plan plan_for(const StateSizes &sizes) noexcept {
    Plan plan;
    plan.slots = sizeof(SharedState) + size_of_kinds();
    plan.databases = plan.slots + sizes.max_slots * sizeof(SharedSlot);
    plan.backends = plan.databases + sizes.max_databases * sizeof(SharedDatabase);
    plan.processes = plan.backends + sizes.backend_count * sizeof(SharedBackend);
    plan.prepared = plan.processes + sizes.backend_count * sizeof(SharedProcess);
    plan.buckets = plan.prepared + sizes.prepared_count * sizeof(PreparedEntry);
    plan.leases = CACHELINEALIGN(plan.buckets + sizes.bucket_count * sizeof(SlotBucket));
    return plan;
}

template <class T>
T *at(SharedState *state, size_t offset) noexcept {
    return reinterpret_cast<T *>(reinterpret_cast<char *>(state) + offset);
}

using Index = SlotIndex<SharedSlot>;

// Transactions that are prepared, and those of all backends that may be about to be.
uint32 prepared_limit() noexcept {
    return max_prepared_xacts == 0 ? 0 : static_cast<uint32>(max_prepared_xacts + MaxBackends);
}

// As settings have them when memory is asked for.
StateSizes sizes_to_be() noexcept {
    auto max_slots = static_cast<uint32>(settings.max_slots);
    auto max_databases = static_cast<uint32>(settings.max_databases);
    return {max_slots, max_databases, Index::buckets_for(max_slots), backend_limit(), prepared_limit()};
}

size_t state_size() noexcept {
    return plan_for(sizes_to_be()).leases + size_of_leases();
}

SharedDatabase *databases_of(SharedState *state) noexcept {
    return at<SharedDatabase>(state, plan_for(*state).databases);
}

void zero(std::initializer_list<pg_atomic_uint64 *> values) noexcept {
    for (pg_atomic_uint64 *value : values) pg_atomic_init_u64(value, 0);
}

void initialise_clock(SharedState *state) noexcept {
    state->boot = read_boot_id();
    forget(state->accepted_clock);
    pg_atomic_init_u64(&state->noted_clock_ms, static_cast<uint64>(wall_minus_boot_ms()));
    zero({&state->steps_forward, &state->steps_back, &state->errors});
    for (LogBudget &budget : state->log_budgets) budget.initialise();
}

void initialise_slots(SharedState *state) noexcept {
    for (uint32 i = 0; i < state->max_slots; i++) slots_of(state)[i].mutex.initialise();
    for (uint32 i = 0; i < state->max_databases; i++) {
        SharedDatabase &database = databases_of(state)[i];
        database.renewal_lock.initialise(state->tranche);
        database.pairs.mutex().initialise();
        zero({&database.renewals, &database.renewed_ms, &database.stall, &database.told_try_ms});
    }
    Guard<LightLock> guard(state->lock);
    directory_of(state).clear();
}

void initialise_backends(SharedState *state) noexcept {
    for (uint32 i = 0; i < state->backend_count; i++) {
        SharedBackend &backend = backends_of(state)[i];
        zero(
            {&backend.ids, &backend.ids_before, &backend.last_id, &backend.slot_tag, &backend.waits, &backend.wait_us});
        pg_atomic_init_u32(&backend.pid, 0);
        processes_of(state)[i].mutex.initialise();
    }
}

void initialise(void *memory) {
    auto *state = static_cast<SharedState *>(memory);
    memset(memory, 0, state_size());
    state->tranche = new_tranche("idgen");
    state->lock.initialise(state->tranche);
    static_cast<StateSizes &>(*state) = sizes_to_be();
    state->prepared_lock.initialise(state->tranche);
    pg_atomic_init_u64(&state->first_xid, 0);
    pg_atomic_init_u64(&state->disruptions, machine_disruptions());
    pg_atomic_init_u64(&state->doubt_error_us, 0);
    pg_atomic_init_u32(&state->copied, 0);
    pg_atomic_init_u32(&state->synchronous, static_cast<uint32>(settings.synchronous));
    state->began_in = preloaded ? started_in : machine();
    initialise(leases_of(state), state->tranche, state->began_in);
    initialise_clock(state);
    initialise_slots(state);
    initialise_backends(state);
    initialise(kinds_of(state));
}

void request_memory() {
    if (previous_request_hook != nullptr) previous_request_hook();
    RequestAddinShmemSpace(state_size());
}

void attach_at_start() {
    if (previous_startup_hook != nullptr) previous_startup_hook();
    bool found;
    LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
    // ShmemInitStruct aligns to cache lines of 128 bytes.
    attached = static_cast<SharedState *>(ShmemInitStruct(state_name, state_size(), &found));
    if (!found) initialise(attached);
    LWLockRelease(AddinShmemInitLock);
    if (!found) open_saved_leases();
    name_tranche(attached->tranche, "idgen");
}

uint32 state_number() noexcept {
    return static_cast<uint32>(strtoul(state_name + state_name_prefix, nullptr, 10));
}

void log_clock_back(int64 by_ms) {
    ereport(
        LOG, errmsg("the clock of this machine was set back by %s", duration_text(by_ms)),
        errdetail(
            "IDs go on above the last ones: held up to idgen.max_lead (%s) ahead of the clock, waited for up to idgen.max_wait, refused beyond.",
            duration_text(settings.max_lead_ms)),
        errhint("See what set it; a clock that is slewed, not stepped, keeps IDs going."));
}

void log_clock_forward(int64 by_ms) {
    bool is_too_far = by_ms > settings.max_clock_jump_ms;
    const char *limit = duration_text(settings.max_clock_jump_ms);
    ereport(LOG, errmsg("the clock of this machine was set forward by %s", duration_text(by_ms)),
            is_too_far ? errdetail("That is more than idgen.max_clock_jump (%s): no ID takes this time.", limit)
                       : errdetail("That is within idgen.max_clock_jump (%s): IDs take this time.", limit),
            is_too_far ? errhint("%s", accept_clock_hint) : 0);
}

// The host says that the clock may be wrong now. Of all sessions that see it, one notes it.
void note_disruption(SharedState *state) {
    uint64 now = machine_disruptions();
    uint64 noted = pg_atomic_read_u64(&state->disruptions);
    if (likely(now == noted) || !compare_exchange(state->disruptions, noted, now)) return;
    pg_atomic_write_u64(&state->doubt_error_us, static_cast<uint64>(kernel_clock().max_error_us) + 1);
    if (!may_log(state, Cause::clock_disrupted)) return;
    ereport(
        LOG, errmsg("this machine was moved to another host, or paused"),
        errdetail("Its clock may be wrong until the time service has corrected it. Its shards stay its own."),
        errhint("See that chrony, ntpd or systemd-timesyncd runs; idgen.require_clock_sync makes IDs wait for it."));
}

}  // namespace

SharedSlot *slots_of(SharedState *state) noexcept {
    return at<SharedSlot>(state, plan_for(*state).slots);
}
SharedBackend *backends_of(SharedState *state) noexcept {
    return at<SharedBackend>(state, plan_for(*state).backends);
}
SharedProcess *processes_of(SharedState *state) noexcept {
    return at<SharedProcess>(state, plan_for(*state).processes);
}
PreparedEntry *prepared_of(SharedState *state) noexcept {
    return at<PreparedEntry>(state, plan_for(*state).prepared);
}
SharedLeases &leases_of(SharedState *state) noexcept {
    return *at<SharedLeases>(state, plan_for(*state).leases);
}
SlotDirectory directory_of(SharedState *state) noexcept {
    SharedSlot *slots = slots_of(state);
    auto *buckets = at<SlotBucket>(state, plan_for(*state).buckets);
    Index index(buckets, state->bucket_count, slots);
    return {state->directory, slots, state->max_slots, databases_of(state), state->max_databases, index};
}
const SlotDirectory unlocked_directory_of(SharedState *state) noexcept IDGEN_LOCKS(no_thread_safety_analysis) {
    return directory_of(state);
}

void install_shared_state_hooks() {
    preloaded = true;
    started_in = machine();
    previous_request_hook = shmem_request_hook;
    shmem_request_hook = request_memory;
    previous_startup_hook = shmem_startup_hook;
    shmem_startup_hook = attach_at_start;
}

void publish_synchronous(int value) noexcept {
    bool is_current = !IsParallelWorker() && ConfigReloadPending == 0;
    if (attached != nullptr && is_current) pg_atomic_write_u32(&attached->synchronous, static_cast<uint32>(value));
}

bool is_preloaded() noexcept {
    return preloaded;
}

SharedState *attached_state() noexcept {
    return attached;
}

void note_loading() {
    bool is_asked_for_leaders = max_prepared_xacts > 0 || is_watched();
    if (is_asked_for_leaders && IsUnderPostmaster) note_library(state_number());
}

SharedState *find_shared_state() {
    if (attached != nullptr) return attached;
    void *memory = attach_from_registry(state_name, state_size(), initialise);
    if (memory == nullptr) return nullptr;
    note_state(state_number());
    attached = static_cast<SharedState *>(memory);
    name_tranche(attached->tranche, "idgen");
    // It may have been set while no session was attached to announce it.
    publish_synchronous(settings.synchronous);
    reserve_settings();
    return attached;
}

SharedState *shared_state() {
    if (find_shared_state() == nullptr)
        ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("idgen is not loaded by the server"),
                errdetail("IDs are made from shared memory, which is set up when the server starts."),
                errhint("%s", preload_hint()));
    return attached;
}

void note_error() noexcept {
    if (attached != nullptr) pg_atomic_fetch_add_u64(&attached->errors, 1);
}

void refuse(const Refusal &refusal) {
    note_error();
    raise(refusal);
}

void note_first_xid(SharedState *state) noexcept {
    uint64 unknown = 0;
    if (pg_atomic_read_u64(&state->first_xid) != unknown) return;
    compare_exchange(state->first_xid, unknown, U64FromFullTransactionId(ReadNextFullTransactionId()));
}

void note_copied_machine(SharedState *state) {
    if (!leave_numbers(leases_of(state))) return;
    pg_atomic_fetch_add_u32(&state->copied, 1);
    ereport(
        LOG, errmsg("this machine was resumed from a snapshot of its memory"),
        errdetail(
            "Others may go on from the same instant. What this server held until then is left: its windows, its numbers and tickets from a registry, and its random bytes."),
        errhint(
            "Shards and launch numbers that were given by hand may now be on two machines: IDs by them need idgen.confirm_shards()."));
}

bool is_clock_doubtful(SharedState *state, const ClockState &kernel) noexcept {
    uint64 doubt = pg_atomic_read_u64(&state->doubt_error_us);
    if (likely(doubt == 0)) return false;
    bool is_over = has_spoken_since(static_cast<int64>(doubt - 1), kernel);
    uint64 next = is_over ? 0 : static_cast<uint64>(kernel.max_error_us) + 1;
    return !compare_exchange(state->doubt_error_us, doubt, next) || !is_over;
}

ClockReading watched_clock(SharedState *state) {
    note_disruption(state);
    ClockReading clock = read_clock();
    uint64 noted = pg_atomic_read_u64(&state->noted_clock_ms);
    int64 step_ms = step_between(static_cast<int64>(noted), clock.difference_ms);
    if (step_ms == 0) return clock;
    // Of all sessions that see the step, one counts it.
    auto now = static_cast<uint64>(clock.difference_ms);
    if (!compare_exchange(state->noted_clock_ms, noted, now)) return clock;
    bool is_forward = step_ms > 0;
    pg_atomic_fetch_add_u64(is_forward ? &state->steps_forward : &state->steps_back, 1);
    if (may_log(state, is_forward ? Cause::clock_forward : Cause::clock_back))
        is_forward ? log_clock_forward(step_ms) : log_clock_back(-step_ms);
    return clock;
}

bool may_log(SharedState *state, Cause cause) noexcept {
    return state->log_budgets[static_cast<size_t>(cause)].spend(1);
}

}  // namespace idgen::pg
