#include "kinds/core/uuidv7.hpp"

#include <gtest/gtest.h>

#include "support.hpp"
#include "vectors.hpp"

namespace idgen {
namespace {

constexpr std::int64_t year_2022_ms = 1645557742000;

TEST(Uuidv7, FractionsAsComputed) {
    for (const Row &row : rows_where("uuid_fraction.csv", "class", "computed")) {
        std::int64_t ns = number(row.at("unix_ns"));
        UuidStamp stamp = uuid_stamp(ns / 1000000, static_cast<std::int32_t>(ns % 1000000));
        EXPECT_EQ(stamp >> 12, number(row.at("unix_ms"))) << ns;
        EXPECT_EQ(stamp & 0xFFF, number(row.at("fraction"))) << ns;
    }
}

// Every nanosecond of a millisecond: the fraction is floor(ns * 4096 / 1000000), and rises.
TEST(Uuidv7, FractionOfEveryNanosecond) {
    UuidStamp last = uuid_stamp(year_2022_ms, 0);
    EXPECT_EQ(last & 0xFFF, 0);
    for (std::int32_t ns = 0; ns < 1000000; ns++) {
        UuidStamp stamp = uuid_stamp(year_2022_ms, ns);
        std::int64_t fraction = stamp & 0xFFF;
        ASSERT_TRUE(stamp == last || stamp == last + 1) << ns;
        ASSERT_LE(fraction * 1000000, std::int64_t{ns} * 4096) << ns;
        ASSERT_GT((fraction + 1) * 1000000, std::int64_t{ns} * 4096) << ns;
        last = stamp;
    }
    EXPECT_EQ(last & 0xFFF, 4095);
    EXPECT_EQ(uuid_stamp(year_2022_ms + 1, 0), last + 1);
}

// RFC 9562, A.6: the fields of the example in their places.
TEST(Uuidv7, BitByBit) {
    EXPECT_EQ(hex_of(uuidv7_of(year_2022_ms << 12 | 0xCC3, 0x18C4DC0C0C07398F)), "017f22e279b07cc398c4dc0c0c07398f");
    // Bits above the 62 are not taken from the random ones.
    EXPECT_EQ(hex_of(uuidv7_of(year_2022_ms << 12 | 0xCC3, 0xD8C4DC0C0C07398F)), "017f22e279b07cc398c4dc0c0c07398f");
    EXPECT_EQ(hex_of(uuidv7_of(0, 0)), "00000000000070008000000000000000");
    EXPECT_EQ(hex_of(uuidv7_of(uuid_last_stamp, UINT64_MAX)), "ffffffffffff7fffbfffffffffffffff");
}

TEST(Uuidv7, BoundsOfAMillisecond) {
    EXPECT_EQ(hex_of(uuidv7_min(year_2022_ms)), "017f22e279b070008000000000000000");
    EXPECT_EQ(hex_of(uuidv7_max(year_2022_ms)), "017f22e279b07fffbfffffffffffffff");
    EXPECT_TRUE(is_before(uuidv7_max(year_2022_ms), uuidv7_min(year_2022_ms + 1)));
    EXPECT_EQ(hex_of(uuidv7_max(uuid_last_ms)), "ffffffffffff7fffbfffffffffffffff");
    EXPECT_EQ(hex_of(uuidv7_min(0)), "00000000000070008000000000000000");
    EXPECT_TRUE(uuid_holds(0));
    EXPECT_TRUE(uuid_holds(uuid_last_ms));
    EXPECT_FALSE(uuid_holds(-1));
    EXPECT_FALSE(uuid_holds(uuid_last_ms + 1));
}

TEST(Uuidv7, TheClockLeadsWhereItIsLater) {
    UuidStamp last = 0;
    EXPECT_TRUE(step_up(last, uuid_stamp(year_2022_ms, 0)));
    EXPECT_EQ(last, year_2022_ms << 12);
    EXPECT_TRUE(step_up(last, uuid_stamp(year_2022_ms, 500000)));
    EXPECT_EQ(last, (year_2022_ms << 12) + 2048);
}

TEST(Uuidv7, TheInstantOfTheLastIsNotGivenAgain) {
    UuidStamp last = 0, now = uuid_stamp(year_2022_ms, 123456);
    for (UuidStamp i = 0; i < 3; i++) {
        EXPECT_TRUE(step_up(last, now));
        EXPECT_EQ(last, now + i);
    }
}

// The clock stands still, steps back, and lies before 1970: the last plus 1, over the end of a millisecond.
TEST(Uuidv7, TheLastLeadsWhereTheClockIsBehind) {
    UuidStamp last = uuid_stamp(year_2022_ms, 999999);
    for (std::int64_t now_ms : {year_2022_ms, year_2022_ms - 3600000, std::int64_t{0}, std::int64_t{-86400000}}) {
        UuidStamp before = last;
        EXPECT_TRUE(step_up(last, uuid_stamp(now_ms, 0)));
        EXPECT_EQ(last, before + 1);
        EXPECT_TRUE(is_before(uuidv7_of(before, UINT64_MAX), uuidv7_of(last, 0)));
    }
    EXPECT_EQ(last >> 12, year_2022_ms + 1);
}

TEST(Uuidv7, AnyClockGivesRisingStamps) {
    Random random(9562);
    UuidStamp last = 0;
    std::int64_t now_ms = year_2022_ms;
    for (int i = 0; i < 100000; i++) {
        now_ms += random.once_in(100) ? random.between(-5000, 5000) : random.between(0, 1);
        UuidStamp before = last, now = uuid_stamp(now_ms, static_cast<std::int32_t>(random.below(1000000)));
        ASSERT_TRUE(step_up(last, now));
        ASSERT_GT(last, before);
        ASSERT_GE(last, now);
        ASSERT_TRUE(last == now || last == before + 1);
    }
}

// A clock that says one stamp.
struct StampClock {
    UuidStamp says;
    UuidStamp operator()() const noexcept { return says; }
};

UuidStep step_at(LastUuid &last, UuidStamp now, UuidStamp allowed, std::int64_t &behind) {
    Reading reading{now, 0};
    UuidStep step = next_stamp(last, reading, allowed, StampClock{now});
    behind = reading.behind;
    return step;
}

// More than the clock has stamps for: the order does not begin again, whatever is made, and waits.
TEST(Uuidv7, WhoOutrunsTheClockWaits) {
    constexpr UuidStamp allowed = 1000;
    LastUuid last{};
    std::int64_t behind = 0;
    UuidStamp now = uuid_stamp(year_2022_ms, 0), before = 0;
    std::int64_t waits = 0;
    for (int i = 0; i < 100000; i++) {
        now += i % 4 == 0;
        UuidStep step = step_at(last, now, allowed, behind);
        ASSERT_EQ(behind, 0);
        waits += step == UuidStep::too_far;
        if (step == UuidStep::too_far) ASSERT_EQ(last.stamp, now + allowed);
        if (step != UuidStep::made) continue;
        ASSERT_GT(last.stamp, before);
        before = last.stamp;
    }
    EXPECT_GT(waits, 70000);
}

// The clock is set back while others have counted ahead of it: by less than is allowed, the order goes on when the clock
// has come near; by more, it begins again.
TEST(Uuidv7, AClockSetBackIsKnownByTheClock) {
    constexpr UuidStamp allowed = 1000;
    UuidStamp now = uuid_stamp(year_2022_ms, 0);
    std::int64_t behind = 0;
    LastUuid last{now + 900, now};
    EXPECT_EQ(step_at(last, now - allowed, allowed, behind), UuidStep::too_far);
    EXPECT_EQ(step_at(last, now - 99, allowed, behind), UuidStep::made);
    EXPECT_EQ(last.stamp, now + 901);
    EXPECT_EQ(behind, 0);
    EXPECT_EQ(step_at(last, now - allowed - 1, allowed, behind), UuidStep::made);
    EXPECT_EQ(last.stamp, now - allowed - 1);
    EXPECT_EQ(behind, allowed + 902);
}

TEST(Uuidv7, NothingIsLeftPastTheEnd) {
    UuidStamp last = uuid_last_stamp - 1;
    EXPECT_TRUE(step_up(last, 0));
    EXPECT_EQ(last, uuid_last_stamp);
    EXPECT_FALSE(step_up(last, 0));
    EXPECT_EQ(last, uuid_last_stamp);
    last = 5;
    EXPECT_FALSE(step_up(last, uuid_stamp(uuid_last_ms + 1, 0)));
    EXPECT_EQ(last, 5);
}

}  // namespace
}  // namespace idgen
