// A server: a disk that stays, shared memory that does not, a machine with a clock, a role.
#pragma once

#include <memory>
#include <vector>

#include "clock.hpp"
#include "core/draw/draw_steps.hpp"
#include "core/horizon/machine.hpp"
#include "core/reading/settled.hpp"
#include "core/reading/settled_pairs.hpp"
#include "core/reading/transaction.hpp"
#include "disk.hpp"
#include "made.hpp"

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

// A client's process on a server.
struct Process {
    std::uint32_t pid = 0;
    std::uint32_t transaction = 0;  // its local number; 0: it is in none
    Xid xid = 0;                    // 0: it has stored nothing
    Lsn lsn = 0;                    // of its commit, which is in the WAL before snapshots show it; 0: none yet
    int database = 0;
    int leader = -1;  // it is a worker of that process
    int workers = 0;
    bool is_ending = false;
    Lowest drawn;              // by its workers too
    std::vector<Made> handed;  // of every kind, by its workers too
};

constexpr std::uint32_t max_prepared = 3;

struct SharedMemory {
    DirectoryState state;
    SlotDirectory::Entry entries[max_slots];
    Database databases[max_databases];
    SlotBucket buckets[bucket_count];
    AcceptedClock accepted;
    Leases leases;
    ProcessEntry<NoLock> process_entries[max_sessions];
    PreparedEntry prepared[max_prepared + max_sessions];
    Process processes[max_sessions];
    Xid first_xid;                // no transaction since the start has a lower one; 0: not known yet
    std::atomic<bool> old_ended;  // none that was prepared before the start is left
    std::vector<Xid> others;      // transactions that draw nothing
    Lsn acknowledged[max_nodes];  // flushed by each standby, as this primary knows
};

// How a slot came to its last tick, as the oracle knows it.
struct LastTick {
    std::int64_t tick = -1;
    std::int64_t lead_us = 0;                // when it was begun
    std::int64_t borrowed_tick = INT64_MIN;  // the last one that was borrowed

    bool is_borrowed() const noexcept { return tick == borrowed_tick; }
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

// Whether a server's machine is a copy whose shards, or launch number, nobody has confirmed, as far as its records tell.
enum class Resumed : std::uint8_t {
    no,
    alone,   // its origin has ended
    beside,  // its origin or another copy may go on
};

struct Node {
    Disk disk;
    Clock clock;
    std::uint64_t boot = 0;
    std::int64_t boot_ms = 0;  // in true time
    int number = 0;
    std::uint32_t timeline = 1;
    bool is_told = false;          // its host tells when the machine is copied
    std::uint64_t generation = 0;  // then that of the machine
    std::uint64_t began_in = 0;    // the name of that in which shared memory began
    std::int64_t system = 1;
    std::int64_t origin = 1;  // the system that the databases name as theirs
    bool is_up = false;
    bool is_primary = false;
    bool is_alone = false;      // without standbys
    bool is_converted = false;  // its system identifier is younger than its timeline
    int upstream = -1;          // a standby: it receives that node's WAL
    std::uint32_t writers[max_databases] = {};
    std::uint32_t scopes[max_databases] = {};    // nodes with the same make no ID twice
    std::uint32_t launches[max_databases] = {};  // of DecimalIds
    Resumed resumed[max_databases][2] = {};      // by record

    std::unique_ptr<SharedMemory> shared;
    LeftLeases left_leases;
    std::uint32_t slot_count = 0;
    int pool_count = 0;  // numbers of its own choice
    // What the oracle holds against it since its start: the floor of the first load, or where it was advanced to, 0:
    // none; the clock that was believed in any database; the one that somebody confirmed since a database's last
    // renewal.
    std::int64_t old_floors_ms[max_databases] = {};
    Believed believed = {};
    Believed confirmed[max_databases] = {};
    Xid base_xid = first_normal_xid;  // the first of all servers
    Ledger ledger;                    // what has ended here; on a standby as far as it is replayed
    Lsn replayed = 0;                 // on a standby: snapshots and pages are of this record
    PagePairs replayed_pairs[max_databases] = {};
    Lsn begun[max_databases] = {};  // whatever readers heard of older records does not count: the scope began there
    // The highest answer that was given here, by database and layout: all below it is decided.
    std::int64_t settled_ids[max_databases][max_layouts] = {};
    // The last ID of each slot since the start, by database, kind and shard.
    std::int64_t last_ids[max_databases][max_layouts + 1][max_leases] = {};
    LastTick last_ticks[max_databases][max_layouts + 1][max_leases] = {};

    std::uint64_t machine() const noexcept { return is_told ? generation : 0; }
    std::uint64_t machine_name() const noexcept {
        return idgen::machine_name(is_told ? MachineTold::generation : MachineTold::nothing, generation);
    }
    std::int64_t identity() const noexcept {
        return identity_in(identity_of(timeline, static_cast<std::uint64_t>(system)), machine_name());
    }
    BootId boot_id() const noexcept { return {boot, 1}; }
    Resumed &is_resumed(int database, Record kind) noexcept { return resumed[database][static_cast<int>(kind)]; }
    bool issues() const noexcept { return is_up && is_primary; }
    bool is_in_progress(std::uint32_t xid) const noexcept {
        for (const Process &process : shared->processes)
            if (process.transaction != 0 && process.xid != 0 && half_of(process.xid) == xid) return true;
        return std::any_of(ledger.prepared.begin(), ledger.prepared.end(),
                           [xid](const PreparedTransaction &transaction) { return half_of(transaction.xid) == xid; });
    }

