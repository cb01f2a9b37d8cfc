// Rows: of the server's catalogs and of tables that stand among them, read; of a set that a function returns, made.
#pragma once

#include "core/layout/instant.hpp"
#include "pg/postgres.hpp"

namespace idgen::pg {

// A column of a row. Not by heap_getattr(), which is inlined: as 15.20 has it, it calls a function of the server that
// 15.18 lacks.
inline Datum column_of(HeapTuple row, TupleDesc desc, int number, bool *is_null) {
    return SPI_getbinval(row, desc, number, is_null);
}

// The row itself, if all of its columns before the first of variable length are meant.
template <class Form>
const Form &form_of(HeapTuple row) {
    return *reinterpret_cast<const Form *>(GETSTRUCT(row));
}

inline ScanKeyData oid_is(AttrNumber column, Oid value) {
    ScanKeyData key;
    ScanKeyInit(&key, column, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(value));
    return key;
}

// Calls visit(row) for the rows that an index finds by its keys, or for all if it is invalid; until it returns false.
template <class Visit>
void scan(Relation relation, Oid index, ScanKeyData *keys, int count, Snapshot snapshot, Visit visit) {
    SysScanDesc found = systable_beginscan(relation, index, OidIsValid(index), snapshot, count, keys);
    for (HeapTuple row; HeapTupleIsValid(row = systable_getnext(found)) && visit(row);) continue;
    systable_endscan(found);
}

// The same for a catalog, with visit(row, desc), and as the current command sees it.
template <class Visit>
void scan_catalog(Oid catalog, Oid index, ScanKeyData *keys, int count, Visit visit) {
    Relation relation = table_open(catalog, AccessShareLock);
    scan(relation, index, keys, count, nullptr, [&](HeapTuple row) { return visit(row, RelationGetDescr(relation)); });
    table_close(relation, AccessShareLock);
}

// As an SQL identifier. One that is gone meanwhile has a number.
inline const char *identifier_of(const char *name, Oid oid) {
    return name == nullptr ? psprintf("\"%u\"", oid) : quote_identifier(name);
}
inline const char *role_name(Oid role) {
    return identifier_of(GetUserNameFromId(role, true), role);
}

// A row being put together. A column that is not set is null; one that the function's SQL does not declare is left out.
class Row {
   public:
    explicit Row(ReturnSetInfo *rows) noexcept : rows_(rows) {
        Assert(rows->setDesc->natts <= most_columns);
        for (bool &null : nulls_) null = true;
    }
    void set(const char *column, Datum value) noexcept {
        for (int i = 0; i < rows_->setDesc->natts; i++) {
            if (strcmp(NameStr(TupleDescAttr(rows_->setDesc, i)->attname), column) != 0) continue;
            values_[i] = value;
            nulls_[i] = false;
        }
    }
    void set_if(bool known, const char *column, Datum value) noexcept {
        if (known) set(column, value);
    }
    void put() { tuplestore_putvalues(rows_->setResult, rows_->setDesc, values_, nulls_); }

   private:
    static constexpr int most_columns = 32;
    ReturnSetInfo *rows_;
    Datum values_[most_columns] = {};
    bool nulls_[most_columns];
};

// Values of columns: a count, a time in ms of one in us, an instant of unix ms.
inline Datum count_datum(uint64 count) {
    return Int64GetDatum(static_cast<int64>(count));
}

inline Datum ms_datum(uint64 us) {
    return Float8GetDatum(static_cast<double>(us) / 1000);
}

inline Datum int_datum(uint32 count) {
    return Int32GetDatum(static_cast<int32>(count));
}

inline Datum time_datum(int64 at_ms) {
    return TimestampTzGetDatum(us_of(at_ms));
}

}  // namespace idgen::pg
