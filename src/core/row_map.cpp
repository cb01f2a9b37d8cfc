#include "core/row_map.hpp"

#include <algorithm>
#include <cstring>

namespace idgen {
namespace {

std::uint64_t row_at(const char *map, std::size_t i) noexcept {
    std::uint64_t row;
    std::memcpy(&row, map + i * sizeof(RowMapEntry) + offsetof(RowMapEntry, row), sizeof row);
    return row;
}

// The first entry whose row is not below that one.
std::size_t lower_bound(const char *map, std::size_t count, std::uint64_t row) noexcept {
    std::size_t low = 0;
    for (std::size_t high = count; low < high;) {
        std::size_t middle = low + (high - low) / 2;
        if (row_at(map, middle) < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

}  // namespace

void sort_row_map(RowMapEntry *entries, std::size_t count) noexcept {
    std::sort(entries, entries + count,
              [](const RowMapEntry &a, const RowMapEntry &b) { return a.row < b.row; });
}

bool is_dense(const RowMapEntry *entries, std::size_t count) noexcept {
    if (count == 0) return false;
    std::uint64_t page_rows = 0;
    for (std::size_t i = 0; i < count; i++) page_rows = std::max(page_rows, entries[i].row & 0xFFFF);
    std::uint64_t pages = (entries[count - 1].row >> 16) - (entries[0].row >> 16) + 1;
    return pages * page_rows <= 4 * std::uint64_t{count};
}

bool find_row(const char *map, std::size_t count, std::uint64_t row, std::int64_t time, std::size_t &next,
              std::int64_t &id) noexcept {
    std::size_t place = next < count && row_at(map, next) == row ? next : lower_bound(map, count, row);
    if (place == count) return false;
    RowMapEntry entry;
    std::memcpy(&entry, map + place * sizeof entry, sizeof entry);
    if (entry.row != row || entry.time != time) return false;
    next = place + 1;
    id = entry.id;
    return true;
}

}  // namespace idgen
