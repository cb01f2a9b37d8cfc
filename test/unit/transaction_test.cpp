#include "core/reading/transaction.hpp"

#include <gtest/gtest.h>

namespace idgen {
namespace {

struct TestLock {
    void lock() noexcept {}
    void unlock() noexcept {}
};
using Entry = ProcessEntry<TestLock>;
using Own = OwnTransaction<TestLock>;

constexpr TransactionEvent ends[] = {TransactionEvent::before_commit, TransactionEvent::before_prepare};

// A process and its worker, in the transaction 7 of the process 1000.
struct TransactionTest : testing::Test {
    Entry entry{};
    volatile std::uint32_t number = 7;
    Own leader, worker;

    TransactionTest() {
        leader.attach(entry, 1000, &number);
        worker.attach(entry, 1000, &number);
    }
    bool admits(std::uint64_t machine) const {
        EXPECT_EQ(leader.admits(ends[0], machine), leader.admits(ends[1], machine));
        return leader.admits(ends[0], machine);
    }
};

TEST_F(TransactionTest, WhatWasHandedNothingEndsInEveryMachine) {
    EXPECT_TRUE(admits(1));
    EXPECT_TRUE(admits(2));
}

TEST_F(TransactionTest, EndsOnlyInTheMachineInWhichItWasHandedSomething) {
    leader.mark(1);
    EXPECT_TRUE(admits(1));
    EXPECT_FALSE(admits(2));
}

TEST_F(TransactionTest, WhatAWorkerWasHandedIsTheTransactions) {
    worker.mark(1);
    EXPECT_FALSE(leader.is_marked(1));
    EXPECT_FALSE(admits(2));
    EXPECT_TRUE(admits(1));
}

TEST_F(TransactionTest, TheFirstMachineStays) {
    leader.mark(1);
    worker.mark(2);
    EXPECT_FALSE(admits(1));
    EXPECT_FALSE(admits(2));
    leader.mark(2);
    EXPECT_FALSE(admits(2));
}

TEST_F(TransactionTest, ASavepointEndsNoMark) {
    leader.mark(1);
    EXPECT_TRUE(leader.admits(TransactionEvent::savepoint_ends, 2));
    EXPECT_FALSE(admits(2));
}

TEST_F(TransactionTest, TheNextTransactionBeginsWithoutMark) {
    leader.mark(1);
    number = 8;
    EXPECT_FALSE(leader.is_marked(1));
    EXPECT_TRUE(admits(2));
    leader.mark(2);
    EXPECT_TRUE(admits(2));
    EXPECT_FALSE(admits(1));
}

TEST_F(TransactionTest, TheNextProcessOfAnEntryMayUseItsNumbers) {
    leader.mark(1);
    Own next;
    next.attach(entry, 1001, &number);
    EXPECT_TRUE(next.admits(ends[0], 2));
    next.mark(2);
    EXPECT_TRUE(next.admits(ends[0], 2));
}

TEST_F(TransactionTest, AMarkAnnouncesNothing) {
    leader.mark(1);
    LocalTransaction announced;
    std::int64_t start_ms;
    EXPECT_FALSE(read_announcement(entry, 5, announced, start_ms));
    EXPECT_EQ(leader.announcement(5, 600).start_ms, drew_nothing);
}

TEST(OwnTransaction, KnowsOfNothingBeforeItIsAttached) {
    Own own;
    EXPECT_FALSE(own.is_attached());
    EXPECT_FALSE(own.is_marked(0));
}

}  // namespace
}  // namespace idgen
