// What a directory of slots keeps beside its arrays, and what it is asked for.
#pragma once

#include "core/issue/slot_index.hpp"
#include "core/issue/slot_quota.hpp"

namespace idgen {

// In shared memory. Guard: the lock of the directory.
struct DirectoryState {
    std::uint32_t database_count;  // entries of the databases that were ever used
    std::int32_t free_slot;        // head of the list of free slots
    SlotCounts slots;              // given out, the sum of the databases
    std::uint32_t hand;            // where the search for an idle slot goes on
    std::int64_t gone_ms;          // all IDs of the databases whose entries are gone lie below it
};

// What a slot is asked for.
struct SlotRequest {
    SlotKey key;
    Layout layout;
    Claim claim;
    std::uint32_t share;          // slots that the database may hold
    std::int64_t now_ms;          // the clock
    std::int64_t idle_ms;         // a slot that made no ID for so long, its last tick over, is idle
    std::int64_t claimed_ms = 0;  // R when the number was taken from a registry; read under the directory's lock
};

// Whether a slot was just given out. One given out by a clock ahead of this one counts as old.
constexpr bool is_new(std::int64_t given_ms, const SlotRequest &request) noexcept {
    return given_ms > request.now_ms - request.idle_ms && given_ms <= request.now_ms;
}

}  // namespace idgen
