// Finds the slot of a key: a chained hash table over two arrays of a fixed size that the caller provides, numbers
// instead of pointers, so that it works in shared memory at any address. The caller guards its changes. A search needs
// no guard: the chains are atomic, and the caller checks by each entry's own lock what it finds. While others change
// the chains, a search may miss an entry. Nothing here allocates.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "core/layout/packing.hpp"
#include "core/layout/shard_set.hpp"
#include "core/require.hpp"

namespace idgen {

// One slot makes the IDs of one shard of one packing in one database.
struct SlotKey {
    PackingKey packing;
    std::uint32_t database;  // its OID; 0: the entry is free
    std::uint32_t shard;     // the node's whole number, or clock_shard
};
static_assert(sizeof(SlotKey) == 24 && std::has_unique_object_representations_v<SlotKey>,
              "a key is compared and hashed as bytes");

// In the key of the slot of a clock, whose timestamps are drawn as IDs are (DrawSource::carries): no shard of a layout.
constexpr std::uint32_t clock_shard = max_shard + 1;

bool operator==(const SlotKey &a, const SlotKey &b) noexcept;
std::uint32_t hash_of(const SlotKey &key) noexcept;

constexpr std::int32_t no_slot = -1;

// What the table needs of each slot; it stands inside the slot's own entry.
struct SlotLink {
    SlotKey key;
    std::atomic<std::int32_t> next;  // in the chain of the bucket, or in the list of free entries
};

// A place in an array of buckets: the first entry of its chain.
using SlotBucket = std::atomic<std::int32_t>;

// The entries that a search looks at while others may change the chains: it may be led astray.
constexpr std::uint32_t longest_search = 64;

// `Entry` has a member `SlotLink link`.
template <class Entry>
class SlotIndex {
   public:
    SlotIndex(SlotBucket *buckets, std::uint32_t bucket_count, Entry *entries) noexcept
        : buckets_(buckets), mask_(bucket_count - 1), entries_(entries) {}

    // Smallest power of two that holds `entries` with short chains.
    static constexpr std::uint32_t buckets_for(std::uint32_t entries) noexcept {
        std::uint32_t count = 1;
        while (count < entries) count *= 2;
        return count;
    }

    void clear() noexcept {
        for (std::uint32_t i = 0; i <= mask_; i++) buckets_[i] = no_slot;
    }

    // The first entry of the key's chain of which is_it(entry) is true, among the first `most` of them.
    template <class IsIt>
    std::int32_t find(const SlotKey &key, IsIt is_it, std::uint32_t most = UINT32_MAX) const noexcept {
        std::int32_t slot = buckets_[hash_of(key) & mask_].load();
        for (; slot != no_slot && most > 0; most--) {
            if (is_it(entries_[slot])) return slot;
            slot = entries_[slot].link.next.load();
        }
        return no_slot;
    }

    // Requires that the entry is in no chain, and no other has its key, which it has already.
    void insert(std::int32_t slot) noexcept {
        SlotLink &link = entries_[slot].link;
        SlotBucket &head = buckets_[hash_of(link.key) & mask_];
        // In this order: a search that meets the new head goes on along the whole chain.
        link.next = head.load();
        head = slot;
    }

    // Requires that the entry is in the chain of `key`, which it may have lost.
    void remove(std::int32_t slot, const SlotKey &key) noexcept {
        SlotBucket *at = &buckets_[hash_of(key) & mask_];
        while (*at != slot) {
            IDGEN_REQUIRE(*at != no_slot);
            at = &entries_[at->load()].link.next;
        }
        *at = entries_[slot].link.next.load();
        entries_[slot].link.next = no_slot;
    }

   private:
    SlotBucket *buckets_;
    std::uint32_t mask_;
    Entry *entries_;
};

// Who may hold how many slots. A database holds at most its share, so that none takes all of the server's. What a
// session can ask for without end, shards and layouts of its own choice, holds at most half of the share, and in all
// databases together at most half of the server's slots: so one is left for what a node was set up to make, the node's
// own shards in any preset's packing, as long as they are fewer than the other half.

// Whose slot it is: one that the node was set up to make, or another of a session's choice.
enum class SlotUse : std::uint8_t {
    own,    // a shard of the node, or of a layout without shards, in a preset's packing; a number that is no
            // shard
    other,  // all else
};

// Whether a whole number is among the shards of a node: by its part below the region, where that has one.
bool owns(const ShardSet &shards, std::uint32_t region, const Layout &layout, std::uint32_t whole) noexcept;

// Whether a node may draw from a number that it is given: from any, where it has no shards.
bool may_draw(const ShardSet &shards, std::uint32_t region, const Layout &layout, std::uint32_t whole) noexcept;

// Numbers above max_shard are what is no shard and stands in a slot as well: the hybrid logical clock.
SlotUse use_of(const ShardSet &shards, std::uint32_t region, const Layout &layout, std::uint32_t whole) noexcept;

// In shared memory: trivial.
struct SlotCounts {
    std::uint32_t all;
    std::uint32_t other;  // of them, given out as SlotUse::other
};
static_assert(sizeof(SlotCounts) == 8 && std::is_trivial_v<SlotCounts>, "counts live in shared memory");

constexpr void add_slot(SlotCounts &counts, SlotUse use) noexcept {
    counts.all++;
    if (use == SlotUse::other) counts.other++;
}

// Takes out what was counted in before.
constexpr void subtract(SlotCounts &counts, const SlotCounts &gone) noexcept {
    counts.all -= gone.all;
    counts.other -= gone.other;
}

constexpr SlotCounts one_slot(SlotUse use) noexcept {
    return {1, use == SlotUse::other ? 1U : 0U};
}

// Of that many slots, those for SlotUse::other: the smaller half, but one at least.
constexpr std::uint32_t slots_for_others(std::uint32_t slots) noexcept {
    return slots < 2 ? slots : slots / 2;
}

// What must become free before one more slot is given out.
enum class Shortage : std::uint8_t {
    none,
    share_others,   // one of SlotUse::other, of this database
    share,          // any of this database
    server_others,  // one of SlotUse::other, of any database
    server,         // any
};

// Whether the end of such a slot is one against the shortage.
constexpr bool would_end(Shortage shortage, bool is_of_database, SlotUse use) noexcept {
    switch (shortage) {
        case Shortage::none:
            break;
        case Shortage::share_others:
            return is_of_database && use == SlotUse::other;
        case Shortage::share:
            return is_of_database;
        case Shortage::server_others:
            return use == SlotUse::other;
        case Shortage::server:
            return true;
    }
    return false;
}

constexpr Shortage shortage_of(SlotUse use, const SlotCounts &database, std::uint32_t share, const SlotCounts &server,
                               std::uint32_t server_slots) noexcept {
    bool is_other = use == SlotUse::other;
    if (is_other && database.other >= slots_for_others(share)) return Shortage::share_others;
    if (database.all >= share) return Shortage::share;
    if (is_other && server.other >= slots_for_others(server_slots)) return Shortage::server_others;
    return server.all >= server_slots ? Shortage::server : Shortage::none;
}

}  // namespace idgen
