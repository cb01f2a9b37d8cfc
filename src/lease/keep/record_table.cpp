#include "lease/keep/record_table.hpp"

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

}  // namespace

bool read_records(int64 identity, RecordTable &table) {
    table.count = 0;
    return in_transaction(AccessShareLock, [&](Relation records) {
        table.count = copy_records(records, identity, table.rows, lengthof(table.rows));
    });
}

bool write_record(const LeaseRecord &record) {
    return in_transaction(ShareRowExclusiveLock,
                          [&record](Relation records) { put_record(records, record); });
}

void forget_record(int64 identity, int64 number) {
    in_transaction(ShareRowExclusiveLock,
                   [&](Relation records) { remove_record(records, identity, number); });
}

}  // namespace idgen::lease
