#include "core/kinds/decimal_id.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "support.hpp"

namespace idgen {
namespace {

constexpr std::int64_t ours = 77, theirs = 78;

TEST(DecimalId, Digits) {
    EXPECT_EQ(pack_decimal({123456789, 12345, 67890}), 1234567891234567890);
    EXPECT_EQ(pack_decimal({1, 1, 0}), 10000100000);
    EXPECT_EQ(pack_decimal({last_counter, last_generator, last_launch}), 9223372029999999999);
    DecimalParts parts{};
    ASSERT_TRUE(unpack_decimal(1234567891234567890 - 1000000000000000000, parts));
    EXPECT_EQ(parts.counter, 23456789u);
    EXPECT_EQ(parts.generator, 12345u);
    EXPECT_EQ(parts.launch, 67890u);
}

TEST(DecimalId, RoundTrip) {
    Random random(3);
    for (int i = 0; i < 20000; i++) {
        DecimalParts parts{static_cast<std::uint32_t>(random.between(1, last_counter)),
                           static_cast<std::uint32_t>(random.between(1, last_generator)),
                           static_cast<std::uint32_t>(random.between(0, last_launch))};
        DecimalParts again{};
        ASSERT_TRUE(unpack_decimal(pack_decimal(parts), again));
        ASSERT_EQ(again.counter, parts.counter);
        ASSERT_EQ(again.generator, parts.generator);
        ASSERT_EQ(again.launch, parts.launch);
    }
}

TEST(DecimalId, WhatIsNone) {
    for (std::int64_t id :
         {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, std::int64_t{9999999999}, std::int64_t{10000000000},
          std::int64_t{10000099999}, std::int64_t{9223372030000100000}, INT64_MAX}) {
        DecimalParts parts{};
        EXPECT_FALSE(unpack_decimal(id, parts)) << id;
    }
}

TEST(DecimalCounter, CountsFromOneUntilItIsUsedUp) {
    DecimalCounter counter{};
    DecimalParts parts{};
    EXPECT_FALSE(counter.take(parts)) << "no generator yet";
    counter.begin(5);
    EXPECT_TRUE(counter.take(parts));
    EXPECT_EQ(parts.counter, 1u);
    EXPECT_EQ(parts.generator, 5u);

    counter.begin(6, last_counter - 2);
    EXPECT_TRUE(counter.take(parts));
    EXPECT_EQ(parts.counter, last_counter - 1);
    EXPECT_FALSE(counter.is_used_up());
    EXPECT_TRUE(counter.take(parts));
    EXPECT_EQ(parts.counter, last_counter);
    EXPECT_EQ(parts.generator, 6u);
    EXPECT_TRUE(counter.is_used_up());
    for (int i = 0; i < 1000; i++) EXPECT_FALSE(counter.take(parts));

    counter.begin(7);
    EXPECT_TRUE(counter.take(parts));
    EXPECT_EQ(parts.counter, 1u);
    EXPECT_EQ(parts.generator, 7u);
    counter.forget();
    EXPECT_FALSE(counter.take(parts));
}

TEST(DecimalCounter, EachCounterOnceWhereSessionsRace) {
    constexpr std::uint32_t left = 2000000;
    DecimalCounter counter{};
    counter.begin(1, last_counter - left);
    std::vector<std::uint32_t> taken[4];
    std::atomic<int> ready{0};
    std::vector<std::thread> sessions;
    for (auto &mine : taken)
        sessions.emplace_back([&counter, &ready, &mine] {
            DecimalParts parts{};
            for (ready++; ready < 4;) std::this_thread::yield();
            while (counter.take(parts)) mine.push_back(parts.counter);
        });
    for (std::thread &session : sessions) session.join();
    std::vector<std::uint32_t> all;
    for (auto &mine : taken) all.insert(all.end(), mine.begin(), mine.end());
    std::sort(all.begin(), all.end());
    ASSERT_EQ(all.size(), left);
    for (std::uint32_t i = 0; i < left; i++) ASSERT_EQ(all[i], last_counter - left + 1 + i);
}

TEST(DecimalGenerator, Next) {
    constexpr struct {
        const char *what;
        std::int64_t page, identity, known, next;
    } cases[] = {
        {"the first", 0, ours, 0, 1},
        {"after a restart", 7, ours, 0, 8},
        {"the counter is used up", 7, ours, 7, 8},
        {"a stranger's: some are skipped", 7, theirs, 0, 107},
        {"nobody's, as setval leaves it", 7, 0, 0, 107},
        {"set back by somebody", 3, 0, 7, 107},
        {"set back, our identity beside it", 3, ours, 7, 107},
        {"set forward by somebody", 50, ours, 7, 150},
        {"the last", 99998, ours, 0, 99999},
        {"none is left", 99999, ours, 99999, 100000},
        {"none is left to a stranger", 99950, theirs, 0, 100050},
    };
    for (const auto &c : cases) {
        DurableRecord next = next_generator(bare_record(c.page, c.identity), c.known, ours);
        EXPECT_EQ(next.value, c.next) << c.what;
        EXPECT_EQ(next.identity, ours) << c.what;
    }
}

}  // namespace
}  // namespace idgen
