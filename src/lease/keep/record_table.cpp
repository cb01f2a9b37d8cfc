#include "lease/keep/record_table.hpp"

#include <algorithm>

#include "lease/keep/record_relation.hpp"

namespace idgen::lease {
namespace {

// Calls work(table) in a transaction. False where there is no table.
template <class Work>
bool in_transaction(LOCKMODE mode, Work work) {
    SetCurrentStatementStartTimestamp();
    StartTransactionCommand();
    Relation records = open_records(mode);
    if (records != nullptr) {
        work(records);
        close_records(records);
    }
    CommitTransactionCommand();
    return records != nullptr;
}

bool is_below(const LeaseRecord &a, const LeaseRecord &b) noexcept {
    return a.number < b.number;
}

}  // namespace

bool read_records(RecordTable &table) {
    table.count = 0;
    bool is_there = in_transaction(AccessShareLock, [&table](Relation records) {
        table.count = copy_records(records, table.rows, lengthof(table.rows));
    });
    std::sort(table.rows, table.rows + table.count, is_below);
    return is_there;
}

bool write_record(const LeaseRecord &record) {
    return in_transaction(ShareRowExclusiveLock,
                          [&record](Relation records) { put_record(records, record); });
}

void forget_record(int64 number) {
    in_transaction(ShareRowExclusiveLock, [number](Relation records) { remove_record(records, number); });
}

}  // namespace idgen::lease
