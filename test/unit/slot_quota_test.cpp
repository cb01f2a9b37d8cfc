#include "core/issue/slot_index.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support.hpp"

namespace idgen {
namespace {

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
