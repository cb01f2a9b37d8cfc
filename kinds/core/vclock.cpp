#include "kinds/core/vclock.hpp"

#include <algorithm>

namespace idgen {
namespace {

// Negative, 0 or positive, in the order of the entries.
int compare_nodes(std::string_view a, std::string_view b) noexcept {
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

}  // namespace

VclockOrder compare(const Vclock &a, const Vclock &b) noexcept {
    bool is_less = false, is_more = false;
    for_each_node(a, b, [&](std::string_view, std::int64_t in_a, std::int64_t in_b) {
        is_less |= in_a < in_b;
        is_more |= in_a > in_b;
    });
    if (is_less && is_more) return VclockOrder::concurrent;
    if (is_less) return VclockOrder::before;
    return is_more ? VclockOrder::after : VclockOrder::equal;
}

std::size_t merge(const Vclock &a, const Vclock &b, VclockEntry *out) noexcept {
    std::size_t size = 0;
    for_each_node(a, b, [&](std::string_view node, std::int64_t in_a, std::int64_t in_b) {
        out[size++] = {node, std::max(in_a, in_b)};
    });
    return size;
}

bool count_write(VclockEntry *entries, std::size_t &size, std::string_view node) noexcept {
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
