#include "registry/node/rules/tickets.hpp"

#include <gtest/gtest.h>

namespace idgen {
namespace {

// The counter gives these numbers to a server that asked for them as a block.
bool give(Tickets &tickets, std::int64_t first, std::int64_t last, std::int64_t version = 1, std::int64_t now_ms = 0) {
    return take_in(tickets, {last - first + 1, 1, 0}, {CounterOutcome::done, first, last, version, 1, 1000, 77, 5000},
                   now_ms);
}

// So does another one, which has the same name.
bool give_of_other(Tickets &tickets, std::int64_t first, std::int64_t last) {
    return take_in(tickets, {last - first + 1, 1, 0}, {CounterOutcome::done, first, last, 3, 1, 2000, 78, 9000}, 0);
}

std::int64_t take_one(Tickets &tickets, std::int64_t n = 1) {
    std::int64_t first = 0;
    return take(tickets, n, first) ? first : -1;
}

TEST(Tickets, AreUsedInTheirOrder) {
    Tickets tickets{};
    EXPECT_EQ(take_one(tickets), -1);
    give(tickets, 11, 12);
    give(tickets, 21, 22);
    for (std::int64_t number : {11, 12, 21, 22, -1}) EXPECT_EQ(take_one(tickets), number);
}

TEST(Tickets, AFewInARowComeFromOneRange) {
    Tickets tickets{};
    give(tickets, 11, 12);
    give(tickets, 21, 25);
    EXPECT_EQ(take_one(tickets, 4), 21);
    EXPECT_EQ(take_one(tickets, 3), -1);
    EXPECT_EQ(take_one(tickets, 2), 11);
    EXPECT_EQ(take_one(tickets), 25);
    EXPECT_EQ(tickets.count, 0u);
}

TEST(Tickets, BlocksThatFollowEachOtherAreOneRange) {
    Tickets tickets{};
    give(tickets, 1, 10);
    give(tickets, 11, 20);
    EXPECT_EQ(tickets.count, 1u);
    EXPECT_EQ(take_one(tickets, 20), 1);
}

TEST(Tickets, LeaveOutTheShortestRangeWhereThereIsNoRoom) {
    Tickets tickets{};
    give(tickets, 10, 13);
    give(tickets, 20, 21);
    give(tickets, 30, 33);
    give(tickets, 40, 43);
    give(tickets, 50, 53);
    EXPECT_EQ(tickets.dropped, 2);
    EXPECT_EQ(left_of(tickets), 16);
    EXPECT_EQ(take_one(tickets, 4), 10);
    EXPECT_EQ(take_one(tickets, 4), 30);
    // Followed by a block when it is full.
    Tickets full{};
    for (std::int64_t first : {10, 20, 30, 40}) give(full, first, first + 3);
    give(full, 44, 47);
    EXPECT_EQ(full.dropped, 0);
    EXPECT_EQ(left_of(full), 20);
}

TEST(Tickets, AreLowWhenHalfOfABlockIsUsed) {
    Tickets tickets{};
    EXPECT_TRUE(is_low(tickets));
    give(tickets, 1, 10);
    take_one(tickets, 4);
    EXPECT_FALSE(is_low(tickets));
    take_one(tickets);
    EXPECT_TRUE(is_low(tickets));
    give(tickets, 21, 30);
    EXPECT_FALSE(is_low(tickets));
}

TEST(Tickets, ABlockGrowsAndShrinksWithTheRate) {
    Tickets tickets{};
    EXPECT_EQ(next_fetch(tickets, 0, 5000).count, 0);
    give(tickets, 1, 10, 1, 10000);
    for (auto [lasted_ms, count] : {std::pair{0, 80},
                                    {300, 80},
                                    {700, 40},
                                    {1999, 20},
                                    {2000, 10},
                                    {20000, 10},
                                    {20001, 5},
                                    {41000, 2},
                                    {10000000, 1}})
        EXPECT_EQ(next_fetch(tickets, 0, 10000 + lasted_ms).count, count) << lasted_ms;
    give(tickets, 11, 1100, 2, 11000);
    EXPECT_EQ(tickets.block, 1000);
}

TEST(Tickets, ALongerRangeIsAskedForAsItIs) {
    Tickets tickets{};
    give(tickets, 1, 10, 7, 1000);
    CounterFetch call = next_fetch(tickets, 300, 2000);
    EXPECT_EQ(call.least, 300);
    EXPECT_EQ(call.count, 0);
    EXPECT_EQ(call.since, 7);
    take_in(tickets, call, {CounterOutcome::done, 21, 320, 8, 1, 1000, 77, 5000}, 2000);
    EXPECT_EQ(tickets.block, 10);
    EXPECT_EQ(take_one(tickets, 300), 21);
}

TEST(Tickets, RefuseNumbersThatCameBefore) {
    Tickets tickets{};
    EXPECT_TRUE(give(tickets, 11, 20));
    take_one(tickets, 10);
    EXPECT_FALSE(give(tickets, 20, 29));
    EXPECT_FALSE(give(tickets, 1, 10));
    EXPECT_EQ(take_one(tickets), -1);
    EXPECT_TRUE(give(tickets, 21, 30));
}

TEST(Tickets, OfAnotherCounterAreNotMixedIn) {
    Tickets tickets{};
    give(tickets, 11, 20);
    give(tickets, 31, 40);
    take_one(tickets, 4);
    EXPECT_TRUE(give_of_other(tickets, 1, 10));
    EXPECT_EQ(tickets.dropped, 16);
    EXPECT_EQ(left_of(tickets), 10);
    EXPECT_EQ(take_one(tickets), 1);
    EXPECT_EQ(tickets.largest, 9000);
    EXPECT_EQ(tickets.max_block, 2000);
    // Also if the new numbers follow the old ones.
    EXPECT_TRUE(give(tickets, 11, 20));
    EXPECT_EQ(left_of(tickets), 10);
    // They were that one's.
    EXPECT_FALSE(give(tickets, 20, 29));
}

TEST(Tickets, OfACounterThatIsGoneAreLeftOut) {
    Tickets tickets{};
    leave_out(tickets);
    EXPECT_EQ(tickets.dropped, 0);
    give(tickets, 11, 20, 7);
    take_one(tickets, 3);
    leave_out(tickets);
    EXPECT_EQ(tickets.dropped, 7);
    EXPECT_EQ(take_one(tickets), -1);
    EXPECT_EQ(next_fetch(tickets, 0, 0).since, 0);
    EXPECT_EQ(give_up(tickets).version, 0);
    // Its name begins with 1 again if it was forgotten.
    EXPECT_TRUE(give_of_other(tickets, 1, 10));
    EXPECT_EQ(take_one(tickets), 1);
}

TEST(Tickets, OnlyTheEndOfWhatWasGivenIsGivenBack) {
    Tickets tickets{};
    EXPECT_EQ(give_up(tickets).version, 0);
    give(tickets, 11, 20, 7);
    give(tickets, 31, 40, 8);
    take_one(tickets, 3);
    UnusedNumbers unused = give_up(tickets);
    EXPECT_EQ(unused.first, 31);
    EXPECT_EQ(unused.version, 8);
    EXPECT_EQ(take_one(tickets), -1);
    EXPECT_EQ(give_up(tickets).version, 0);
    // They may come again.
    EXPECT_TRUE(give(tickets, 31, 35, 9));
}

TEST(Tickets, OfACopiedMachineAreNeitherUsedNorGivenBack) {
    Tickets tickets{};
    give(tickets, 11, 20, 7);
    give(tickets, 31, 40, 8);
    take_one(tickets, 3);
    leave_to_copies(tickets);
    EXPECT_EQ(tickets.dropped, 17);
    EXPECT_EQ(take_one(tickets), -1);
    EXPECT_EQ(next_fetch(tickets, 0, 0).since, 0);
    EXPECT_EQ(give_up(tickets).version, 0);
    // The machine of before may give back what it has not used, and no more.
    EXPECT_FALSE(give(tickets, 21, 30, 9));
    EXPECT_TRUE(give(tickets, 31, 40, 9));
    EXPECT_EQ(take_one(tickets), 31);
}

TEST(Tickets, NothingIsGivenBackWhereTheEndIsUsed) {
    Tickets tickets{};
    give(tickets, 11, 20, 7);
    give(tickets, 31, 40, 8);
    take_one(tickets, 10);
    give(tickets, 51, 59, 9);
    take_one(tickets, 10);
    take_one(tickets, 9);
    EXPECT_EQ(give_up(tickets).version, 0);
    give(tickets, 61, 70, 10);
    give(tickets, 81, 90, 11);
    take_one(tickets, 3);
    take_one(tickets, 10);
    EXPECT_EQ(give_up(tickets).version, 0) << "64 to 70 are left, and lie before what is used";
}

}  // namespace
}  // namespace idgen
