// A server in miniature for tests with real threads: what the server keeps in shared memory, guarded by the same kinds
// of locks, and sessions that call the core's steps in the order of src/pg. The clock moves when a session waits, so no
// test depends on the machine's speed.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "core/issue/draw_steps.hpp"
#include "core/issue/settled.hpp"
#include "core/issue/settled_pairs.hpp"

namespace idgen {

// As the server's spinlocks: acquires, releases, and orders nothing else.
struct IDGEN_LOCKS(capability("mutex")) ThreadLock {
    std::atomic_flag flag = ATOMIC_FLAG_INIT;
    void lock() noexcept IDGEN_LOCKS(acquire_capability()) {
        while (flag.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    }
    void unlock() noexcept IDGEN_LOCKS(release_capability()) { flag.clear(std::memory_order_release); }
};

constexpr std::int64_t first_ms = 1795000000000;
constexpr std::uint32_t our_database = 11;
constexpr Layout thread_layout{0, 1, 41, 0, 4, 2, 0, 0};  // four IDs a ms for each shard
constexpr DrawRules thread_rules{100, INT64_MAX / 2, false, false};

struct ThreadDatabase : DatabaseEntry {
    SettledPairs<ThreadLock> pairs{};
    std::mutex renewal_lock;
    DurableRecord page = bare_record(first_ms, 77);  // guard: renewal_lock
    std::atomic<std::int64_t> durable_ms{first_ms};  // its value
    void forget_more() noexcept {}

    void write(const DurableRecord &record) noexcept {
        page = record;
        durable_ms = record.value;
    }
};

// The view of the server that writes the page.
inline ServerView thread_view(std::int64_t now_ms) noexcept {
    ServerView view{};
    view.identity = 77;
    view.clock = {now_ms, 0};
    view.owner = {1, 2};
    view.admits_copy = view.admits_inherited = true;
    view.rules = {50, 100, 10};
    view.clock_rules = {INT64_MAX / 2, INT64_MAX / 2};
    return view;
}

struct ThreadServer {
    using Entry = SlotEntry<ThreadLock>;
    static constexpr std::uint32_t slot_count = 4;

    std::atomic<std::int64_t> clock_ms{first_ms};
    AcceptedClock accepted{};
    std::shared_mutex lock;  // of the directory
    DirectoryState state{};
    Entry entries[slot_count] = {};
    ThreadDatabase databases[slot_count]{};
    SlotBucket buckets[slot_count] = {};
    ThreadDatabase *database;

    ThreadServer() {
        forget(accepted);
        directory().clear();
        database = directory().enter(our_database, 1, false);
    }
    Directory<ThreadLock, ThreadDatabase> directory() noexcept {
        return {state, entries, slot_count, databases, SlotIndex<Entry>(buckets, slot_count, entries)};
    }
    void wait() noexcept { clock_ms++; }
};

struct Drawn {
    std::int64_t id, start_ms;
};

// One session of the server, of one thread.
struct ThreadSession {
    ThreadServer &server;
    ShardRange range;
    DrawSession last{};
    DrawSource<ThreadLock> source{};
    std::vector<std::int64_t> ids{};
    int broken = 0;  // draws that a rule forbids
    std::function<std::int64_t(const Packing &, std::int64_t)> announced = [](const Packing &, std::int64_t base) {
        return base;
    };

    ThreadSession(ThreadServer &at, std::uint32_t number, ShardRange pool) : server(at), range(pool) {
        std::uint32_t count = range.last - range.first + 1;
        last.cursor.aim(number, count);
        source.packing = packing_of(thread_layout);
        source.session = &last;
        source.pool = {&range, 1, count};
        source.is_pool = count > 1;
    }
    ThreadSession(const ThreadSession &) = delete;

    // Draws; false if the lease allows no ID now.
    bool draw(std::uint32_t count, Drawn &drawn) {
        for (;;) {
            Limits limits = limits_of(server.database->horizon, server.clock_ms.load(), thread_rules);
            Take taken = try_shards(limits, announced(source.packing, base_of(source, limits)), count);
            Next next = next_step(taken, source.packing, limits, thread_rules, 0);
            if (next == Next::keep) return false;
            if (next == Next::renew)
                renew(start_of(source.packing, taken.tick));
            else if (next == Next::wait)
                server.wait();
            else if (hand_out(taken, drawn))
                return true;
        }
    }

    // As a session does that needs the tick, or ahead of need.
    void renew(std::int64_t start_ms) {
        ThreadDatabase &database = *server.database;
        ServerView view = thread_view(server.clock_ms.load());
        HorizonRenewal renewal{database.horizon, server.accepted, view, start_ms};
        std::unique_lock<std::mutex> guard(database.renewal_lock, std::try_to_lock);
        if (!guard.owns_lock()) return std::this_thread::yield();
        RenewalStep step = renewal.begin();
        if (step == RenewalStep::done) return;
        if (step == RenewalStep::read_page) {
            PageVerdict verdict = renewal.judge(database.page);
            if (!verdict.is_to_write) return;
            database.write(verdict.record);
            renewal.note_flushed(verdict.record, 1);
        }
        renewal.grant();
    }

   private:
    Take try_shards(const Limits &limits, std::int64_t base, std::uint32_t count) {
        Take taken{};
        begin_try(source, base);
        do {
            if (!is_selected(source)) select(limits.now_ms);
        } while (!try_slot(source, limits, base, count, taken));
        return taken;
    }

    void select(std::int64_t now_ms) {
        SlotKey key{key_of(thread_layout), our_database, select_shard(source)};
        source.slot = server.directory().find(key);
        while (source.slot.entry == nullptr) {
            obtain({key, thread_layout, Claim::own, ThreadServer::slot_count, now_ms, 0});
            if (source.slot.entry == nullptr) server.wait();
            now_ms = server.clock_ms.load();
        }
    }
    void obtain(SlotRequest request) {
        std::lock_guard<std::shared_mutex> guard(server.lock);
        if (source.lease != nullptr) request.claimed_ms = source.lease->claimed_ms.load();
        Shortage shortage;
        source.slot = server.directory().obtain(*server.database, request, shortage);
    }

    bool hand_out(const Take &taken, Drawn &drawn) {
        const Horizon &horizon = server.database->horizon;
        Grant grant = grant_for(horizon, taken.start_ms, 50);
        if (grant == Grant::over) return false;
        note_drawn(source, taken);
        broken += taken.start_ms >= server.database->durable_ms.load();
        drawn = {first_id(source, taken), taken.start_ms};
        for (std::uint32_t i = 0; i < taken.count; i++) {
            std::int64_t id = drawn.id + (std::int64_t{i} << source.packing.sequence_shift);
            broken += !ids.empty() && id <= ids.back();
            ids.push_back(id);
        }
        if (grant == Grant::half_used) renew(taken.start_ms);
        return true;
    }
};

// Runs body(number) in so many threads, which begin together.
template <class Body>
void run_threads(int count, Body body) {
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (int number = 0; number < count; number++)
        threads.emplace_back([&ready, &body, count, number] {
            for (ready++; ready.load() < count;) std::this_thread::yield();
            body(number);
        });
    for (std::thread &thread : threads) thread.join();
}

// How many of the IDs came more than once.
inline std::ptrdiff_t repeated(std::vector<std::int64_t> ids) {
    std::sort(ids.begin(), ids.end());
    auto end = std::unique(ids.begin(), ids.end());
    return ids.end() - end;
}

}  // namespace idgen
