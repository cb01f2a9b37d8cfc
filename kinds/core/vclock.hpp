// Vector clocks: for each node the number of writes of it that a version has seen. A clock is *before* another if none
// of its counters is larger and they are not equal; two of which neither is before the other are concurrent: made
// without knowledge of each other. A missing node counts as 0. Entries ascend by the size of the node's name, then by
// its bytes (the order in which jsonb keeps its keys), each node once, and no counter is 0: so equal clocks have equal
// entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace idgen {

struct VclockEntry {
    std::string_view node;
    std::int64_t counter;  // from 1
};

// A view of entries that its caller owns.
struct Vclock {
    const VclockEntry *entries;
    std::size_t size;
};

enum class VclockOrder { equal, before, after, concurrent };

VclockOrder compare(const Vclock &a, const Vclock &b) noexcept;

// Writes the larger counter of each node; `out` has room for a.size + b.size. Returns the entries written.
std::size_t merge(const Vclock &a, const Vclock &b, VclockEntry *out) noexcept;

// Counts one more write of the node in `entries`, which have room for one more. False if its counter is the largest
// of all, 2^63-1.
bool count_write(VclockEntry *entries, std::size_t &size, std::string_view node) noexcept;

}  // namespace idgen
