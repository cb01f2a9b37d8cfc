// A server: a disk that stays, shared memory that does not, a machine with a clock, a role.
#pragma once

#include <memory>
#include <vector>

#include "clock.hpp"
#include "core/issue/draw_steps.hpp"
#include "core/issue/settled.hpp"
#include "core/issue/settled_pairs.hpp"
#include "disk.hpp"

namespace idgen::sim {

constexpr std::uint32_t max_slots = 10;
constexpr std::uint32_t bucket_count = 16;

struct NoLock {
    void lock() noexcept {}
    void unlock() noexcept {}
};

struct Database : DatabaseEntry {
    SettledPairs<NoLock> pairs{};
    bool is_locked;  // the lock of renewals
    void forget_more() noexcept {}
};

using SlotDirectory = Directory<NoLock, Database>;

// The lowest ID of each layout that a transaction has drawn.
struct Lowest {
    std::int64_t ids[max_layouts];

    Lowest() noexcept { std::fill_n(ids, max_layouts, INT64_MAX); }
};

// A client's process on a server.
struct Process {
    std::uint32_t pid = 0;
    std::uint32_t transaction = 0;  // its local number; 0: it is in none
    std::uint32_t xid = 0;
    int database = 0;
    int leader = -1;  // it is a worker of that process
    int workers = 0;
    bool is_ending = false;
    Lowest drawn;  // by its workers too
};

// A transaction that is prepared for two-phase commit.
struct PreparedTransaction {
    std::uint32_t xid;
    int database;
    Lowest drawn;
};

constexpr std::uint32_t max_prepared = 3;

struct SharedMemory {
    DirectoryState state;
    SlotDirectory::Entry entries[max_slots];
    Database databases[max_slots];
    SlotBucket buckets[bucket_count];
    AcceptedClock accepted;
    Leases leases;
    Announcement<NoLock> announcements[max_sessions];
    PreparedEntry prepared[max_prepared + max_sessions];
    Process processes[max_sessions];
    std::uint32_t first_xid;      // no transaction since the start has a lower one
    Lsn acknowledged[max_nodes];  // flushed by each standby, as this primary knows
};

// How a slot came to its last tick, as the oracle knows it.
struct LastTick {
    std::int64_t tick = -1;
    std::int64_t lead_ms = 0;  // when it was begun
    bool is_borrowed = false;
};

// Leases in memory that a crash of the server leaves, and a boot of its machine does not.
struct LeftLeases {
    struct Entry {
        LeaseFor purpose;
        std::int64_t identity;  // of the server
        SavedLease lease;
    };
    Entry now[max_leases] = {};
    Entry left[max_leases] = {};
    std::int64_t reached_ms = 0;  // no ID of the server lies at or above it

    // What the server has now is what it left.
    void set_aside() noexcept {
        for (int i = 0; i < max_leases; i++) {
            if (now[i].lease.incarnation != 0) left[now[i].lease.number] = now[i];
            now[i] = {};
        }
    }
    void save(int index, LeaseFor purpose, std::int64_t identity, const Lease &lease) noexcept {
        now[index] = {purpose, identity, saved(lease)};
        if (lease.number >= 0 && lease.number < max_leases) left[lease.number] = {};
    }
    // A lease for a purpose: that of its number, or any of the pool; null: there is none.
    const SavedLease *find(LeaseFor purpose, std::int64_t number, std::int64_t identity) const noexcept {
        for (const Entry &entry : left) {
            bool is_number = purpose == LeaseFor::pool || entry.lease.number == number;
            if (entry.lease.incarnation != 0 && entry.purpose == purpose && entry.identity == identity && is_number)
                return &entry.lease;
        }
        return nullptr;
    }
};

struct Node {
    Disk disk;
    Clock clock;
    std::uint64_t boot = 0;
    std::int64_t boot_ms = 0;  // in true time
    int number = 0;
    std::uint32_t timeline = 1;
    std::int64_t system = 1;
    std::int64_t origin = 1;   // the system that the databases name as theirs
    std::uint64_t shards = 1;  // fingerprint of the setting
    bool is_up = false;
    bool is_primary = false;
    bool is_alone = false;      // without standbys
    bool is_converted = false;  // its system identifier is younger than its timeline
    int upstream = -1;          // a standby: it receives that node's WAL
    std::uint32_t writers[max_databases] = {};
    std::uint32_t scopes[max_databases] = {};    // nodes with the same make no ID twice
    std::uint32_t launches[max_databases] = {};  // of DecimalIds

