// Which ID a row of a batch shall have: by where the row lies in its table, while its time is still the same.
//
//      | row, uint64 | time, int64 | ID, int64 |    entries of 24 bytes, by ascending row
//
// A row is its block << 16 | its number in the block. Bytes in the order of this machine: a map lives no
// longer than the statement that it was made for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace idgen {

struct RowMapEntry {
    std::uint64_t row;
    std::int64_t time;
    std::int64_t id;
};

// Brings entries into the order of a map.
void sort_row_map(RowMapEntry *entries, std::size_t count) noexcept;

// Whether the rows of a map lie so close in the table that reading all of it from the first to the last of
// them costs less than reading them one by one.
bool is_dense(const RowMapEntry *entries, std::size_t count) noexcept;

// The ID of a row at that time in a map of `count` entries, at any alignment; false where it has none. Looks
// first at entry `next`, and leaves there the one after the row: those who ask in the order of rows find each
// at once.
bool find_row(const char *map, std::size_t count, std::uint64_t row, std::int64_t time, std::size_t &next,
              std::int64_t &id) noexcept;

}  // namespace idgen
