// Rows of a set that a function returns, and values in them.
#pragma once

#include "pg/postgres.hpp"

#include "core/layout/instant.hpp"

namespace idgen::pg {

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
