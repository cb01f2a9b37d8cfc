// Which slot belongs to whom, and which databases there are: finds a slot, gives one out, takes idle ones back and
// those of databases that are gone. A view of arrays in shared memory, numbers instead of pointers.
//
// An idle slot is taken back in this order: references to it end, its database's floor rises above its last tick, it is
// free. A new slot begins at the floor, so the session that finds it draws above all that the old one made.
//
// Guard: the lock of the directory. Not for find(), find_database(), databases() and slots_used(): statistics
// must not hold up a session that needs a slot. `Database` is a DatabaseEntry that has the `pairs` of
// settled_pairs.hpp, and forgets what else it has by a member forget_more().
#pragma once

#include <algorithm>

#include "core/horizon/generators.hpp"
#include "core/horizon/horizon.hpp"
#include "core/slot/slot.hpp"
#include "core/slot/slot_index.hpp"

namespace idgen {

// In shared memory. Guards as the caller has them: the lock of renewals, the lock of the directory.
struct alignas(cache_line) DatabaseEntry {
    Horizon horizon;  // floor and grant: atomic; the rest: the lock of renewals
    // Atomic; written with the directory's lock; its OID; 0: free. On a cache line of its own: renewals must not
    // disturb the takes.
    alignas(cache_line) std::atomic<std::uint32_t> database;
    std::uint32_t written_by;  // guard: the directory's lock; what last wrote its row in the catalog; 0: not known
    SlotCounts slots;          // guard: the directory's lock; slots that it holds
    std::int64_t made_ms;      // guard: the directory's lock; IDs of slots that were given back or moved lie below it
    Generators generators;     // the counter: atomic; the rest: the lock of renewals
    std::atomic<std::uint32_t> resets;  // atomic; how often the horizon was lowered
};
static_assert(offsetof(DatabaseEntry, database) % cache_line == 0 && std::is_trivially_destructible_v<DatabaseEntry>,
              "lives in shared memory");

// Forgets all that a start forgets.
inline void forget(DatabaseEntry &entry) noexcept {
    forget(entry.horizon);
    forget(entry.generators);
    entry.slots = {0, 0};
    entry.made_ms = 0;
}

// The entries of databases, in an array in shared memory; those of databases that are gone are used again.

template <class Database>
struct DatabaseList {
    Database *entries;
    std::atomic<std::uint32_t> &used;  // entries that were ever used
    std::uint32_t limit;

    // Null if there is none. Database 0: an entry that was used and is free.
    Database *find(std::uint32_t database) const noexcept {
        for (std::uint32_t i = 0; i < used.load(); i++)
            if (entries[i].database.load() == database) return &entries[i];
        return nullptr;
    }

    // Null if there is no room.
    Database *add(std::uint32_t database) const noexcept {
        Database *entry = find(0);
        if (entry == nullptr && used < limit) entry = entries + used++;
        if (entry != nullptr) entry->database = database;
        return entry;
    }

    // Calls visit(database) for each.
    template <class Visit>
    void for_each(Visit visit) const noexcept {
        for (std::uint32_t i = 0; i < used.load(); i++)
            if (entries[i].database.load() != 0) visit(entries[i]);
    }
};

// What a directory of slots keeps beside its arrays, and what it is asked for.

// In shared memory. Guard of what is not atomic: the lock of the directory.
struct DirectoryState {
    std::atomic<std::uint32_t> database_count;  // entries of the databases that were ever used
    std::atomic<std::uint32_t> slot_count;      // slots that were ever given out: all others lie behind them
    std::int32_t free_slot;                     // head of the list of free slots
    SlotCounts slots;                           // given out, the sum of the databases
    std::uint32_t hand;                         // where the search for an idle slot goes on
    std::int64_t gone_ms;                       // all IDs of the databases whose entries are gone lie below it
};

// What a slot is asked for.
struct SlotRequest {
    SlotKey key;
    Layout layout;
    SlotUse use;
    std::uint32_t share;          // slots that the database may hold
    std::int64_t now_ms;          // the clock
    std::int64_t idle_ms;         // a slot that made no ID for that long, its last tick over, is idle
    std::int64_t claimed_ms = 0;  // R when the number was claimed from a registry; read under the directory's lock
};

// Whether a slot was just given out. One given out by a clock ahead of this one counts as old.
constexpr bool is_new(std::int64_t given_ms, const SlotRequest &request) noexcept {
    return given_ms > request.now_ms - request.idle_ms && given_ms <= request.now_ms;
}

template <class Lock, class Database>
class Directory {
   public:
    using Entry = SlotEntry<Lock>;
    using Reference = SlotReference<Lock>;

