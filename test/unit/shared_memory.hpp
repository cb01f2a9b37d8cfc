// What the server keeps in shared memory, small and without locks.
#pragma once

#include <cstdint>

#include "core/reading/settled_pairs.hpp"
#include "core/slot/directory.hpp"

namespace idgen {

struct IDGEN_LOCKS(capability("mutex")) NoLock {
    void lock() noexcept IDGEN_LOCKS(acquire_capability()) {}
    void unlock() noexcept IDGEN_LOCKS(release_capability()) {}
};

using TestEntry = SlotEntry<NoLock>;

struct TestDatabase : DatabaseEntry {
    SettledPairs<NoLock> pairs{};
    int forgotten;
    void forget_more() noexcept { forgotten++; }
};

using TestDirectory = Directory<NoLock, TestDatabase>;

// Room for so many slots and databases.
struct SharedMemory {
    static constexpr std::uint32_t most = 8;
    DirectoryState state{};
    TestEntry entries[most] = {};
    TestDatabase databases[most] = {};
    SlotBucket buckets[most] = {};
    TestDirectory directory;

    explicit SharedMemory(std::uint32_t slot_count, std::uint32_t database_count = most)
        : directory(state, entries, slot_count, databases, database_count,
                    SlotIndex<TestEntry>(buckets, most, entries)) {
        directory.clear();
    }
};

}  // namespace idgen
