// Rows of a set that a function returns.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

// A row being put together: its values in order, null where left out.
template <int columns>
class Row {
   public:
    Row() noexcept {
        for (bool &null : nulls_) null = true;
    }
    void add(Datum value) noexcept {
        values_[next_] = value;
        nulls_[next_++] = false;
    }
    void add_if(bool known, Datum value) noexcept {
        if (known)
            add(value);
        else
            next_++;
    }
    void put(ReturnSetInfo *rows) {
        Assert(next_ == columns && rows->setDesc->natts == columns);
        tuplestore_putvalues(rows->setResult, rows->setDesc, values_, nulls_);
    }

   private:
    Datum values_[columns] = {};
    bool nulls_[columns];
    int next_ = 0;
};

}  // namespace idgen::pg
