// The record that makes a number durable: the horizon H of a database, or the last generator of its DecimalIds; and
// what the server that wrote it knew of itself. It lies in a page of its own (pg/horizon/durable_page.hpp). A record
// whose identity is another server's counts as a stranger's: later records of that one may be lost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
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
    std::uint64_t spare;             // counts for nothing
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
    return a.value == b.value && a.identity == b.identity && a.owner == b.owner && a.spare == b.spare &&
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

// Whose shards a database makes IDs of. A copy of a database keeps the shards of its origin, and if both go on, both
// make the same IDs. A copy is seen by the system identifier in its record, which is another than the server's; it
// counts as one until the shards are confirmed. Another setting does not confirm them: the origin may have changed it
// before the copy, and sessions of before still have the old one.
//
// So does a copy of a machine and its memory (machine.hpp), which has the system identifier of its origin. It is seen by
// the machine's name in the record, until it is confirmed, and as long as it is not booted again: then the host may begin
// to count again.
//
// A clone of a node of Citus has the system identifier of its origin. Once promoted it is told from the origin by the
// identity in the record, which a server that may be a clone therefore never replaces by its own.

// Identifies a server's history: its timeline and system identifier, mixed; below -1. A sequence that keeps it where it
// counts the values that are logged ahead has none, so nextval logs the value that it leaves there.
constexpr std::int64_t identity_of(std::uint32_t timeline, std::uint64_t system_identifier) noexcept {
    std::uint64_t hash = system_identifier + timeline * 0x9E3779B97F4A7C15u;
    hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9u;
    hash = (hash ^ hash >> 27) * 0x94D049BB133111EBu;
    hash ^= hash >> 31;
    return std::min(static_cast<std::int64_t>(hash | std::uint64_t{1} << 63), std::int64_t{-2});
}

// This server.
struct Owner {
    std::int64_t system_identifier;
    std::uint64_t machine = 0;  // machine_name(); 0: not told
    std::uint64_t began = 0;    // the same of when the server started
};

// Tells texts apart. Never change: on disk. FNV-1a.
constexpr std::uint64_t fingerprint(std::string_view text, std::uint64_t hash = 0xCBF29CE484222325) noexcept {
    for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    return hash;
}

// Whether the record is that of a copy which has not been confirmed.
constexpr bool is_copy(const DurableRecord &record, const Owner &owner) noexcept {
    return record.owner != 0 && record.owner != owner.system_identifier;
}

// Whether it is that of a machine that was copied, and nobody has confirmed the shards in this copy: it names the machine
// of before; or it names none, as before the first ID of a boot, and the server has run since before the copy. `boot` is
// this machine's.
constexpr bool is_copied_machine(const DurableRecord &record, const Owner &owner, const BootId &boot) noexcept {
    if (owner.machine == 0 || record.machine == owner.machine) return false;
    bool may_be_same_boot = record.boot == boot || !is_known(record.boot);
    return owner.began != owner.machine || (record.machine != 0 && may_be_same_boot);
}

// Whether a server whose node has a clone may be that clone: only a record of its own proves that it is not.
constexpr bool may_be_clone(const DurableRecord &record, std::int64_t identity, bool has_clone) noexcept {
    return has_clone && record.identity != identity;
}

// The identity of the record that such a server writes: 0 as long as it may be the clone.
constexpr std::int64_t proven_identity(const DurableRecord &before, std::int64_t identity, bool has_clone) noexcept {
    return may_be_clone(before, identity, has_clone) ? 0 : identity;
}

// A record that says nothing of an owner, in a database that names another server as its origin (0: none).
constexpr DurableRecord with_origin(DurableRecord record, std::int64_t foreign) noexcept {
    if (record.owner == 0) record.owner = foreign;
    return record;
}

// Whether the record may have come along with the disk: this server did not write it. A dump that is restored here
// looks like one that the disk's former server had restored, so it counts, too.
constexpr bool is_inherited(const DurableRecord &record, std::int64_t identity) noexcept {
    return record.identity != identity;
}

// When a system identifier was drawn, by initdb or by pg_createsubscriber: unix us. Its upper half is the second, the
// 20 bits below are the microsecond.
constexpr std::int64_t drawn_us(std::uint64_t system_identifier) noexcept {
    std::uint64_t second = system_identifier >> 32, microsecond = system_identifier >> 12 & 0xFFFFF;
    return static_cast<std::int64_t>(second * 1000000 + microsecond);
}

// Puts into a new record whose shards these are, by the one before it.
constexpr void carry_owner(DurableRecord &record, const DurableRecord &before, const Owner &owner,
                           const BootId &boot) noexcept {
    bool is_kept = owner.machine == 0 || is_copied_machine(before, owner, boot);
    record.machine = is_kept ? before.machine : owner.machine;
    record.owner = before.owner != 0 ? before.owner : owner.system_identifier;
}

}  // namespace idgen
