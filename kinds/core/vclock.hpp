// Vector clocks: for each node the number of writes of it that a version has seen. A clock is *before* another if none
// of its counters is larger and they are not equal; two of which neither is before the other are concurrent: made
// without knowledge of each other. A missing node counts as 0. Entries ascend by the size of the node's name, then by
// its bytes (the order in which jsonb keeps its keys), each node once, and no counter is 0: so equal clocks have equal
// entries.
#pragma once

#include <algorithm>
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

// Negative, 0 or positive, in the order of the entries.
inline int compare_nodes(std::string_view a, std::string_view b) noexcept {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    return a.compare(b);
}

// Calls visit(node, counter in a, counter in b) for each node of either.
template <class Visit>
void for_each_node(const Vclock &a, const Vclock &b, Visit visit) noexcept {
    std::size_t i = 0, j = 0;
    while (i < a.size || j < b.size) {
        int order = i == a.size ? 1 : j == b.size ? -1 : compare_nodes(a.entries[i].node, b.entries[j].node);
        std::string_view node = order <= 0 ? a.entries[i].node : b.entries[j].node;
        std::int64_t in_a = order <= 0 ? a.entries[i++].counter : 0;
        std::int64_t in_b = order >= 0 ? b.entries[j++].counter : 0;
        visit(node, in_a, in_b);
    }
}

inline VclockOrder compare(const Vclock &a, const Vclock &b) noexcept {
    bool is_less = false, is_more = false;
    for_each_node(a, b, [&](std::string_view, std::int64_t in_a, std::int64_t in_b) {
        is_less |= in_a < in_b;
        is_more |= in_a > in_b;
    });
    if (is_less && is_more) return VclockOrder::concurrent;
    if (is_less) return VclockOrder::before;
    return is_more ? VclockOrder::after : VclockOrder::equal;
}

// Writes the larger counter of each node; `out` has room for a.size + b.size. Returns the entries written.
inline std::size_t merge(const Vclock &a, const Vclock &b, VclockEntry *out) noexcept {
    std::size_t size = 0;
    for_each_node(a, b, [&](std::string_view node, std::int64_t in_a, std::int64_t in_b) {
        out[size++] = {node, std::max(in_a, in_b)};
    });
    return size;
}

// Counts one more write of the node in `entries`, which have room for one more. False if its counter is the largest
// of all, 2^63-1.
inline bool count_write(VclockEntry *entries, std::size_t &size, std::string_view node) noexcept {
    VclockEntry *end = entries + size;
    VclockEntry *entry =
        std::find_if(entries, end, [&](const VclockEntry &other) { return compare_nodes(other.node, node) >= 0; });
    if (entry < end && entry->node == node)
        return !__builtin_add_overflow(entry->counter, std::int64_t{1}, &entry->counter);
    std::move_backward(entry, end, end + 1);
    *entry = {node, 1};
    size++;
    return true;
}

}  // namespace idgen