    std::unique_ptr<SharedMemory> shared;
    LeftLeases left_leases;
    std::uint32_t slot_count = 0;
    int pool_count = 0;  // numbers of its own choice
    // What the oracle holds against it since its start: the floor of the first load, or where it was advanced to, 0:
    // none; the clock that was believed in any database; the one that somebody confirmed since a database's last renewal.
    std::int64_t old_floors_ms[max_databases] = {};
    Believed believed = {};
    Believed confirmed[max_databases] = {};
    std::vector<PreparedTransaction> prepared;  // as the disk has them
    // The highest answer that was given here, by database and layout: all below it is decided.
    std::int64_t settled_ids[max_databases][max_layouts] = {};
    // The last ID of each slot since the start, by database, kind and shard.
    std::int64_t last_ids[max_databases][max_layouts + 1][max_leases] = {};
    LastTick last_ticks[max_databases][max_layouts + 1][max_leases] = {};

    std::int64_t identity() const noexcept { return identity_of(timeline, static_cast<std::uint64_t>(system)); }
    BootId boot_id() const noexcept { return {boot, 1}; }
    bool issues() const noexcept { return is_up && is_primary; }
    bool is_prepared(std::uint32_t xid) const noexcept {
        for (const PreparedTransaction &transaction : prepared)
            if (transaction.xid == xid) return true;
        return false;
    }
    bool is_in_progress(std::uint32_t xid) const noexcept {
        for (const Process &process : shared->processes)
            if (process.transaction != 0 && process.xid == xid) return true;
        return is_prepared(xid);
    }

    ClockReading read_clock(std::int64_t true_ms) const noexcept {
        std::int64_t now_ms = clock.read(true_ms);
        return {now_ms, now_ms - (true_ms - boot_ms)};
    }

    SlotDirectory directory() const noexcept {
        return {shared->state, shared->entries, slot_count, shared->databases,
                SlotIndex<SlotDirectory::Entry>(shared->buckets, bucket_count, shared->entries)};
    }

    void boot_machine(std::uint64_t number_of_boot, std::int64_t true_ms) noexcept {
        boot = number_of_boot;
        left_leases = {};
        boot_ms = true_ms;
    }

    // What a start and a crash of any backend do to shared memory.
    void forget(std::uint32_t next_xid) {
        shared = std::make_unique<SharedMemory>();
        shared->first_xid = next_xid;
        left_leases.set_aside();
        directory().clear();
        idgen::forget(shared->accepted);
        shared->leases.begin(pool_count);
        believed = {};
        std::fill_n(confirmed, max_databases, Believed{});
        std::fill_n(old_floors_ms, max_databases, 0);
        for (int i = 0; i < max_databases; i++) forget_ids(i);
    }
    // What the disk of another says of transactions.
    void take_transactions(const Node &other) {
        prepared = other.prepared;
        for (int i = 0; i < max_databases; i++) std::copy_n(other.settled_ids[i], max_layouts, settled_ids[i]);
    }
    // The tables are gone.
    void forget_transactions(int database) {
        auto is_gone = [database](const PreparedTransaction &transaction) { return transaction.database == database; };
        prepared.erase(std::remove_if(prepared.begin(), prepared.end(), is_gone), prepared.end());
        std::fill_n(settled_ids[database], max_layouts, 0);
    }
    void forget_ids(int database) noexcept {
        for (auto &ids : last_ids[database]) std::fill_n(ids, max_leases, 0);
        for (auto &ticks : last_ticks[database]) std::fill_n(ticks, max_leases, LastTick{});
    }
};

}  // namespace idgen::sim
