// What a server remembers of a number that it holds from a registry, or held: a row of a table of its own.
//
//      accepted    incarnation that the registry answered with; 0: none
//      proposed    the one that the next claim proposes, durable before it is sent, kept until it is accepted
//
// So whatever a crash leaves unanswered, the registry's row holds one of the two, and the server finds its number
// again. A server whose identity changed (promotion, restore) cannot prove that it is the one: it claims another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/require.hpp"
#include "core/text/random_id.hpp"

namespace idgen {

using RegistryIdentity = RandomId;

struct LeaseRecord {
    RegistryIdentity registry;
    std::int64_t number;    // means nothing if both incarnations are 0
    std::int64_t accepted;  // 0: none, as of the other
    std::int64_t proposed;
    std::int64_t identity;  // of the server that wrote it
};

// Whether the record names a number that this server may ask for as its own.
constexpr bool is_own(const LeaseRecord &record, const RegistryIdentity &registry, std::int64_t identity) noexcept {
    return (record.accepted != 0 || record.proposed != 0) && record.registry == registry && record.identity == identity;
}

// The record of a server that holds no number of that registry.
constexpr LeaseRecord no_number(const RegistryIdentity &registry, std::int64_t identity) noexcept {
    return {registry, 0, 0, 0, identity};
}

// The record that must be durable before the number is asked for. A proposal that is not yet accepted is kept. Requires
// a random number other than 0.
constexpr LeaseRecord propose(const LeaseRecord &record, const RegistryIdentity &registry, std::int64_t identity,
                              std::int64_t number, std::int64_t random) noexcept {
    IDGEN_REQUIRE(random != 0);
    bool is_again = is_own(record, registry, identity) && record.number == number;
    LeaseRecord next = is_again ? record : no_number(registry, identity);
    next.number = number;
    if (next.proposed == 0) next.proposed = random;
    return next;
}

// The record once the proposal was accepted. It need not be durable before IDs are made: the proposal finds the number
// as well.
constexpr LeaseRecord accepted(LeaseRecord record) noexcept {
    record.accepted = record.proposed;
    record.proposed = 0;
    return record;
}

// What a server remembers of its numbers, as it lies in one page on disk (pg/host/sequence_pages.hpp). The registry and
// the server's identity stand once: a server whose identity changed (promotion, restore) can prove none of the numbers,
// but still knows the registry. The rows are in the order of the last claims: the number that was claimed last is in
// the last row.

// More than a server can hold: what crashes leave behind is remembered, too.
constexpr std::uint32_t most_remembered = 192;

// Never change: on disk.
struct RememberedNumber {
    std::int64_t number;
    std::int64_t accepted;  // see LeaseRecord
    std::int64_t proposed;
};

// Never change: on disk. A page without a registry remembers nothing.
struct LeasePage {
    RegistryIdentity registry;
    std::int64_t identity;  // of the server that wrote it
    std::uint32_t count;
    std::uint32_t is_copied : 1;  // with the registry in the machine, and nobody has confirmed that since
    std::uint32_t granted : 31;   // see granted_ms(); 0: not told
    RememberedNumber rows[most_remembered];
};
static_assert(sizeof(RememberedNumber) == 24 && offsetof(LeasePage, rows) == 32 && std::is_trivial_v<LeasePage> &&
                  std::has_unique_object_representations_v<LeasePage>,
              "on disk");

// Bytes of the page that are used.
constexpr std::size_t size_of(const LeasePage &page) noexcept {
    return offsetof(LeasePage, rows) + page.count * sizeof(RememberedNumber);
}

bool operator==(const LeasePage &a, const LeasePage &b) noexcept;

// The highest R that the registry has granted to this server or the one that it was copied from, unix ms rounded up: to
// 16 s, so that the page is written as seldom. No ID of any of its databases lies at or above it.
constexpr std::int64_t granted_ms(const LeasePage &page) noexcept {
    return std::int64_t{page.granted} << 14;
}
constexpr void remember_granted(LeasePage &page, std::int64_t horizon_ms) noexcept {
    constexpr std::int64_t most = 0x7FFFFFFF;
    if (horizon_ms <= granted_ms(page)) return;
    std::int64_t steps = ((horizon_ms - 1) >> 14) + 1;
    page.granted = static_cast<std::uint32_t>(steps < most ? steps : most) & 0x7FFFFFFF;
}

// Begins with an identity: rows of another are dropped.
void adopt(LeasePage &page, std::int64_t identity) noexcept;

// The record of a row. Requires row < count.
LeaseRecord record_of(const LeasePage &page, std::uint32_t row) noexcept;

// Puts a record of the page's registry and identity in, as the last one, and drops one with the same number. False: the
// page is full.
bool remember(LeasePage &page, const LeaseRecord &record) noexcept;

// Drops the record of a number; the others keep their order.
void remove_number(LeasePage &page, std::int64_t number) noexcept;

}  // namespace idgen