    Directory(DirectoryState &state, Entry *entries, std::uint32_t entry_count, Database *databases,
              std::uint32_t database_limit, const SlotIndex<Entry> &index) noexcept
        : state_(state),
          entries_(entries),
          entry_count_(entry_count),
          databases_(databases),
          database_limit_(database_limit),
          index_(index) {}

    // Makes all slots free.
    void clear() noexcept {
        index_.clear();
        for (std::uint32_t i = 0; i < entry_count_; i++) {
            Guard<Lock> guard(entries_[i].mutex);
            entries_[i].link.key = {};
            entries_[i].link.next = i + 1 < entry_count_ ? static_cast<std::int32_t>(i + 1) : no_slot;
        }
        state_.slot_count = 0;
        state_.free_slot = entry_count_ == 0 ? no_slot : 0;
    }

    // The slot of a key, given out to it before. A null entry: there is none, or it was missed.
    Reference find(const SlotKey &key) const noexcept { return find_among(key, longest_search); }

    // The same without a miss.
    Reference find_surely(const SlotKey &key) const noexcept { return find_among(key, UINT32_MAX); }

    // The slot of a key, given out where there is none yet. A null entry: what is short.
    Reference obtain(Database &database, const SlotRequest &request, Shortage &shortage) noexcept {
        shortage = Shortage::none;
        Reference reference = find_surely(request.key);
        if (reference.entry != nullptr) return reference;
        shortage = make_room(database, request);
        return shortage == Shortage::none ? give(database, request) : Reference{nullptr, 0};
    }

    // Makes every slot of a database go on at or above `at_ms`. One that stands in the tick before keeps nothing of that
    // tick: a session that read the floor earlier could still draw there.
    void raise_slots(Database &database, std::int64_t at_ms) noexcept {
        for_each_slot(database.database, [&](Entry &entry) { raise(database, entry, at_ms); });
    }

    // Puts every slot of a database at `at_ms`, those that have come further, too; of a number from a registry, not below
    // where its IDs begin, which begin_of(number) gives. Not `is_forced`: one whose last ID lies above stays there.
    template <class BeginOf>
    void lower_slots(Database &database, std::int64_t at_ms, bool is_forced, BeginOf begin_of) noexcept {
        for_each_slot(database.database, [&](Entry &entry) {
            const SlotKey &key = entry.link.key;
            std::int64_t begin_ms = key.packing.node_bits == 0 ? 0 : begin_of(key.shard);
            Slot lowered = new_slot(ticks_of(key.packing), std::max(at_ms, begin_ms));
            Guard<Lock> guard(entry.mutex);
            bool is_kept = !is_forced && has_made(entry.slot) && entry.slot.tick > lowered.tick;
            if (!is_kept) move(database, entry, lowered);
        });
        if (is_forced) database.made_ms = std::min(database.made_ms, at_ms);
    }

    // Makes every slot of a number that was claimed from a registry go on at or above `at_ms`, in all databases.
    // Nothing that read an older cap of the number is still drawn when it returns.
    void move_number(std::uint32_t number, std::int64_t at_ms) noexcept {
        for (std::uint32_t i = 0; i < slots_used(); i++) {
            const SlotKey &key = entries_[i].link.key;
            bool is_of_number = key.database != 0 && key.shard == number && key.packing.node_bits != 0;
            if (is_of_number) raise(*find_database(key.database), entries_[i], at_ms);
        }
    }

    // The instant below which all IDs lie that a database made since the start. Not the floor, which may lie above them.
    std::int64_t made_ms(const Database &database) const noexcept {
        std::int64_t made_ms = database.made_ms;
        for_each_slot(database.database, [&](Entry &entry) {
            Guard<Lock> guard(entry.mutex);
            made_ms = std::max(made_ms, idgen::made_ms(entry));
        });
        return made_ms;
    }

