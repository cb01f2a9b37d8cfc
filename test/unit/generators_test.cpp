#include "core/durable/durable_record.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace idgen {
namespace {

constexpr std::int64_t ours = 77, theirs = 78;

TEST(DecimalCounter, CountsFromOneUntilItIsUsedUp) {
    DecimalCounter counter{};
    GeneratorCount count{};
    EXPECT_FALSE(counter.take(count)) << "no generator yet";
    counter.begin(5);
    EXPECT_TRUE(counter.take(count));
    EXPECT_EQ(count.counter, 1u);
    EXPECT_EQ(count.generator, 5u);

    counter.begin(6, last_counter - 2);
    EXPECT_TRUE(counter.take(count));
    EXPECT_EQ(count.counter, last_counter - 1);
    EXPECT_FALSE(counter.is_used_up());
    EXPECT_TRUE(counter.take(count));
    EXPECT_EQ(count.counter, last_counter);
    EXPECT_EQ(count.generator, 6u);
    EXPECT_TRUE(counter.is_used_up());
    for (int i = 0; i < 1000; i++) EXPECT_FALSE(counter.take(count));

    counter.begin(7);
    EXPECT_TRUE(counter.take(count));
    EXPECT_EQ(count.counter, 1u);
    EXPECT_EQ(count.generator, 7u);
    counter.forget();
    EXPECT_FALSE(counter.take(count));
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
            GeneratorCount count{};
            for (ready++; ready < 4;) std::this_thread::yield();
            while (counter.take(count)) mine.push_back(count.counter);
        });
    for (std::thread &session : sessions) session.join();
    std::vector<std::uint32_t> all;
    for (auto &mine : taken) all.insert(all.end(), mine.begin(), mine.end());
    std::sort(all.begin(), all.end());
    ASSERT_EQ(all.size(), left);
    for (std::uint32_t i = 0; i < left; i++) ASSERT_EQ(all[i], last_counter - left + 1 + i);
}

// What a server knows that has taken that generator since it started; 0: none.
DurableState state_of(std::int64_t taken) {
    DurableState state{};
    if (taken != 0) note_written(state, bare_record(taken, ours), 1);
    return state;
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
        DurableRecord next = next_generator(state_of(c.known), bare_record(c.page, c.identity), ours);
        EXPECT_EQ(next.value, c.next) << c.what;
        EXPECT_EQ(next.identity, ours) << c.what;
    }
}

}  // namespace
}  // namespace idgen
