#include "core/issue/slot.hpp"

#include <gtest/gtest.h>

namespace idgen {
namespace {

TEST(FullRun, GrowsWithoutLongGaps) {
    FullRun run{};
    EXPECT_EQ(note_full(run, 1000, 1), 0u);
    EXPECT_EQ(note_full(run, 1001, 1), 1u);
    EXPECT_EQ(note_full(run, 1101, 1), 101u) << "the longest gap";
    EXPECT_EQ(note_full(run, 1101, 1), 101u) << "another session, at once";
    EXPECT_EQ(note_full(run, 1202, 1), 0u) << "a gap too long begins a new run";
    EXPECT_EQ(note_full(run, 1300, 1), 98u);
}

TEST(FullRun, LongTicksHaveLongGaps) {
    FullRun run{};
    note_full(run, 1000, 1000);
    EXPECT_EQ(note_full(run, 3000, 1000), 2000u) << "two ticks";
    EXPECT_EQ(note_full(run, 5001, 1000), 0u) << "more than two";
}

TEST(FullRun, OutlastsTheTurnOfItsClock) {
    constexpr std::int64_t turn = std::int64_t{1} << 32;
    FullRun run{};
    note_full(run, turn - 50, 1);
    EXPECT_EQ(note_full(run, turn + 20, 1), 70u);
}

}  // namespace
}  // namespace idgen
