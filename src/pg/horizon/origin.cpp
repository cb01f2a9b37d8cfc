#include "pg/horizon/origin.hpp"

#include "pg/host/row.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

int64 own_system() noexcept {
    return static_cast<int64>(GetSystemIdentifier());
}

// Null where it is missing.
Relation open_origins(Oid schema, LOCKMODE lock) {
    Oid oid = get_relname_relid("idgen_origin", schema);
    Relation origins = OidIsValid(oid) ? try_relation_open(oid, lock) : nullptr;
    if (origins == nullptr || origins->rd_rel->relkind == RELKIND_RELATION) return origins;
    relation_close(origins, lock);
    return nullptr;
}

int64 system_in(HeapTuple tuple, TupleDesc desc) {
    bool is_null;
    Datum system = column_of(tuple, desc, 1, &is_null);
    return is_null ? 0 : DatumGetInt64(system);
}

// Calls visit(tuple, system) for each row until that says false.
template <class Visit>
void visit_origins(Relation origins, Visit visit) {
    SysScanDesc scan = systable_beginscan(origins, InvalidOid, false, nullptr, 0, nullptr);
    for (HeapTuple tuple; HeapTupleIsValid(tuple = systable_getnext(scan));)
        if (!visit(tuple, system_in(tuple, RelationGetDescr(origins)))) break;
    systable_endscan(scan);
}

void insert_own(Relation origins) {
    Datum system = Int64GetDatum(own_system());
    bool is_null = false;
    HeapTuple tuple = heap_form_tuple(RelationGetDescr(origins), &system, &is_null);
    simple_heap_insert(origins, tuple);
}

}  // namespace

Owner this_owner() {
    const char *shards = GetConfigOptionResetString("idgen.shards");
    const char *region = GetConfigOptionResetString("idgen.region");
    // Numbers from a registry are nobody else's: a copy that takes its own is none of this setting.
    const char *held = settings.shards_from == ShardsFrom::lease
                           ? psprintf("%lld", static_cast<long long>(own_system()))
                           : "";
    return {own_system(),
            fingerprint(held,
                        fingerprint(region, fingerprint("/", fingerprint(shards == nullptr ? "" : shards))))};
}

int64 foreign_origin(Oid schema) {
    Relation origins = open_origins(schema, AccessShareLock);
    if (origins == nullptr) return 0;
    int64 foreign = 0;
    visit_origins(origins, [&foreign](HeapTuple, int64 system) {
        if (system != own_system()) foreign = system;
        return foreign == 0;
    });
    relation_close(origins, AccessShareLock);
    return foreign;
}

void confirm_origin(Oid schema) {
    // One after the other, to the end of the transaction; nobody who reads waits for that.
    Relation origins = open_origins(schema, ShareRowExclusiveLock);
    if (origins == nullptr) return;
    bool has_own = false;
    visit_origins(origins, [&](HeapTuple tuple, int64 system) {
        bool is_own = system == own_system() && !has_own;
        if (is_own)
            has_own = true;
        else
            simple_heap_delete(origins, &tuple->t_self);
        return true;
    });
    if (!has_own) insert_own(origins);
    relation_close(origins, NoLock);
    CommandCounterIncrement();
}

}  // namespace idgen::pg
