// The atomics of src/core, as src/pg uses them: each program calls the shipped functions, draws and renewals whole,
// under its locks. Weakened in one place, a program must fail if that order is needed; README.md has the reasons.
#pragma once

#include <new>

#include "core/draw/draw_order.hpp"
#include "core/draw/renewal_order.hpp"
#include "explorer.hpp"
#include "registry/node/rules/lease.hpp"

namespace idgen::explored {

using explorer::Kind;
using explorer::Lock;
using explorer::Weakening;
using Entry = SlotEntry<Lock>;

constexpr std::int64_t now = 1795000000000;  // the clock
constexpr Layout layout{0, 1, 41, 0, 4, 2, 0, 0};
constexpr Packing p = packing_of(layout);
constexpr DrawRules rules{100, 1000, false, false};
constexpr std::uint32_t database_number = 11, shard = 5;

struct Database : DatabaseEntry {
    SettledPairs<Lock> pairs{};
    void forget_more() noexcept {}
};

// What the processes of a server share, and what the threads of a program note.
struct World {
    Lock renewal_lock, directory_lock, prepared_lock, lease_lock, process_lock;
    DirectoryState state{};
    Entry entries[1] = {};
    Database databases[1]{};
    SlotBucket buckets[1] = {};
    AcceptedClock accepted{};
    DurableRecord page = bare_record(now, 77);
    Lease lease{};
    LeaseRecord lease_record = no_number({1, 2}, 77);
    ProcessEntry<Lock> entry{};
    PreparedEntry prepared[1]{};
    std::atomic<std::uint32_t> transaction{0};  // of the process; read and written as the server does, without an order
    bool has_committed = false;
    std::uint64_t machine = 0;  // as its host tells; 0: nothing
    std::atomic<std::int64_t> lifted{0};
    SlotReference<Lock> slot{};
    std::int64_t noted[3] = {};
    Limits limits{};
};
// One for all files: a weakening names a place in it.
alignas(64) inline unsigned char memory[sizeof(World)];
inline World &world = *reinterpret_cast<World *>(memory);

inline Directory<Lock, Database> directory() {
    return {world.state, world.entries, 1, world.databases, 1, SlotIndex<Entry>(world.buckets, 1, world.entries)};
}
inline Database &database() {
    return world.databases[0];
}

// A database with a slot, from which IDs may be made for a second.
inline void prepare_slot() {
    directory().clear();
    directory().enter(database_number, 1, false);
    note_written(database().horizon, bare_record(now + 1000, 77), 1);
    grant_pending(database().horizon);
    database().horizon.floor_ms = now;
    Shortage shortage;
    SlotKey key{key_of(layout), database_number, shard};
    world.slot = directory().obtain(database(), {key, layout, SlotUse::own, 1, now, 0}, shortage);
}

// What a draw asks for; one that needs a renewal or a wait fails.
struct DrawHost {
    struct Wait {};
    using Source = DrawSource<Lock>;

    static const Horizon &horizon() noexcept { return database().horizon; }
    static std::uint32_t resets() noexcept { return database().resets; }
    static DrawRules rules() noexcept { return explored::rules; }
    static std::int64_t window_ms() noexcept { return 100; }
    static std::int64_t watched_ms() noexcept { return world.machine == 0 ? window_ms() : INT64_MAX; }
    static std::uint64_t machine() noexcept { return world.machine; }
    static std::int64_t recent_us() noexcept { return us_of(now); }
    static std::int64_t now_us() noexcept { return us_of(now); }
    static bool is_announced(std::int64_t) noexcept { return true; }
    static void mark(std::uint64_t) noexcept {}
    static std::int64_t announce(const Source &, std::int64_t base) noexcept { return base; }
    static bool select_slot(Source &, std::int64_t) noexcept { return false; }
    static void note_try(const Source &, const Limits &, const Tick &, const Take &) noexcept {}
    static void require_server() noexcept {}
    static void note_drawn(const Source &, const Limits &, const Take &, const Drawn &) noexcept {}
    static void renew_ahead(std::int64_t, std::int64_t) noexcept {}
    static Outcome renew(std::int64_t) noexcept { return {Renewal::no_record, 0}; }
    static std::int64_t waited_ms(const Wait &) noexcept { return 0; }
    static bool wait_for_renewal(Wait &) noexcept { return false; }
    static bool wait_for_tick(const Source &, const Limits &, const Take &, Wait &) noexcept { return false; }
    static bool wait_for_number(const Source &, Wait &) noexcept { return false; }
    static void refuse(Next, const Source &, const Limits &, const Take &, const Wait &) noexcept {}
    static void refuse_renewal(Patience, const Outcome &, const Wait &) noexcept {}
    static void pause() noexcept {}
};

// Draws as a session does; when the tick starts, or 0.
inline std::int64_t draw(const Lease *lease) {
    DrawSource<Lock> source{};
    set_packing(source, p);
    source.shard = shard;
    source.slot = world.slot;
    source.held = lease;
    source.machine = database().horizon.machine;
    DrawHost host;
    return idgen::draw<true>(host, source, 1).start_ms;
}

// The page of the horizon, in memory.
struct PageHost {
    static std::uint64_t machine() noexcept { return world.machine; }
    static void leave_numbers() noexcept {}
    static bool try_lock() noexcept {
        world.renewal_lock.lock();
        return true;
    }
    static void unlock() noexcept { world.renewal_lock.unlock(); }
    static Renewal lock_page(RecordPage &page) noexcept {
        page = {world.page, {}};
        return Renewal::granted;
    }
    static std::uint64_t lsn() noexcept { return 1; }
    static std::uint64_t write_page(const RecordPage &page) noexcept {
        world.page = page.record;
        return 1;
    }
    static void unlock_page() noexcept {}
    static bool is_flushed(std::uint64_t) noexcept { return true; }
    static void flush(std::uint64_t) noexcept {}
    static void flush_later(std::uint64_t) noexcept {}
    static bool is_acknowledged(std::uint64_t) noexcept { return true; }
    static bool is_followed() noexcept { return false; }
    static SettledPair look() noexcept { return no_pair; }
    static void note_write(const DurableRecord &) noexcept {}
    static void note_reached(std::int64_t) noexcept {}
    static void note_granted() noexcept {}
};

struct CoreProgram : explorer::Program {
    int threads() const override { return 2; }
    void begin() override {
        new (memory) World{};
        prepare();
    }
    virtual void prepare() { prepare_slot(); }
};

// A program as it is, then weakened.
struct Weaker {
    const char *what;
    Weakening how;
    bool is_needed;
    Weakening also = {};
};

template <class Of>
void explore(const char *name, std::initializer_list<Weaker> weaker) {
    Of program;
    report(name, "as it is shipped", explorer::explore(program), false);
    for (const Weaker &each : weaker)
        report(name, each.what, explorer::explore(program, each.how, each.also), each.is_needed);
}

inline Weakening relaxed(Kind kind, const void *place) {
    return {kind, place, -1, false};
}
inline Weakening left_out(Kind kind, const void *place) {
    return {kind, place, -1, true};
}
inline Weakening left_out(Kind kind, const void *place, int thread) {
    return {kind, place, thread, true};
}
inline Weakening no_fence(int thread) {
    return {Kind::fence, memory, thread, true};
}

}  // namespace idgen::explored
