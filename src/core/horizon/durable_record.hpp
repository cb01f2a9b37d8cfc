// The record that makes a number durable: the horizon H of a database, or the last generator of its DecimalIds; and
// what the server that wrote it knew of itself. It lies in a page of its own (pg/horizon/durable_page.hpp). A record
// whose identity is another server's counts as a stranger's: later records of that one may be lost.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/text/random_id.hpp"

namespace idgen {

// Which boot of the kernel a server runs on.
using BootId = RandomId;

// Never change: on disk.
struct DurableRecord {
    std::int64_t value;              // H in unix ms, or a generator
    std::int64_t identity;           // of the server that wrote it; 0: of none, as setval leaves it
    std::int64_t owner;              // system identifier of the server that the shards belong to; 0: not known
    std::uint64_t shards;            // fingerprint of its setting
    std::int64_t accepted_clock_ms;  // highest accepted CLOCK_REALTIME less CLOCK_BOOTTIME
    BootId boot;                     // where that holds
    std::uint64_t machine;           // whose shards they are there: machine_name(); 0: not told
};
static_assert(sizeof(DurableRecord) == 64 && std::is_trivial_v<DurableRecord> &&
                  std::has_unique_object_representations_v<DurableRecord>,
              "on disk");

// A record that holds nothing but a number.
constexpr DurableRecord bare_record(std::int64_t value, std::int64_t identity) noexcept {
    return {value, identity, 0, 0, 0, {0, 0}, 0};
}

constexpr bool operator==(const DurableRecord &a, const DurableRecord &b) noexcept {
    return a.value == b.value && a.identity == b.identity && a.owner == b.owner && a.shards == b.shards &&
           a.accepted_clock_ms == b.accepted_clock_ms && a.boot == b.boot && a.machine == b.machine;
}

// What the sessions of a server know of a record. In shared memory; guard: the lock of renewals.
struct DurableState {
    DurableRecord known;   // last read from or written to the page
    std::int64_t pending;  // its value, written and not yet granted; 0: none
    std::uint64_t lsn;     // the end in the log of what was written last
    bool is_loaded;        // else `known` is not known
};
static_assert(std::is_trivial_v<DurableState>, "lives in shared memory");

// Notes a record that is on the page, and flushed once the log is up to that LSN.
inline void note_written(DurableState &state, const DurableRecord &record, std::uint64_t lsn) noexcept {
    state = {record, record.value, lsn, true};
}

}  // namespace idgen
