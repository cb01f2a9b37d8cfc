#include "core/layout/shard_set.hpp"

#include <vector>

#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    std::string_view text = idgen::text_of(data, size);
    std::vector<idgen::ShardRange> ranges(idgen::max_range_count(text));
    idgen::ShardSet set{};
    idgen::ShardsError error = idgen::parse_shards(text, ranges.data(), set);
    if (error.reason != idgen::ShardsReason::none) {
        idgen::require_within(error.part, text);
        return 0;
    }
    if (set.empty()) return 0;
    idgen::require(set.range_count <= ranges.size() && set.shard_count > 0);
    idgen::require(set.at(0) == set.smallest() && set.at(set.shard_count - 1) == set.largest());
    for (std::uint32_t i = 0; i < set.range_count; i++) {
        idgen::require(set.ranges[i].first <= set.ranges[i].last && set.ranges[i].last <= idgen::max_shard);
        idgen::require(i == 0 || set.ranges[i].first > set.ranges[i - 1].last);
        idgen::require(set.contains(set.ranges[i].first) && set.contains(set.ranges[i].last));
    }
    idgen::require(!set.contains(set.largest() + 1));
    idgen::require(set.smallest() == 0 || !set.contains(set.smallest() - 1));
    return 0;
}
