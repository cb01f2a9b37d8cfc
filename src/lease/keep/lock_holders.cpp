#include "lease/keep/lock_holders.hpp"

namespace idgen::lease {
namespace {

// Only functions of the server itself, called by the names of its own schema. A prepared transaction's locks
// have no process; its lock of its own number says which transaction it is.
constexpr const char *query =
    "SELECT pg_catalog.string_agg(DISTINCT pg_catalog.format('%s has %s of %s',"
    "   CASE WHEN l.pid IS NOT NULL THEN pg_catalog.format('process %s', l.pid)"
    "        ELSE pg_catalog.format('prepared transaction \"%s\"', p.gid) END, l.mode,"
    "   CASE WHEN l.relation >= 16384 THEN 'it' ELSE pg_catalog.format('catalog %s', l.relation) END), ', ')"
    "  FROM pg_catalog.pg_lock_status() AS l"
    "  LEFT JOIN pg_catalog.pg_lock_status() AS own"
    "    ON l.pid IS NULL AND own.pid IS NULL AND own.locktype OPERATOR(pg_catalog.=) 'transactionid'::text"
    "   AND own.virtualtransaction OPERATOR(pg_catalog.=) l.virtualtransaction"
    "  LEFT JOIN pg_catalog.pg_prepared_xact() AS p"
    "    ON p.transaction OPERATOR(pg_catalog.=) own.transactionid"
    " WHERE l.granted AND l.locktype OPERATOR(pg_catalog.=) 'relation'::text"
    "   AND (l.database OPERATOR(pg_catalog.=) $2"
    "   AND l.relation OPERATOR(pg_catalog.=) $1"
    "   AND l.mode OPERATOR(pg_catalog.=) ANY "
    "('{ShareLock,ShareRowExclusiveLock,ExclusiveLock,AccessExclusiveLock}'::text[])"
    "    OR l.database OPERATOR(pg_catalog.=) ANY (ARRAY[0::oid, $2]) AND l.relation OPERATOR(pg_catalog.<) "
    "16384::oid"
    "   AND l.mode OPERATOR(pg_catalog.=) 'AccessExclusiveLock'::text)";

}  // namespace

const char *lock_holders(Oid relation, MemoryContext memory) {
    Oid types[] = {OIDOID, OIDOID};
    Datum values[] = {ObjectIdGetDatum(relation), ObjectIdGetDatum(MyDatabaseId)};
    const char *holders = nullptr;
    SPI_connect();
    PushActiveSnapshot(GetTransactionSnapshot());
    if (SPI_execute_with_args(query, lengthof(types), types, values, nullptr, true, 1) == SPI_OK_SELECT &&
        SPI_processed == 1)
        holders = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
    if (holders != nullptr) holders = MemoryContextStrdup(memory, holders);
    PopActiveSnapshot();
    SPI_finish();
    return holders;
}

}  // namespace idgen::lease
