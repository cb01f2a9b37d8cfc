// A server in miniature for tests with real threads: what the server keeps in shared memory, guarded by the same kinds
// of locks, and sessions that draw and renew by the core. The clock moves when a session waits, so no test depends on
// the machine's speed.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "core/draw/draw_order.hpp"
#include "core/draw/renewal_order.hpp"

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
constexpr DrawRules thread_rules{100, INT32_MAX, false, false};

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
    view.owner = {1};
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
        return {state, entries, slot_count, databases, slot_count, SlotIndex<Entry>(buckets, slot_count, entries)};
    }
    void wait() noexcept { clock_ms++; }
};

// The page of the database, as a renewal of the core sees it.
struct ThreadPage {
    ThreadDatabase &entry;

    static std::uint64_t machine() noexcept { return 0; }
    void leave_numbers() const noexcept {}
    bool try_lock() noexcept {
        if (entry.renewal_lock.try_lock()) return true;
        std::this_thread::yield();
        return false;
    }
    void unlock() noexcept { entry.renewal_lock.unlock(); }
    Renewal lock_page(RecordPage &page) const noexcept {
        page = {entry.page, {}};
        return Renewal::granted;
    }
    std::uint64_t lsn() const noexcept { return 1; }
    std::uint64_t write_page(const RecordPage &page) noexcept {
        entry.write(page.record);
        return 1;
    }
    void unlock_page() noexcept {}
    bool is_flushed(std::uint64_t) const noexcept { return true; }
    void flush(std::uint64_t) noexcept {}
    void flush_later(std::uint64_t) noexcept {}
    bool is_acknowledged(std::uint64_t) const noexcept { return true; }
    bool is_followed() const noexcept { return false; }
    SettledPair look() const noexcept { return no_pair; }
    void note_write(const DurableRecord &) noexcept {}
    void note_reached(std::int64_t) noexcept {}
    void note_granted() noexcept {}
};

// One session of the server, of one thread. It answers what a draw of the core asks for.
struct ThreadSession {
    using Source = DrawSource<ThreadLock>;
    struct Wait {};

    ThreadServer &server;
    ShardRange range;
    DrawSession last{};
    Source source{};
    Announced own{};
    std::vector<std::int64_t> ids{};
    int broken = 0;                                       // draws that a rule forbids
    const std::atomic<std::uint32_t> *running = nullptr;  // the transaction; null: nobody reads by ID
    std::function<std::int64_t(const Packing &, std::int64_t)> announcing = {};

    ThreadSession(ThreadServer &at, std::uint32_t number, ShardRange pool) : server(at), range(pool) {
        std::uint32_t count = range.last - range.first + 1;
        last.cursor.aim(number, count);
        set_packing(source, packing_of(thread_layout));
        source.session = &last;
        source.pool = {&range, 1, count};
        source.is_pool = count > 1;
    }
    ThreadSession(const ThreadSession &) = delete;

    // Draws; false if the lease allows no ID now.
    bool draw(std::uint32_t count, Drawn &drawn) {
        drawn = idgen::draw<true>(*this, source, count);
        return drawn.count != 0;
    }

    const Horizon &horizon() const noexcept { return server.database->horizon; }
    std::uint32_t resets() const noexcept { return server.database->resets; }
    DrawRules rules() const noexcept { return thread_rules; }
    std::int64_t window_ms() const noexcept { return 50; }
    std::int64_t watched_ms() const noexcept { return 50; }
    static std::uint64_t machine() noexcept { return 0; }
    std::int64_t recent_us() const noexcept { return us_of(server.clock_ms.load()); }
    std::int64_t now_us() const noexcept { return us_of(server.clock_ms.load()); }
    bool is_announced(std::int64_t start_ms) const noexcept {
        return idgen::is_announced(own, running == nullptr ? 0 : running->load(), start_ms);
    }
    static void mark(std::uint64_t) noexcept {}
    std::int64_t announce(const Source &at, std::int64_t base) const { return announcing(at.packing, base); }
    bool select_slot(Source &at, std::int64_t now_ms) {
        SlotKey key{key_of(thread_layout), our_database, select_shard(at)};
        at.slot = server.directory().find(key);
        while (at.slot.entry == nullptr) {
            obtain({key, thread_layout, SlotUse::own, ThreadServer::slot_count, now_ms, 0});
            if (at.slot.entry == nullptr) server.wait();
            now_ms = server.clock_ms.load();
        }
        return true;
    }
    void note_try(const Source &, const Limits &, const Tick &, const Take &) noexcept {}
    void require_server() const noexcept {}
    void note_drawn(const Source &, const Limits &, const Take &, const Drawn &drawn) {
        broken += drawn.start_ms >= server.database->durable_ms.load();
        for (std::uint32_t i = 0; i < drawn.count; i++) {
            std::int64_t id = drawn.first_id + drawn.step * i;
            broken += !ids.empty() && id <= ids.back();
            ids.push_back(id);
        }
    }
    void renew_ahead(std::int64_t, std::int64_t start_ms) { renew(start_ms); }
    // As a session does that needs the tick, or ahead of need.
    Outcome renew(std::int64_t start_ms) {
        ThreadDatabase &database = *server.database;
        ServerView view = thread_view(server.clock_ms.load());
        ReadRenewal<ThreadDatabase> renewal{{database.horizon, server.accepted, view, start_ms}, database};
        ThreadPage page{database};
        return idgen::renew(page, renewal);
    }
    std::int64_t waited_ms(const Wait &) const noexcept { return 0; }
    bool wait_for_renewal(Wait &) const noexcept { return true; }
    bool wait_for_tick(const Source &, const Limits &, const Take &, Wait &) const noexcept {
        server.wait();
        return true;
    }
    bool wait_for_number(const Source &, Wait &) const noexcept { return false; }
    void refuse(Next next, const Source &, const Limits &, const Take &, const Wait &) {
        ADD_FAILURE() << "refused: " << static_cast<int>(next);
    }
    void refuse_renewal(Patience, const Outcome &outcome, const Wait &) {
        ADD_FAILURE() << "not renewed: " << static_cast<int>(outcome.renewal);
    }
    void pause() const noexcept {}

   private:
    void obtain(SlotRequest request) {
        std::lock_guard<std::shared_mutex> guard(server.lock);
        if (source.held != nullptr) request.claimed_ms = source.held->claimed_ms.load();
        Shortage shortage;
        source.slot = server.directory().obtain(*server.database, request, shortage);
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
