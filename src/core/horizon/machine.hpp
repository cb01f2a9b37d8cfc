// The virtual machine that a server runs in, as far as its host tells of it. A machine that is resumed from a snapshot of
// its memory may be one of several that go on from the same instant: each has the same numbers, the same random bytes
// in store and the same answers on their way. Only the host knows, and it may say so in a page that the machine maps:
// /dev/vmclock0 of Linux, whose format is struct vmclock_abi of the kernel's linux/vmclock-abi.h. Little-endian:
//
//       0  magic, 4 bytes: "VCLK"       16  disruption marker, 8 bytes: another one once the clock may be wrong
//       4  size of the page, 4 bytes    24  flags, 8 bytes; bit 8: there is a generation
//       8  version, 2 bytes: 1         104  generation, 8 bytes: another one once the machine is resumed from a
//                                           snapshot, written before it runs again
//
// The generation says that this is a copy, never which one: two copies may read the same. A machine that is moved to
// another host while it runs keeps its generation.
//
// Who compares the generation with which word that was kept, and what no other look sees:
//
//      after the take of an ID        its source               IDs below what was granted before
//      after that of a DecimalId      the generator            counters of a generator from before
//      after that of a ticket         the counter              numbers that were fetched before
//      before random bytes are given  their page, the order    bytes from before; the last ULID, which each copy has
//      after an ObjectId              its origin               the same origin
//      as more of a block is given    the block, or the call   IDs that go to a client, and are stored nowhere here
//      as a transaction ends          its mark                 what each copy would store (core/reading/transaction.hpp)
//      under the lock of renewals     the view of the server   a record on its way that the machine of before wrote
//      before a renewal or a move     the horizon              numbers that are still drawn from
//      as shards are confirmed        the call                 a word that was said for the machine before
//      as the extension is created    the horizon              what other copies have made since
//      by the keeper, before a call   its lives                a call from before, which other copies send, too
//      by the keeper, after it        its lives, the counter   an answer to another copy
//      while any answer is awaited    the deadline             the same, for a session
//      as a record is judged          the record, the start    a copy that was stopped, or is not confirmed
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace idgen {

// Never change: the kernel's.
struct MachinePage {
    std::uint32_t magic;
    std::uint32_t size;
    std::uint16_t version;
    std::uint8_t counter_id;
    std::uint8_t time_type;
    std::uint32_t sequence;
    std::uint64_t disruptions;
    std::uint64_t flags;
    std::uint64_t times[9];
    std::uint64_t generation;
};
static_assert(sizeof(MachinePage) == 112 && offsetof(MachinePage, disruptions) == 16 &&
                  offsetof(MachinePage, flags) == 24 && offsetof(MachinePage, generation) == 104 &&
                  std::is_trivial_v<MachinePage>,
              "the kernel's");

// What a host tells.
enum class MachineTold : std::uint8_t {
    nothing,      // it has no page, or nobody looks at it
    denied,       // the server may not read it
    no_page,      // what was read is none
    disruptions,  // when the clock may be wrong, and no more
    generation,   // this as well
};

// What a page tells, if `size` bytes of it can be read.
constexpr MachineTold told_by(const MachinePage &page, std::size_t size) noexcept {
    constexpr std::uint32_t magic = 0x4B4C4356;
    constexpr std::uint64_t has_generation = 1 << 8;
    if (size < offsetof(MachinePage, times) || page.magic != magic || page.version != 1) return MachineTold::no_page;
    bool is_long = size >= sizeof(MachinePage) && page.size >= sizeof(MachinePage);
    return is_long && (page.flags & has_generation) != 0 ? MachineTold::generation : MachineTold::disruptions;
}

// A file that stands for the page, once it is open.
struct PageFile {
    std::uint32_t owner, group, mode;
    // Whether the server's user namespace has them; else the kernel shows an ID in their place that says nothing.
    bool is_owner_known, is_group_known;
    bool is_read_only;  // the mount that it lies on
};

// Who can change it, and so stop all IDs, beside root and the server.
enum class PageWriter : std::uint8_t { none, owner, group, all };

// An owner whom the namespace of a container lacks belongs to its host, which mounts the file to be read.
constexpr PageWriter stranger_of(const PageFile &file, std::uint32_t server_user, std::uint32_t server_group) noexcept {
    constexpr std::uint32_t by_group = 020, by_all = 02;
    bool is_owner_good = file.is_owner_known ? file.owner == 0 || file.owner == server_user : file.is_read_only;
    bool is_group_good = file.is_group_known ? file.group == 0 || file.group == server_group : file.is_read_only;
    if (!is_owner_good) return PageWriter::owner;
    if ((file.mode & by_all) != 0) return PageWriter::all;
    return (file.mode & by_group) == 0 || is_group_good ? PageWriter::none : PageWriter::group;
}

// The name of a machine in records: a fingerprint of its generation, never 0. 0 stands for a host that tells nothing.
constexpr std::uint64_t machine_name(MachineTold told, std::uint64_t generation) noexcept {
    if (told != MachineTold::generation) return 0;
    std::uint64_t mixed = (generation ^ 0x9E3779B97F4A7C15) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ mixed >> 31) * 0x94D049BB133111EB;
    return (mixed ^ mixed >> 29) | 1;
}

// The identity of a server in that machine: records of the machine that it was copied from are a stranger's. Below -1,
// as the identity of a server is (durable_record.hpp).
constexpr std::int64_t identity_in(std::int64_t identity, std::uint64_t machine) noexcept {
    if (machine == 0) return identity;
    std::uint64_t mixed = (static_cast<std::uint64_t>(identity) ^ machine) * 0xBF58476D1CE4E5B9;
    mixed ^= mixed >> 32;
    return static_cast<std::int64_t>((mixed | std::uint64_t{1} << 63) & ~std::uint64_t{1});
}

}  // namespace idgen
