#include "core/lease/number_choice.hpp"

#include <gtest/gtest.h>

namespace idgen {
namespace {

constexpr std::int64_t now = 1795000000000;
constexpr NumberRange all{0, 8191};

OlderRegistry older_than(const GrantedHorizons &granted, const std::initializer_list<ListedNumber> &rows,
                         std::int64_t floor_ms = 0, const NumberRange &range = all) {
    return find_older(granted, {rows.begin(), rows.size(), floor_ms}, range);
}

TEST(GrantedHorizons, TheHighestOfANumber) {
    GrantedHorizons granted{};
    EXPECT_EQ(granted_ms(granted, 0), 0);
    note_granted(granted, 0, now);
    note_granted(granted, 5, now + 9);
    note_granted(granted, 0, now + 3);
    note_granted(granted, 0, now + 1);
    EXPECT_EQ(granted_ms(granted, 0), now + 3);
    EXPECT_EQ(granted_ms(granted, 5), now + 9);
    EXPECT_EQ(granted_ms(granted, 4), 0);
}

TEST(GrantedHorizons, LoweredByTheServerItself) {
    GrantedHorizons granted{};
    note_granted(granted, 5, now + 9);
    note_lowered(granted, 5, now + 2);
    EXPECT_EQ(granted_ms(granted, 5), now + 2);
    note_lowered(granted, 5, now + 4);
    EXPECT_EQ(granted_ms(granted, 5), now + 2);
    note_lowered(granted, 6, now);
    EXPECT_EQ(granted_ms(granted, 6), 0);
}

TEST(GrantedHorizons, TheSmallestIsForgotten) {
    GrantedHorizons granted{};
    for (std::size_t i = 0; i < most_granted; i++)
        note_granted(granted, static_cast<std::int64_t>(i), now + static_cast<std::int64_t>(i));
    note_granted(granted, 500, now - 1);
    EXPECT_EQ(granted_ms(granted, 500), 0);
    EXPECT_EQ(granted_ms(granted, 0), now);
    note_granted(granted, 501, now + 7);
    EXPECT_EQ(granted_ms(granted, 501), now + 7);
    EXPECT_EQ(granted_ms(granted, 0), 0);
    EXPECT_EQ(granted_ms(granted, 1), now + 1);
}

TEST(GrantedHorizons, ARegistryThatKnowsLess) {
    GrantedHorizons granted{};
    EXPECT_EQ(older_than(granted, {{5, now, true}}).granted_ms, 0);
    note_granted(granted, 5, now + 9);
    EXPECT_EQ(older_than(granted, {{5, now + 9, false}}).granted_ms, 0);
    EXPECT_EQ(older_than(granted, {}, now + 9).granted_ms, 0);
    OlderRegistry older = older_than(granted, {{4, now, true}, {5, now + 8, false}});
    EXPECT_EQ(older.number, 5);
    EXPECT_EQ(older.granted_ms, now + 9);
    EXPECT_EQ(older.known_ms, now + 8);
    EXPECT_EQ(older_than(granted, {{4, now + 20, true}}, now).known_ms, now);
}

TEST(GrantedHorizons, TheHighestOfSeveral) {
    GrantedHorizons granted{};
    for (std::int64_t number : {3, 7, 5}) note_granted(granted, number, now + number);
    EXPECT_EQ(older_than(granted, {}).number, 7);
    EXPECT_EQ(older_than(granted, {{7, now + 7, true}}).number, 5);
}

TEST(GrantedHorizons, NothingIsSaidOfANumberThatIsNotListed) {
    GrantedHorizons granted{};
    note_granted(granted, 5, now);
    EXPECT_EQ(older_than(granted, {}, 0, {6, 9}).granted_ms, 0);
    EXPECT_EQ(older_than(granted, {}, 0, {0, 4}).granted_ms, 0);
    EXPECT_EQ(older_than(granted, {}, 0, {5, 5}).granted_ms, now);
}

}  // namespace
}  // namespace idgen
