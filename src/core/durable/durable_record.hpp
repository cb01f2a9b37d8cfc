// The record that makes a number durable: the horizon H of a database, or the last generator of its
// DecimalIds; and what the server that wrote it knew of itself. It lies in a page of its own
// (pg/horizon/durable_page.hpp). A record whose identity is another server's counts as a stranger's: later
// records of that one may be lost.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace idgen {

// Which boot of the kernel a server runs on; all zero: not known.
struct BootId {
    std::uint64_t high;
    std::uint64_t low;
};

constexpr bool operator==(const BootId &a, const BootId &b) noexcept {
    return a.high == b.high && a.low == b.low;
}
constexpr bool is_known(const BootId &boot) noexcept {
    return (boot.high | boot.low) != 0;
}

// Reads the kernel's text of it: 32 hexadecimal digits, with hyphens. Not known where it is anything else.
BootId parse_boot_id(std::string_view text) noexcept;

// Never change: on disk.
struct DurableRecord {
    std::int64_t value;              // H in unix ms, or a generator
    std::int64_t identity;           // of the server that wrote it; 0: nobody's, as setval leaves it
    std::int64_t owner;              // system identifier of the server that the shards belong to; 0: not known
    std::uint64_t shards;            // fingerprint of its setting
    std::int64_t accepted_clock_ms;  // highest accepted CLOCK_REALTIME less CLOCK_BOOTTIME
    BootId boot;                     // where that holds
};
static_assert(sizeof(DurableRecord) == 56 && std::is_trivial_v<DurableRecord> &&
                  std::has_unique_object_representations_v<DurableRecord>,
              "on disk");

// A record that holds nothing but a number.
constexpr DurableRecord bare_record(std::int64_t value, std::int64_t identity) noexcept {
    return {value, identity, 0, 0, 0, {0, 0}};
}

constexpr bool operator==(const DurableRecord &a, const DurableRecord &b) noexcept {
    return a.value == b.value && a.identity == b.identity && a.owner == b.owner && a.shards == b.shards &&
           a.accepted_clock_ms == b.accepted_clock_ms && a.boot == b.boot;
}

// What the sessions of a server know of a record. In shared memory; guard: the lock of renewals.
struct DurableState {
    DurableRecord known;     // last read from or written to the page
    std::int64_t pending;    // its value, flushed here and not yet granted; 0: none
    std::uint64_t position;  // in the log: the end of what was written last
    bool is_loaded;          // else `known` is not known
};
static_assert(std::is_trivial_v<DurableState>, "lives in shared memory");

// Notes a record that is on the page and flushed on this server, up to that position in the log.
inline void note_written(DurableState &state, const DurableRecord &record, std::uint64_t position) noexcept {
    state = {record, record.value, position, true};
}

// Identifies a server's history: its timeline and system identifier, mixed; never 0.
std::int64_t identity_of(std::uint32_t timeline, std::uint64_t system_identifier) noexcept;

}  // namespace idgen
