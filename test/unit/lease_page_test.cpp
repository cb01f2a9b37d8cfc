#include "registry/node/rules/lease_record.hpp"

#include <gtest/gtest.h>

namespace idgen {
namespace {

constexpr RegistryIdentity registry{1, 2};
constexpr std::int64_t identity = 77;

LeaseRecord record_for(std::int64_t number, std::int64_t accepted, std::int64_t proposed) {
    return {registry, number, accepted, proposed, identity};
}

struct LeasePages : testing::Test {
    LeasePage page{registry, identity, 0, 0, {}};
};

TEST_F(LeasePages, RemembersEachNumberOnce) {
    EXPECT_TRUE(remember(page, record_for(5, 0, 21)));
    EXPECT_TRUE(remember(page, record_for(0, 31, 0)));
    EXPECT_TRUE(remember(page, record_for(5, 21, 22)));
    ASSERT_EQ(page.count, 2U);
    EXPECT_EQ(size_of(page), 32U + 2 * 24);
    LeaseRecord five = record_of(page, 1);
    EXPECT_TRUE(is_own(five, registry, identity));
    EXPECT_EQ(five.number, 5);
    EXPECT_EQ(five.accepted, 21);
    EXPECT_EQ(five.proposed, 22);
    EXPECT_EQ(record_of(page, 0).number, 0) << "the last one is in the last row";
}

TEST_F(LeasePages, ForgetsOneNumberAndKeepsTheOrder) {
    for (std::int64_t number : {5, 6, 7}) remember(page, record_for(number, number * 10, 0));
    remove_number(page, 5);
    remove_number(page, 8);
    ASSERT_EQ(page.count, 2U);
    EXPECT_EQ(record_of(page, 0).number, 6);
    EXPECT_EQ(record_of(page, 1).number, 7);
    EXPECT_EQ(record_of(page, 1).accepted, 70);
}

TEST_F(LeasePages, IsFullAtItsEndAndStillTakesWhatItKnows) {
    for (std::int64_t number = 0; number < most_remembered; number++)
        EXPECT_TRUE(remember(page, record_for(number, 1, 0)));
    EXPECT_FALSE(remember(page, record_for(most_remembered, 1, 0)));
    EXPECT_TRUE(remember(page, record_for(most_remembered - 1, 2, 0)));
    EXPECT_EQ(size_of(page), sizeof(page));
    remove_number(page, 3);
    EXPECT_TRUE(remember(page, record_for(most_remembered, 1, 0)));
}

TEST_F(LeasePages, AnotherIdentityKnowsTheRegistryAlone) {
    remember(page, record_for(5, 21, 0));
    adopt(page, identity);
    EXPECT_EQ(page.count, 1U);
    adopt(page, identity + 1);
    EXPECT_EQ(page.count, 0U);
    EXPECT_EQ(page.identity, identity + 1);
    EXPECT_TRUE(page.registry == registry);
}

TEST_F(LeasePages, AreEqualByWhatTheyRemember) {
    LeasePage other = page;
    EXPECT_TRUE(page == other);
    other.rows[3] = {1, 2, 3};
    EXPECT_TRUE(page == other) << "behind the end";
    remember(other, record_for(5, 21, 0));
    EXPECT_FALSE(page == other);
    remember(page, record_for(5, 22, 0));
    EXPECT_FALSE(page == other);
    other = LeasePage{};
    EXPECT_FALSE((LeasePage{registry, 0, 0, 0, {}} == other));
}

}  // namespace
}  // namespace idgen
