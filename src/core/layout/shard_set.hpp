// The shards that a node owns, as users write them: '5', '0-15', '1,4,8-11'. Kept as ascending ranges that do not
// touch, so that the set has one form whatever the spelling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace idgen {

struct ShardRange {
    std::uint32_t first;
    std::uint32_t last;  // inclusive
};

// A view of ranges that its caller owns.
struct ShardSet {
    const ShardRange *ranges;
    std::uint32_t range_count;  // 0: the set is empty, which means unset
    std::uint32_t shard_count;

    bool empty() const noexcept { return range_count == 0; }
    std::uint32_t smallest() const noexcept { return ranges[0].first; }
    std::uint32_t largest() const noexcept { return ranges[range_count - 1].last; }
    bool contains(std::uint32_t shard) const noexcept;
    // The shard with that rank, ascending from 0. Requires rank < shard_count.
    std::uint32_t at(std::uint32_t rank) const noexcept;
};

// No layout has a larger number: 31 bits.
constexpr std::uint32_t max_shard = 0x7FFFFFFF;

// An upper bound of the ranges that the text can hold, for the buffer of parse_shards.
std::size_t max_range_count(std::string_view text) noexcept;

// Why a list of shards was refused.
enum class ShardsReason : std::uint8_t { none, bad_number, reversed, too_large };

struct ShardsError {
    ShardsReason reason;
    std::string_view part;  // the refused item, within the text
};

// Reads the text into `buffer` and makes `set` a view of it. Blank text gives the empty set.
ShardsError parse_shards(std::string_view text, ShardRange *buffer, ShardSet &set) noexcept;

}  // namespace idgen