    // As each session does that draws, prepares or reads on a primary.
    void note_first_xid() noexcept {
        if (shared->first_xid == 0) shared->first_xid = ledger.next;
    }
    // In the WAL, then for snapshots: the caller may do something else between the two.
    Lsn log_end(Process &process, bool commits) {
        Lsn lsn = disk.write_act(commits ? Act::commit : Act::abort, process.xid, process.database, process.drawn);
        if (commits) process.lsn = lsn;
        return lsn;
    }
    void store(Process &process) {
        process.xid = ledger.give();
        disk.write_act(Act::store, process.xid, process.database, {});
    }

    // Replays one record.
    void replay() {
        const WalEntry &entry = disk.wal[replayed++];
        ledger.apply(entry.transaction, entry.database);
        if (entry.is_page() && !entry.is_number && entry.kind == Record::horizon)
            replayed_pairs[entry.database] = entry.pairs;
    }
    void replay_all() {
        ledger.begin(base_xid);
        std::fill_n(replayed_pairs, max_databases, PagePairs{});
        for (replayed = 0; replayed < disk.inserted();) replay();
    }
    // The end of recovery: what had not ended never will, but for what is prepared.
    void end_recovery() {
        replay_all();
        ledger.running.clear();
        ledger.latest = before(ledger.next);
        log_running();
    }
    // Says up to where all have ended.
    void log_running() {
        Xid oldest = ledger.next;
        for (const Process &process : shared->processes)
            if (process.xid != 0) oldest = std::min(oldest, process.xid);
        for (const PreparedTransaction &transaction : ledger.prepared) oldest = std::min(oldest, transaction.xid);
        for (Xid xid : shared->others) oldest = std::min(oldest, xid);
        disk.write_act(Act::running, oldest, 0, {});
    }

    HeldSnapshot take_snapshot() const {
        HeldSnapshot held;
        held.xmax = after(ledger.latest);
        held.is_of_recovery = !is_primary;
        if (held.is_of_recovery) {
            held.lsn = replayed;
            for (Xid xid : ledger.running)
                if (xid < held.xmax) held.xids.push_back(half_of(xid));
            return held;
        }
        held.lsn = disk.inserted();
        auto list = [&held](Xid xid, Lsn lsn) {
            if (xid != 0 && xid < held.xmax) held.xids.push_back(half_of(xid));
            if (lsn != 0) held.lsn = std::min(held.lsn, lsn - 1);
        };
        for (const Process &process : shared->processes)
            if (process.transaction != 0) list(process.xid, process.lsn);
        for (const PreparedTransaction &transaction : ledger.prepared) list(transaction.xid, transaction.lsn);
        for (Xid xid : shared->others) list(xid, 0);
        return held;
    }

    ClockReading read_clock(std::int64_t true_ms) const noexcept {
        std::int64_t now_ms = clock.read(true_ms);
        return {now_ms, now_ms - (true_ms - boot_ms)};
    }

    SlotDirectory directory() const noexcept {
        return {shared->state, shared->entries,
                slot_count,    shared->databases,
                max_databases, SlotIndex<SlotDirectory::Entry>(shared->buckets, bucket_count, shared->entries)};
    }

    void boot_machine(std::uint64_t number_of_boot, std::int64_t true_ms) noexcept {
        boot = number_of_boot;
        left_leases = {};
        boot_ms = true_ms;
    }

    // What a start and a crash of any backend do to shared memory.
    void forget() {
        shared = std::make_unique<SharedMemory>();
        began_in = machine_name();
        left_leases.set_aside();
        directory().clear();
        idgen::forget(shared->accepted);
        shared->leases.begin(pool_count, machine());
        believed = {};
        std::fill_n(confirmed, max_databases, Believed{});
        std::fill_n(old_floors_ms, max_databases, 0);
        for (int i = 0; i < max_databases; i++) forget_ids(i);
    }
    // Who has read on another goes on here.
    void take_readers(const Node &other) noexcept {
        for (int i = 0; i < max_databases; i++) {
            std::copy_n(other.settled_ids[i], max_layouts, settled_ids[i]);
            begun[i] = other.begun[i];
        }
    }
    // The tables are gone.
    void forget_transactions(int database) {
        std::vector<PreparedTransaction> before = ledger.prepared;
        for (const PreparedTransaction &transaction : before) {
            if (transaction.database != database) continue;
            disk.write_act(Act::abort_prepared, transaction.xid, database, {});
            ledger.erase_prepared(transaction.xid);
            ledger.end(transaction.xid);
        }
        forget_readers(database);
    }
    // They begin anew, and so does whoever reads on a standby from the next record on.
    void forget_readers(int database) noexcept {
        std::fill_n(settled_ids[database], max_layouts, 0);
        begun[database] = disk.inserted() + 1;
    }
    void forget_ids(int database) noexcept {
        for (auto &ids : last_ids[database]) std::fill_n(ids, max_leases, 0);
        for (auto &ticks : last_ticks[database]) std::fill_n(ticks, max_leases, LastTick{});
    }
};

}  // namespace idgen::sim
