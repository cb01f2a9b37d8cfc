// Finds the slot of a key: a chained hash table over two arrays of a fixed size that the caller
// provides, numbers instead of pointers, so that it works in shared memory at any address.
// The caller guards it; nothing here allocates.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/layout/packing.hpp"

namespace idgen {

// One slot makes the IDs of one shard of one packing in one database.
struct SlotKey {
    PackingKey packing;
    std::uint32_t database;  // its OID; 0: the entry is free
    std::uint32_t shard;     // the node's whole number
};
static_assert(sizeof(SlotKey) == 24 && std::has_unique_object_representations_v<SlotKey>,
              "a key is compared and hashed as bytes");

bool operator==(const SlotKey &a, const SlotKey &b) noexcept;
std::uint32_t hash_of(const SlotKey &key) noexcept;

constexpr std::int32_t no_slot = -1;

// What the table needs of each slot; it stands inside the slot's own entry.
struct SlotLink {
    SlotKey key;
    std::int32_t next;  // in the chain of the bucket, or in the list of free entries
};

// `Entry` has a member `SlotLink link`.
template <class Entry>
class SlotIndex {
   public:
    SlotIndex(std::int32_t *buckets, std::uint32_t bucket_count, Entry *entries) noexcept
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

    std::int32_t find(const SlotKey &key) const noexcept {
        std::int32_t slot = buckets_[hash_of(key) & mask_];
        while (slot != no_slot && !(entries_[slot].link.key == key)) slot = entries_[slot].link.next;
        return slot;
    }

    // Requires that the key is not there and the entry in no chain.
    void insert(std::int32_t slot, const SlotKey &key) noexcept {
        std::int32_t &head = buckets_[hash_of(key) & mask_];
        entries_[slot].link = {key, head};
        head = slot;
    }

    // Requires that the entry is in its chain.
    void remove(std::int32_t slot) noexcept {
        SlotLink &link = entries_[slot].link;
        std::int32_t *at = &buckets_[hash_of(link.key) & mask_];
        while (*at != slot) at = &entries_[*at].link.next;
        *at = link.next;
        link = {{}, no_slot};
    }

   private:
    std::int32_t *buckets_;
    std::uint32_t mask_;
    Entry *entries_;
};

}  // namespace idgen
