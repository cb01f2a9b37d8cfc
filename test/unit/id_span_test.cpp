#include "core/layout/packing.hpp"

#include <gtest/gtest.h>

#include "support.hpp"

namespace idgen {
namespace {

constexpr std::int64_t earliest = us_of(-210866803200000);  // 4714-11-24 BC, where timestamptz begins
constexpr std::int64_t latest = calendar_end_us - 1;        // where it ends

TEST(IdSpan, HoldsExactlyTheTicksThatStartInThePeriod) {
    Random random(11);
    for (int i = 0; i < preset_count; i++) {
        Packing p = packing_of(preset(i).layout);
        if (p.wraps) continue;
        SCOPED_TRACE(preset(i).name);
        for (int round = 0; round < 2000; round++) {
            std::int64_t tick = random.between(1, p.tick_end - 2);
            std::int64_t start = start_of(p, tick);
            std::int64_t from = start + random.between(-2 * p.unit_us, 2 * p.unit_us);
            std::int64_t end = start + random.between(-2 * p.unit_us, 2 * p.unit_us);
            IdSpan span = span_between(p, from, end);
            for (std::int64_t near : {tick - 1, tick, tick + 1}) {
                bool within = start_of(p, near) >= from && start_of(p, near) < end;
                EXPECT_EQ(span.holds(lowest_id(p, near)), within) << from << ' ' << end << ' ' << near;
                EXPECT_EQ(span.holds(highest_id(p, near)), within) << from << ' ' << end << ' ' << near;
            }
        }
    }
}

TEST(IdSpan, EndsWhereTheLayoutEnds) {
    for (int i = 0; i < preset_count; i++) {
        Packing p = packing_of(preset(i).layout);
        if (p.wraps) continue;
        SCOPED_TRACE(preset(i).name);
        std::int64_t largest = highest_id(p, p.tick_end - 1);
        std::int64_t end = start_of(p, p.tick_end);
        IdSpan all = span_between(p, earliest, latest);
        EXPECT_EQ(all.first, 0);
        EXPECT_EQ(all.last, largest);
        EXPECT_FALSE(all.holds(-1));
        EXPECT_FALSE(all.holds(INT64_MIN));
        EXPECT_EQ(all.holds(INT64_MAX), largest == INT64_MAX);
        IdSpan last = span_between(p, end - 1000, end);
        EXPECT_EQ(last.holds(largest), p.unit_us == 1000);
        EXPECT_EQ(span_between(p, end - p.unit_us, end).last, largest);
        EXPECT_EQ(span_between(p, p.epoch_us, p.epoch_us + 1).last, highest_id(p, 0));
    }
}

TEST(IdSpan, NothingIsAdjacentAndHoldsNothing) {
    Packing p = packing_of("js53");
    std::int64_t start = start_of(p, 1000);
    const struct {
        std::int64_t from, end;
    } cases[] = {
        {start, start},
        {start + 1, start + 999999},
        {start + 5000000, start},
        {earliest, p.epoch_us},
        {earliest, earliest},
        {start_of(p, p.tick_end), latest},
        {start_of(p, p.tick_end - 1) + 1, latest},
        {latest, latest},
        {latest, earliest},
    };
    for (const auto &c : cases) {
        IdSpan span = span_between(p, c.from, c.end);
        EXPECT_EQ(span.first, span.last + 1) << c.from << ' ' << c.end;
        EXPECT_FALSE(span.holds(span.first));
        EXPECT_FALSE(span.holds(span.last));
    }
}

}  // namespace
}  // namespace idgen
