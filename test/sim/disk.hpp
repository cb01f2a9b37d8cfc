// The pages of the durable records and the WAL that carries them. A record's LSN is its place in the WAL, from 1.
//
//      records:   1 ......... flushed ......... inserted
//                 survive a crash | may be lost, from the end
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/horizon/renewal.hpp"
#include "leases.hpp"
#include "scenario.hpp"
#include "transactions.hpp"

namespace idgen::sim {

using Lsn = std::size_t;

// The clock that a record was written under, as the oracle remembers it: on which boot, and how far above the boot time
// the highest was that was believed.
struct Believed {
    std::uint64_t boot;  // 0: none
    std::int64_t difference_ms;
};

struct WalEntry {
    int database;
    Record kind;
    DurableRecord record;
    Believed believed;
    bool is_vouched;         // somebody says that it may be lower than the one before
    bool is_number = false;  // the record of a number instead
    int place = 0;           // which
    LeaseRecord number = {};
    TransactionRecord transaction = {};  // what it says of one, if it is no page
    PagePairs pairs = {};                // in the page of a horizon

    bool is_page() const noexcept { return transaction.act == Act::none; }
};

struct Disk {
    std::vector<WalEntry> wal;
    Lsn flushed = 0;
    WalEntry pages[max_databases][2] = {};        // in buffers: what the WAL says, but for what was not logged
    LeaseRecord numbers[max_leases] = {};         // the same
    DurableRecord durable[max_databases] = {};    // the horizon that would survive
    std::int64_t durable_ms[max_databases] = {};  // the highest up to there
    Lsn lsns[max_databases][2] = {};              // of the pages

    Lsn inserted() const noexcept { return wal.size(); }
    WalEntry &page(int database, Record kind) noexcept { return pages[database][static_cast<int>(kind)]; }
    const DurableRecord &horizon(int database) const noexcept { return pages[database][0].record; }

    Lsn write(const WalEntry &entry) {
        wal.push_back(entry);
        apply(entry, wal.size());
        return wal.size();
    }
    Lsn lsn(int database, Record kind) const noexcept { return lsns[database][static_cast<int>(kind)]; }
    Lsn write_act(Act act, Xid xid, int database, const Lowest &drawn) {
        WalEntry entry{};
        entry.database = database;
        entry.transaction = {act, xid, drawn};
        return write(entry);
    }
    void write_number(int place, const LeaseRecord &number) {
        write({0, Record::horizon, {}, {}, false, true, place, number});
    }

    void flush(Lsn lsn) noexcept {
        for (lsn = std::min(lsn, wal.size()); flushed < lsn; flushed++) {
            const WalEntry &entry = wal[flushed];
            std::int64_t &highest_ms = durable_ms[entry.database];
            if (entry.kind != Record::horizon || entry.is_number || !entry.is_page()) continue;
            durable[entry.database] = entry.record;
            highest_ms = entry.is_vouched ? entry.record.value : std::max(highest_ms, entry.record.value);
        }
    }

    // Recovers with the records up to `lsn`, which are durable from then on.
    void recover(Lsn lsn) {
        wal.resize(lsn);
        flushed = 0;
        std::fill_n(durable_ms, max_databases, 0);
        flush(lsn);
        std::fill_n(numbers, max_leases, LeaseRecord{});
        for (Lsn i = 0; i < wal.size(); i++) apply(wal[i], i + 1);
    }

    // Receives the sender's records up to `lsn`. Requires that what is here is a prefix of them.
    void receive(const Disk &sender, Lsn lsn) {
        while (wal.size() < lsn) write(sender.wal[wal.size()]);
    }

    // Puts a record where it belongs.
    void apply(const WalEntry &entry, Lsn lsn) noexcept {
        if (!entry.is_page()) return;
        if (entry.is_number) {
            numbers[entry.place] = entry.number;
            return;
        }
        page(entry.database, entry.kind) = entry;
        lsns[entry.database][static_cast<int>(entry.kind)] = lsn;
    }
};

}  // namespace idgen::sim