    // The same, but never below the floor.
    std::int64_t reached_ms(const Database &database) const noexcept {
        std::int64_t reached_ms = database.horizon.floor_ms;
        for_each_slot(database.database, [&](Entry &entry) {
            Guard<Lock> guard(entry.mutex);
            reached_ms = std::max(reached_ms, end_of(entry));
        });
        return reached_ms;
    }

    // Above all that was made in a database, and above what its readers know as settled, which may be later.
    std::int64_t above_ms(const Database &database) const noexcept {
        return std::max(reached_ms(database), database.horizon.settled_ms.load());
    }

    // How far the IDs of all databases reach, those that are gone too.
    std::int64_t reached_ms() const noexcept {
        std::int64_t all_ms = state_.gone_ms;
        databases().for_each([&](const Database &database) { all_ms = std::max(all_ms, reached_ms(database)); });
        return all_ms;
    }

    // The entry of a database; null if there is none.
    Database *find_database(std::uint32_t database) const noexcept { return databases().find(database); }

    // The slots that were ever given out are the first ones, as many as this.
    std::uint32_t slots_used() const noexcept { return state_.slot_count.load(); }

    // All databases that have an entry.
    DatabaseList<Database> databases() const noexcept { return {databases_, state_.database_count, database_limit_}; }

    // The entry of a database whose row in the catalog was last written by `writer`; null if there is no room. If the
    // entry has another writer, the OID may now be that of another database, and the entry begins again. If the row was
    // written for another reason, that costs no more than a start. While sessions have the entry, it is of this database.
    Database *enter(std::uint32_t database, std::uint32_t writer, bool has_sessions) noexcept {
        Database *entry = find_database(database);
        if (entry == nullptr) entry = databases().add(database);
        if (entry == nullptr || entry->written_by == writer) return entry;
        // A new entry has no writer yet, and nothing to begin again.
        bool may_be_another = entry->written_by != 0;
        if (may_be_another && !has_sessions) begin_again_above(*entry);
        entry->written_by = writer;
        return entry;
    }

    // Frees the entry of a database that is gone, and its slots. Requires that no session has it.
    void drop(Database &entry) noexcept {
        begin_again(entry);
        entry.written_by = 0;
        entry.database = 0;
    }

    // Calls visit(entry) for each slot of a database.
    template <class Visit>
    void for_each_slot(std::uint32_t database, Visit visit) const noexcept {
        for (std::uint32_t i = 0; i < slots_used(); i++)
            if (entries_[i].link.key.database == database) visit(entries_[i]);
    }

   private:
    // The slot of a key among the first `most` of its chain.
    Reference find_among(const SlotKey &key, std::uint32_t most) const noexcept {
        Reference found{nullptr, 0};
        index_.find(
            key,
            [&](Entry &entry) {
                found = refer(entry, key);
                return found.entry != nullptr;
            },
            most);
        return found;
    }

    static void raise(Database &database, Entry &entry, std::int64_t at_ms) noexcept {
        Slot raised = new_slot(ticks_of(entry.link.key.packing), at_ms);
        Guard<Lock> guard(entry.mutex);
        if (entry.slot.tick <= raised.tick) move(database, entry, raised);
    }

    // What the slot has made is the database's to remember from then on.
    static void move(Database &database, Entry &entry, const Slot &moved) noexcept
        IDGEN_LOCKS(requires_capability(entry.mutex)) {
        database.made_ms = std::max(database.made_ms, idgen::made_ms(entry));
        move_slot(entry.slot, moved);
    }

    // Takes a slot out of the index. Requires that it was retired, and had that key.
    void free(Entry &entry, const SlotKey &key) noexcept {
        auto number = static_cast<std::int32_t>(&entry - entries_);
        index_.remove(number, key);
        entry.link.next = state_.free_slot;
        state_.free_slot = number;
    }

