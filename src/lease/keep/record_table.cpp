#include "lease/keep/record_table.hpp"

#include "core/text/big_endian.hpp"

namespace idgen::lease {
namespace {

// The extension's schema, quoted, by palloc; null where it is not there.
const char *schema_of_table() {
    constexpr const char *query =
        "SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension e JOIN "
        "pg_catalog.pg_namespace n "
        "ON n.oid OPERATOR(pg_catalog.=) e.extnamespace WHERE e.extname OPERATOR(pg_catalog.=) "
        "'idgen_lease'::pg_catalog.name";
    if (SPI_execute(query, true, 1) != SPI_OK_SELECT || SPI_processed == 0) return nullptr;
    return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
}

// Calls work(schema) in a transaction. False where there is no table.
template <class Work>
bool in_transaction(Work work) {
    SetCurrentStatementStartTimestamp();
    StartTransactionCommand();
    SPI_connect();
    PushActiveSnapshot(GetTransactionSnapshot());
    const char *schema = schema_of_table();
    if (schema != nullptr) work(schema);
    PopActiveSnapshot();
    SPI_finish();
    CommitTransactionCommand();
    return schema != nullptr;
}

Datum uuid_of(const RegistryIdentity &identity) {
    auto *uuid = static_cast<pg_uuid_t *>(palloc(sizeof(pg_uuid_t)));
    store_big_endian(identity.high, uuid->data);
    store_big_endian(identity.low, uuid->data + 8);
    return UUIDPGetDatum(uuid);
}

RegistryIdentity identity_in(Datum datum) {
    const pg_uuid_t *uuid = DatumGetUUIDP(datum);
    return {load_big_endian<uint64>(uuid->data), load_big_endian<uint64>(uuid->data + 8)};
}

// Columns are those of the query in read_records; none is null.
LeaseRecord record_in(HeapTuple row, TupleDesc desc) {
    bool is_null;
    auto column = [&](int number) { return SPI_getbinval(row, desc, number, &is_null); };
    return {identity_in(column(1)), DatumGetInt32(column(2)), DatumGetInt64(column(3)),
            DatumGetInt64(column(4)), DatumGetInt64(column(5))};
}

void read_rows(RecordTable &table, const char *schema) {
    const char *query = psprintf(
        "SELECT registry, number, accepted, proposed, identity FROM %s.idgen_lease_record ORDER BY number",
        schema);
    SPI_execute(query, true, lengthof(table.rows));
    for (uint64 i = 0; i < SPI_processed; i++)
        table.rows[table.count++] = record_in(SPI_tuptable->vals[i], SPI_tuptable->tupdesc);
}

}  // namespace

bool read_records(RecordTable &table) {
    table.count = 0;
    return in_transaction([&table](const char *schema) { read_rows(table, schema); });
}

bool write_record(const LeaseRecord &record) {
    return in_transaction([&record](const char *schema) {
        const char *query = psprintf(
            "INSERT INTO %s.idgen_lease_record AS r (registry, number, accepted, proposed, identity) "
            "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (number) DO UPDATE SET registry = EXCLUDED.registry, "
            "accepted = EXCLUDED.accepted, proposed = EXCLUDED.proposed, identity = EXCLUDED.identity",
            schema);
        Oid types[] = {UUIDOID, INT4OID, INT8OID, INT8OID, INT8OID};
        Datum values[] = {uuid_of(record.registry), Int32GetDatum(static_cast<int32>(record.number)),
                          Int64GetDatum(record.accepted), Int64GetDatum(record.proposed),
                          Int64GetDatum(record.identity)};
        SPI_execute_with_args(query, lengthof(values), types, values, nullptr, false, 0);
    });
}

void forget_record(int64 number) {
    in_transaction([number](const char *schema) {
        const char *query =
            psprintf("DELETE FROM %s.idgen_lease_record WHERE number OPERATOR(pg_catalog.=) $1", schema);
        Oid types[] = {INT4OID};
        Datum values[] = {Int32GetDatum(static_cast<int32>(number))};
        SPI_execute_with_args(query, 1, types, values, nullptr, false, 0);
    });
}

}  // namespace idgen::lease
