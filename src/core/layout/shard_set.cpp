#include "core/layout/shard_set.hpp"

#include <algorithm>
#include <charconv>

#include "core/require.hpp"
#include "core/text/text_part.hpp"

namespace idgen {
namespace {

ShardsReason parse_number(std::string_view text, std::uint32_t &value) noexcept {
    text = trim(text);
    const char *end = text.data() + text.size();
    auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc::result_out_of_range && stop == end) return ShardsReason::too_large;
    if (error != std::errc() || stop != end) return ShardsReason::bad_number;
    return value > max_shard ? ShardsReason::too_large : ShardsReason::none;
}

ShardsReason parse_range(std::string_view item, ShardRange &range) noexcept {
    std::string_view rest = item;
    std::string_view first = take_until(rest, '-');
    bool is_range = first.size() < item.size();
    if (ShardsReason reason = parse_number(first, range.first); reason != ShardsReason::none) return reason;
    if (ShardsReason reason = parse_number(is_range ? rest : first, range.last); reason != ShardsReason::none)
        return reason;
    return range.first > range.last ? ShardsReason::reversed : ShardsReason::none;
}

// Sorts the ranges and joins those that touch; returns how many are left.
std::uint32_t normalise(ShardRange *ranges, std::uint32_t count) noexcept {
    std::sort(ranges, ranges + count, [](const ShardRange &a, const ShardRange &b) { return a.first < b.first; });
    std::uint32_t kept = 0;
    for (std::uint32_t i = 1; i < count; i++) {
        if (ranges[i].first <= ranges[kept].last + 1)
            ranges[kept].last = std::max(ranges[kept].last, ranges[i].last);
        else
            ranges[++kept] = ranges[i];
    }
    return kept + 1;
}

}  // namespace

bool ShardSet::contains(std::uint32_t shard) const noexcept {
    for (std::uint32_t i = 0; i < range_count; i++)
        if (shard >= ranges[i].first && shard <= ranges[i].last) return true;
    return false;
}

std::uint32_t ShardSet::at(std::uint32_t rank) const noexcept {
    IDGEN_REQUIRE(rank < shard_count);
    const ShardRange *range = ranges;
    for (; rank > range->last - range->first; range++) rank -= range->last - range->first + 1;
    return range->first + rank;
}

std::size_t max_range_count(std::string_view text) noexcept {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), ',')) + 1;
}

ShardsError parse_shards(std::string_view text, ShardRange *buffer, ShardSet &set) noexcept {
    set = {buffer, 0, 0};
    std::string_view rest = trim(text);
    if (rest.empty()) return {ShardsReason::none, {}};
    std::size_t items = max_range_count(rest);
    for (std::size_t i = 0; i < items; i++) {
        std::string_view item = trim(take_until(rest, ','));
        if (ShardsReason reason = parse_range(item, buffer[i]); reason != ShardsReason::none) return {reason, item};
    }
    set.range_count = normalise(buffer, static_cast<std::uint32_t>(items));
    for (std::uint32_t i = 0; i < set.range_count; i++) set.shard_count += buffer[i].last - buffer[i].first + 1;
    return {ShardsReason::none, {}};
}

}  // namespace idgen