    // Gives out a free slot. It begins at the floor of database and number, so a session that read an older floor still
    // draws above it; not at the clock, which no session has checked yet.
    Reference give(Database &database, const SlotRequest &request) noexcept {
        std::int32_t number = state_.free_slot;
        Entry &entry = entries_[number];
        state_.free_slot = entry.link.next;
        std::int64_t floor_ms = std::max(database.horizon.floor_ms.load(), request.claimed_ms);
        entry.given_ms = request.now_ms;
        // By the packing alone: this layout may end below the floor, and one that shares its slots go on.
        Reference reference = begin_slot(entry, request, new_slot(ticks_of(request.key.packing), floor_ms));
        // Only now that it is whole: sessions search without the directory's lock.
        index_.insert(number);
        if (state_.slot_count.load() <= static_cast<std::uint32_t>(number))
            state_.slot_count = static_cast<std::uint32_t>(number) + 1;
        add_slot(database.slots, request.use);
        add_slot(state_.slots, request.use);
        return reference;
    }

    static Reference begin_slot(Entry &entry, const SlotRequest &request, const Slot &slot) noexcept {
        Guard<Lock> guard(entry.mutex);
        entry.slot = slot;
        entry.full = {0, 0};
        reset_counters(entry);
        entry.form = form_of(request.layout);
        entry.use = request.use;
        entry.link.key = request.key;
        return {&entry, entry.generation};
    }

    // Frees idle slots until one more may be given out. What is still short where there are none.
    Shortage make_room(const Database &database, const SlotRequest &request) noexcept {
        for (;;) {
            Shortage shortage = shortage_of(request.use, database.slots, request.share, state_.slots, entry_count_);
            if (shortage == Shortage::none || !free_idle_slot(shortage, request)) return shortage;
        }
    }

    // Frees one idle slot against the shortage.
    bool free_idle_slot(Shortage shortage, const SlotRequest &request) noexcept {
        std::int64_t since_ms = request.now_ms - request.idle_ms;
        std::uint32_t used = slots_used();
        for (std::uint32_t i = 0; i < used; i++) {
            state_.hand = state_.hand < used ? state_.hand : 0;
            Entry &entry = entries_[state_.hand++];
            SlotKey key = entry.link.key;
            std::uint32_t owner = key.database;
            SlotEnd end{};
            if (owner == 0 || !would_end(shortage, owner == request.key.database, entry.use)) continue;
            // A new slot begins at the floor, so it looks idle until its first take: the session that asked for it has
            // not drawn yet.
            if (is_new(entry.given_ms, request) || !retire_if_over(entry, since_ms, end)) continue;
            Database &database = *find_database(owner);
            database.made_ms = std::max(database.made_ms, end.made_ms);
            // Before the slot is free: the next slot of that key begins at the floor, and must not repeat its ticks.
            lift(database.horizon.floor_ms, end.end_ms);
            subtract(database.slots, one_slot(entry.use));
            subtract(state_.slots, one_slot(entry.use));
            free(entry, key);
            return true;
        }
        return false;
    }

    // Forgets all that is known of a database, its slots too, but for how far the IDs of all that are gone reach.
    void begin_again(Database &entry) noexcept {
        state_.gone_ms = std::max(state_.gone_ms, reached_ms(entry));
        for_each_slot(entry.database, [&](Entry &slot) {
            SlotKey key = slot.link.key;
            SlotEnd end{};
            // However far its tick lies: every slot is over by then.
            retire_if_over(slot, INT64_MAX, end);
            free(slot, key);
        });
        subtract(state_.slots, entry.slots);
        forget(entry);
        entry.pairs.drop();
        entry.forget_more();
    }

    // Begins an entry again for the next database of its OID, if it is not the same. That begins above all that the former
    // database made or settled, remembers how far that was and which H was found, and takes over its debt.
    void begin_again_above(Database &entry) noexcept {
        bool is_indebted = entry.horizon.is_indebted;
        std::int64_t debt_boot_ms = entry.horizon.debt_boot_ms, loaded_ms = entry.horizon.loaded_ms;
        std::int64_t above_ms = this->above_ms(entry), made_ms = this->made_ms(entry);
        begin_again(entry);
        entry.made_ms = made_ms;
        entry.horizon.is_indebted = is_indebted;
        entry.horizon.debt_boot_ms = debt_boot_ms;
        entry.horizon.loaded_ms = loaded_ms;
        lift(entry.horizon.floor_ms, above_ms);
    }

    DirectoryState &state_;
    Entry *entries_;
    std::uint32_t entry_count_;
    Database *databases_;
    std::uint32_t database_limit_;
    SlotIndex<Entry> index_;
};

}  // namespace idgen
