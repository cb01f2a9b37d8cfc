#include "pg/horizon/origin.hpp"

#include "pg/horizon/durable_page.hpp"
#include "pg/host/catalog.hpp"
#include "pg/host/sequence_pages.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

int64 own_system() noexcept {
    return static_cast<int64>(GetSystemIdentifier());
}

// Whether initdb can have made it: the upper half is the unix time in seconds.
bool is_system_identifier(int64 value) noexcept {
    constexpr uint64 year_2000_s = 946684800;
    return static_cast<uint64>(value) >> 32 >= year_2000_s;
}

// Opens the sequence if its lock is free at once; a null sequence: there is none.
Renewal open_origin(LOCKMODE lock, Relation &sequence) {
    sequence = nullptr;
    Oid oid = own_schema.find_relation("origin");
    if (!OidIsValid(oid)) return Renewal::granted;
    if (!ConditionalLockRelationOid(oid, lock)) return Renewal::origin_locked;
    sequence = try_relation_open(oid, NoLock);
    if (sequence == nullptr) {
        UnlockRelationOid(oid, lock);
        return Renewal::granted;
    }
    if (check_sequence(sequence) == Renewal::granted) return Renewal::granted;
    relation_close(sequence, lock);
    sequence = nullptr;
    return Renewal::granted;
}

// The value of the sequence's page; 0 if it is damaged: such a page names no server, and cannot be written to.
int64 value_of(Relation sequence, bool &is_damaged) {
    Buffer buffer = lock_block(sequence, sequence_block, BUFFER_LOCK_SHARE);
    Form_pg_sequence_data data = sequence_data(BufferGetPage(buffer));
    is_damaged = data == nullptr;
    int64 value = is_damaged ? 0 : data->last_value;
    UnlockReleaseBuffer(buffer);
    return value;
}

// Whether a subscription of this database writes the sequence, as from PostgreSQL 19 on.
Renewal look_for_subscription(Oid sequence, bool &is_subscribed) {
    if (!ConditionalLockRelationOid(SubscriptionRelRelationId, AccessShareLock)) return Renewal::origin_locked;
    Relation relations = table_open(SubscriptionRelRelationId, NoLock);
    ScanKeyData key = oid_is(Anum_pg_subscription_rel_srrelid, sequence);
    scan(relations, SubscriptionRelSrrelidSrsubidIndexId, &key, 1, nullptr, [&is_subscribed](HeapTuple) {
        is_subscribed = true;
        return false;
    });
    table_close(relations, AccessShareLock);
    return Renewal::granted;
}

void write_value(Relation sequence, int64 value) {
    Buffer buffer = lock_block(sequence, sequence_block, BUFFER_LOCK_EXCLUSIVE);
    GenericXLogState *log = GenericXLogStart(sequence);
    set_sequence_data(GenericXLogRegisterBuffer(log, buffer, GENERIC_XLOG_FULL_IMAGE), value, 0);
    GenericXLogFinish(log);
    UnlockReleaseBuffer(buffer);
}

}  // namespace

Owner this_owner() {
    const char *shards = GetConfigOptionResetString("idgen.shards");
    const char *region = GetConfigOptionResetString("idgen.region");
    // No other server has shards from a registry: a copy that takes its own has nothing to do with this setting.
    const char *held =
        settings.shards_from == ShardsFrom::lease ? psprintf("%lld", static_cast<long long>(own_system())) : "";
    return {own_system(),
            fingerprint(held, fingerprint(region, fingerprint("/", fingerprint(shards == nullptr ? "" : shards))))};
}

Renewal read_foreign_origin(int64 &foreign) {
    foreign = 0;
    Relation sequence;
    Renewal looked = open_origin(AccessShareLock, sequence);
    if (sequence == nullptr) return looked;
    bool is_damaged = false;
    int64 origin = value_of(sequence, is_damaged);
    if (origin != own_system() && is_system_identifier(origin)) {
        bool is_subscribed = false;
        looked = look_for_subscription(RelationGetRelid(sequence), is_subscribed);
        if (!is_subscribed) foreign = origin;
    }
    relation_close(sequence, AccessShareLock);
    return looked;
}

void mirror_origin(int64 system_identifier) {
    Assert(!RecoveryInProgress());
    Relation sequence;
    open_origin(RowExclusiveLock, sequence);
    if (sequence == nullptr) return;
    bool is_damaged = false;
    bool is_other = value_of(sequence, is_damaged) != system_identifier;
    if (is_other && !is_damaged && !is_uncommitted(sequence)) write_value(sequence, system_identifier);
    relation_close(sequence, RowExclusiveLock);
}

}  // namespace idgen::pg
