// What a server remembers of its numbers, as it lies in one page on disk (pg/host/sequence_pages.hpp). The
// registry and the server's identity stand once: a server whose identity changed (promotion, restore) can
// prove none of the numbers, but still knows the registry. The rows are in the order of the last claims: the
// number that was claimed last is in the last row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/lease/lease_record.hpp"

namespace idgen {

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
    std::uint32_t zero;
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

// Begins with an identity: rows of another are dropped.
void adopt(LeasePage &page, std::int64_t identity) noexcept;

// The record of a row. Requires row < count.
LeaseRecord record_of(const LeasePage &page, std::uint32_t row) noexcept;

// Puts a record of the page's registry and identity in, as the last one, and drops one with the same number.
// False: the page is full.
bool remember(LeasePage &page, const LeaseRecord &record) noexcept;

// Drops the record of a number; the others keep their order.
void forget(LeasePage &page, std::int64_t number) noexcept;

}  // namespace idgen
