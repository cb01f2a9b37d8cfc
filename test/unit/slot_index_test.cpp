#include "core/slot/slot_index.hpp"

#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <vector>

#include "support.hpp"

namespace idgen {
namespace {

struct Entry {
    int before;  // so that the link does not stand first
    SlotLink link;
};

SlotKey key_of(const char *layout, std::uint32_t database, std::uint32_t shard) {
    return {key_of(layout_of(layout)), database, shard};
}

using Index = SlotIndex<Entry>;

std::int32_t find(const Index &index, const SlotKey &key, std::uint32_t most = UINT32_MAX) {
    return index.find(
        key, [&key](const Entry &entry) { return entry.link.key == key; }, most);
}

void insert(Index &index, std::vector<Entry> &entries, std::int32_t slot, const SlotKey &key) {
    entries[static_cast<std::size_t>(slot)].link.key = key;
    index.insert(slot);
}

TEST(SlotIndex, BucketsAreAPowerOfTwoThatHoldsTheEntries) {
    constexpr struct {
        std::uint32_t entries, buckets;
    } cases[] = {{0, 1}, {1, 1}, {2, 2}, {3, 4}, {4, 4}, {5, 8}, {1000, 1024}, {1024, 1024}, {1025, 2048}};
    for (const auto &c : cases) EXPECT_EQ(Index::buckets_for(c.entries), c.buckets) << c.entries;
}

TEST(SlotIndex, EveryPartOfAKeyCounts) {
    const SlotKey key = key_of("instagram", 1, 5);
    EXPECT_TRUE(key == key_of("instagram", 1, 5));
    EXPECT_EQ(hash_of(key), hash_of(key_of("instagram", 1, 5)));
    for (const SlotKey &other : {key_of("instagram", 2, 5), key_of("instagram", 1, 6), key_of("snowflake", 1, 5),
                                 key_of("twitter", 1, 5), key_of("sonyflake", 1, 5), key_of("mastodon", 1, 5)}) {
        EXPECT_FALSE(key == other);
        EXPECT_NE(hash_of(key), hash_of(other));
    }
}

TEST(SlotIndex, HashSpreadsNeighbouringShards) {
    constexpr std::uint32_t count = 4096, buckets = 1024;
    std::vector<int> chain(buckets);
    for (std::uint32_t shard = 0; shard < count; shard++) chain[hash_of(key_of("instagram", 16384, shard)) % buckets]++;
    for (int length : chain) EXPECT_LT(length, 20);
}

TEST(SlotIndex, RemovesFromHeadMiddleAndTailOfAChain) {
    for (int removed = 0; removed < 3; removed++) {
        std::vector<SlotBucket> buckets(1);
        std::vector<Entry> entries(3);
        Index index(buckets.data(), 1, entries.data());
        index.clear();
        for (int i = 0; i < 3; i++) insert(index, entries, i, key_of("instagram", 1, static_cast<std::uint32_t>(i)));
        index.remove(removed, key_of("instagram", 1, static_cast<std::uint32_t>(removed)));
        for (int i = 0; i < 3; i++)
            EXPECT_EQ(find(index, key_of("instagram", 1, static_cast<std::uint32_t>(i))), i == removed ? no_slot : i);
    }
}

TEST(SlotIndex, ARemovedEntryIsInNoChainThoughItsKeyIsGone) {
    std::vector<SlotBucket> buckets(2);
    std::vector<Entry> entries(1);
    Index index(buckets.data(), 2, entries.data());
    index.clear();
    SlotKey key = key_of("instagram", 1, 5);
    insert(index, entries, 0, key);
    entries[0].link.key = {};
    index.remove(0, key);
    EXPECT_EQ(buckets[0], no_slot);
    EXPECT_EQ(buckets[1], no_slot);
    EXPECT_EQ(entries[0].link.next, no_slot);
}

TEST(SlotIndex, ASearchEndsAlsoInAChainThatIsLedAstray) {
    std::vector<SlotBucket> buckets(1);
    std::vector<Entry> entries(2);
    Index index(buckets.data(), 1, entries.data());
    index.clear();
    insert(index, entries, 0, key_of("instagram", 1, 0));
    insert(index, entries, 1, key_of("instagram", 1, 1));
    entries[0].link.next = 1;
    EXPECT_EQ(find(index, key_of("instagram", 1, 2), longest_search), no_slot);
    EXPECT_EQ(find(index, key_of("instagram", 1, 0), longest_search), 0);
    EXPECT_EQ(find(index, key_of("instagram", 1, 0), 1), no_slot) << "it is the second one";
}

TEST(SlotIndex, ClearForgetsEverything) {
    std::vector<SlotBucket> buckets(4);
    std::vector<Entry> entries(2);
    Index index(buckets.data(), 4, entries.data());
    index.clear();
    EXPECT_EQ(find(index, key_of("instagram", 1, 0)), no_slot);
    insert(index, entries, 0, key_of("instagram", 1, 0));
    insert(index, entries, 1, key_of("instagram", 1, 1));
    index.clear();
    EXPECT_EQ(find(index, key_of("instagram", 1, 0)), no_slot);
    EXPECT_EQ(find(index, key_of("instagram", 1, 1)), no_slot);
}

TEST(SlotIndex, AgreesWithAMapOverRandomOperations) {
    constexpr const char *layouts[] = {"instagram", "snowflake", "sonyflake", "trace"};
    constexpr std::int32_t entry_count = 60;
    using Name = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // layout, database, shard
    std::vector<PackingKey> packings;
    for (const char *layout : layouts) packings.push_back(key_of(layout_of(layout)));

    for (std::uint32_t bucket_count : {1u, 2u, 4u, 64u}) {
        SCOPED_TRACE(bucket_count);
        Random random(7 + bucket_count);
        std::vector<SlotBucket> buckets(bucket_count);
        std::vector<Entry> entries(entry_count);
        Index index(buckets.data(), bucket_count, entries.data());
        index.clear();
        std::map<Name, std::int32_t> oracle;
        std::vector<std::int32_t> free;
        for (std::int32_t i = 0; i < entry_count; i++) free.push_back(i);
        for (int step = 0; step < 20000; step++) {
            Name name{random.below(4), random.below(3) + 1, random.below(10)};
            SlotKey key{packings[std::get<0>(name)], std::get<1>(name), std::get<2>(name)};
            auto known = oracle.find(name);
            ASSERT_EQ(find(index, key), known == oracle.end() ? no_slot : known->second);
            if (known != oracle.end() && random.once_in(2)) {
                index.remove(known->second, key);
                free.push_back(known->second);
                oracle.erase(known);
                ASSERT_EQ(find(index, key), no_slot);
            } else if (known == oracle.end() && !free.empty()) {
                std::int32_t slot = free.back();
                free.pop_back();
                insert(index, entries, slot, key);
                oracle[name] = slot;
                ASSERT_EQ(find(index, key), slot);
            }
        }
        EXPECT_GT(oracle.size(), 20u);
    }
}

constexpr ShardRange range{4, 7};
constexpr ShardSet four_to_seven{&range, 1, 4};
constexpr ShardSet unset{nullptr, 0, 0};

TEST(SlotQuota, WhatIsOwn) {
    constexpr const char *twitter_by_hand = "epoch=2010-11-04T01:42:54.657Z unit=1ms time=40 shard=10 sequence=12";
    const struct {
        const char *layout;
        ShardSet shards;
        std::uint32_t region, whole;
        bool is_own;
    } cases[] = {
        {"instagram", four_to_seven, 0, 4, true},
        {"trace", four_to_seven, 0, 7, true},
        {"instagram", four_to_seven, 0, 8, false},
        {"instagram", unset, 0, 4, false},
        {"twitter", four_to_seven, 3, 3 * 32 + 5, true},
        {"twitter", four_to_seven, 3, 3 * 32 + 8, false},
        {"twitter", four_to_seven, 0, 3 * 32 + 5, false},
        {twitter_by_hand, four_to_seven, 0, 5, true},
        {"mastodon", four_to_seven, 0, 0, true},
        {"mastodon", unset, 0, 0, true},
        {"epoch=2020-01-01 unit=1ms time=41 sequence=20", four_to_seven, 0, 0, false},
        {"epoch=2020-01-01 unit=2ms time=41 shard=10 sequence=12", four_to_seven, 0, 5, false},
        {"mastodon", unset, 0, max_shard + 1, true},
    };
    for (const auto &c : cases)
        EXPECT_EQ(use_of(c.shards, c.region, layout_of(c.layout), c.whole) == SlotUse::own, c.is_own)
            << c.layout << " " << c.region << " " << c.whole;
}

TEST(SlotQuota, OthersHaveTheSmallerHalfButOne) {
    constexpr std::uint32_t cases[][2] = {{0, 0}, {1, 1}, {2, 1}, {3, 1}, {4, 2}, {5, 2}, {4096, 2048}};
    for (const auto &c : cases) EXPECT_EQ(slots_for_others(c[0]), c[1]) << c[0];
}

TEST(SlotQuota, WhatIsShort) {
    constexpr struct {
        SlotUse use;
        SlotCounts database, server;
        Shortage shortage;
    } cases[] = {
        {SlotUse::other, {3, 3}, {3, 3}, Shortage::none},
        {SlotUse::other, {4, 4}, {4, 4}, Shortage::share_others},
        {SlotUse::other, {8, 4}, {8, 4}, Shortage::share_others},
        {SlotUse::other, {8, 3}, {8, 3}, Shortage::share},
        {SlotUse::other, {3, 3}, {10, 10}, Shortage::server_others},
        {SlotUse::other, {3, 3}, {20, 9}, Shortage::server},
        {SlotUse::own, {4, 4}, {10, 10}, Shortage::none},
        {SlotUse::own, {7, 4}, {19, 10}, Shortage::none},
        {SlotUse::own, {8, 4}, {19, 10}, Shortage::share},
        {SlotUse::own, {7, 4}, {20, 10}, Shortage::server},
    };
    for (const auto &c : cases)
        EXPECT_EQ(shortage_of(c.use, c.database, 8, c.server, 20), c.shortage)
            << c.database.all << " " << c.database.other << " " << c.server.all << " " << c.server.other;
}

// Whoever comes first and however often: what a node was set up to make finds room, as long as it is no more than the
// larger half of the share, and of the server.
TEST(SlotQuota, OwnClaimsFindRoomWhateverOthersTake) {
    constexpr std::uint32_t server_slots = 24, databases = 4;
    for (std::uint32_t share : {1U, 2U, 3U, 7U, 12U, 24U}) {
        SlotCounts server{};
        std::vector<SlotCounts> counts(databases);
        auto take = [&](std::uint32_t database, SlotUse use) {
            if (shortage_of(use, counts[database], share, server, server_slots) != Shortage::none) return false;
            add_slot(counts[database], use);
            add_slot(server, use);
            return true;
        };
        for (std::uint32_t database = 0; database < databases; database++)
            while (take(database, SlotUse::other)) continue;
        std::uint32_t own = share - slots_for_others(share);
        for (std::uint32_t n = 0; n < own && n < (server_slots - slots_for_others(server_slots)) / databases; n++)
            for (std::uint32_t database = 0; database < databases; database++)
                EXPECT_TRUE(take(database, SlotUse::own)) << share << " " << n;
    }
}

TEST(SlotQuota, CountsGoOutAsTheyCameIn) {
    SlotCounts counts{};
    for (SlotUse use : {SlotUse::own, SlotUse::other, SlotUse::other}) add_slot(counts, use);
    EXPECT_EQ(counts.all, 3U);
    EXPECT_EQ(counts.other, 2U);
    subtract(counts, one_slot(SlotUse::other));
    subtract(counts, one_slot(SlotUse::own));
    EXPECT_EQ(counts.all, 1U);
    EXPECT_EQ(counts.other, 1U);
}

}  // namespace
}  // namespace idgen
