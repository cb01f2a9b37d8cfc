#include "core/kinds/uuid.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "bytes.hpp"
#include "support.hpp"
#include "vectors.hpp"

namespace idgen {
namespace {

constexpr std::int64_t year_2022_ms = 1645557742000;

Uuid uuid_from(const std::string &hex) {
    std::vector<std::uint8_t> octets = bytes_of(hex);
    Uuid uuid{};
    EXPECT_EQ(octets.size(), sizeof uuid) << hex;
    octets.resize(sizeof uuid);
    std::memcpy(&uuid, octets.data(), sizeof uuid);
    return uuid;
}

void expect_time(const Row &row, const Uuid &uuid) {
    std::int64_t us = 0;
    bool has_time = !row.at("gregorian").empty() || !row.at("unix_ms").empty();
    EXPECT_EQ(uuid_time_us(uuid, us), has_time);
    if (!row.at("gregorian").empty()) {
        // From 1582-10-15 to 1970-01-01: 141427 days.
        EXPECT_EQ(us * 10, number(row.at("gregorian")) - 141427 * INT64_C(864000000000));
    }
    if (!row.at("unix_ms").empty()) {
        EXPECT_EQ(us, number(row.at("unix_ms")) * 1000);
        EXPECT_EQ(uuid_time_ms(uuid), number(row.at("unix_ms")));
    }
}

TEST(Uuid, PublishedExactly) {
    for (const Row &row : rows_where("uuid.csv", "class", "published-exact")) {
        SCOPED_TRACE(row.at("uuid"));
        Uuid uuid = uuid_from(row.at("uuid"));
        EXPECT_EQ(uuid_version(uuid), number(row.at("version")));
        expect_time(row, uuid);
    }
}

TEST(Uuid, FractionsAsComputed) {
    for (const Row &row : rows_where("uuid_fraction.csv", "class", "computed")) {
        std::int64_t ns = number(row.at("unix_ns"));
        UuidStamp stamp = uuid_stamp(ns / 1000000, static_cast<std::int32_t>(ns % 1000000));
        EXPECT_EQ(stamp >> 12, number(row.at("unix_ms"))) << ns;
        EXPECT_EQ(stamp & 0xFFF, number(row.at("fraction"))) << ns;
    }
}

// Every nanosecond of a millisecond: the fraction is floor(ns * 4096 / 1000000), and rises.
TEST(Uuid, FractionOfEveryNanosecond) {
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

TEST(Uuid, OtherVariantsHaveNoVersionAndNoTime) {
    Uuid uuid = uuid_from("017f22e279b07cc398c4dc0c0c07398f");
    EXPECT_EQ(uuid_version(uuid), 7);
    for (int high = 0; high < 16; high++) {
        uuid.octets[8] = static_cast<std::uint8_t>(high << 4 | 8);
        bool is_rfc = high >= 8 && high < 12;
        std::int64_t us = 0;
        EXPECT_EQ(uuid_version(uuid), is_rfc ? 7 : -1) << high;
        EXPECT_EQ(uuid_time_us(uuid, us), is_rfc) << high;
    }
    EXPECT_EQ(uuid_version(Uuid{}), -1);
    EXPECT_EQ(uuid_version(uuid_from("ffffffffffffffffffffffffffffffff")), -1);
}

TEST(Uuid, OnlyVersions1And6And7HaveATime) {
    Uuid uuid = uuid_from("017f22e279b07cc398c4dc0c0c07398f");
    for (int version = 0; version < 16; version++) {
        uuid.octets[6] = static_cast<std::uint8_t>(version << 4 | 0xC);
        std::int64_t us = 0;
        EXPECT_EQ(uuid_version(uuid), version);
        EXPECT_EQ(uuid_time_us(uuid, us), version == 1 || version == 6 || version == 7) << version;
    }
}

// By hand: the ends of the 60 bits, a tick before and a tick after 1970, each bit in its place.
TEST(Uuid, GregorianTimes) {
    struct Case {
        const char *version_1, *version_6;
        std::int64_t us;
    } cases[] = {
        {"00000000000010008000000000000000", "00000000000060008000000000000000", -12219292800000000},
        {"ffffffffffff1fff8000000000000000", "ffffffffffff6fff8000000000000000", 103072857660684697},
        {"138140001dd211b28000000000000000", "1b21dd21381460008000000000000000", 0},
        {"13813fff1dd211b28000000000000000", "1b21dd2138136fff8000000000000000", -1},
        {"13813ff61dd211b28000000000000000", "1b21dd2138136ff68000000000000000", -1},
        {"13813ff51dd211b28000000000000000", "1b21dd2138136ff58000000000000000", -2},
        {"138140091dd211b28000000000000000", "1b21dd21381460098000000000000000", 0},
        {"1381400a1dd211b28000000000000000", "1b21dd213814600a8000000000000000", 1},
    };
    for (const Case &c : cases) {
        std::int64_t us = 7;
        EXPECT_TRUE(uuid_time_us(uuid_from(c.version_1), us));
        EXPECT_EQ(us, c.us) << c.version_1;
        EXPECT_TRUE(uuid_time_us(uuid_from(c.version_6), us));
        EXPECT_EQ(us, c.us) << c.version_6;
    }
}

// RFC 9562, A.6: the fields of the example in their places.
TEST(Uuid, BitByBit) {
    EXPECT_EQ(hex_of(uuidv7_of(year_2022_ms << 12 | 0xCC3, 0x18C4DC0C0C07398F)), "017f22e279b07cc398c4dc0c0c07398f");
    // Bits above the 62 are not taken from the random ones.
    EXPECT_EQ(hex_of(uuidv7_of(year_2022_ms << 12 | 0xCC3, 0xD8C4DC0C0C07398F)), "017f22e279b07cc398c4dc0c0c07398f");
    EXPECT_EQ(hex_of(uuidv7_of(0, 0)), "00000000000070008000000000000000");
    EXPECT_EQ(hex_of(uuidv7_of(uuid_last_stamp, UINT64_MAX)), "ffffffffffff7fffbfffffffffffffff");
}

TEST(Uuid, BoundsOfAMillisecond) {
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

TEST(Uuid, TheClockLeadsWhereItIsLater) {
    UuidStamp last = 0;
    EXPECT_TRUE(step_up(last, uuid_stamp(year_2022_ms, 0)));
    EXPECT_EQ(last, year_2022_ms << 12);
    EXPECT_TRUE(step_up(last, uuid_stamp(year_2022_ms, 500000)));
    EXPECT_EQ(last, (year_2022_ms << 12) + 2048);
}

TEST(Uuid, TheInstantOfTheLastIsNotGivenAgain) {
    UuidStamp last = 0, now = uuid_stamp(year_2022_ms, 123456);
    for (UuidStamp i = 0; i < 3; i++) {
        EXPECT_TRUE(step_up(last, now));
        EXPECT_EQ(last, now + i);
    }
}

// The clock stands still, steps back, and lies before 1970: the last plus 1, over the end of a millisecond.
TEST(Uuid, TheLastLeadsWhereTheClockIsBehind) {
    UuidStamp last = uuid_stamp(year_2022_ms, 999999);
    for (std::int64_t now_ms : {year_2022_ms, year_2022_ms - 3600000, std::int64_t{0}, std::int64_t{-86400000}}) {
        UuidStamp before = last;
        EXPECT_TRUE(step_up(last, uuid_stamp(now_ms, 0)));
        EXPECT_EQ(last, before + 1);
        EXPECT_TRUE(is_before(uuidv7_of(before, UINT64_MAX), uuidv7_of(last, 0)));
    }
    EXPECT_EQ(last >> 12, year_2022_ms + 1);
}

TEST(Uuid, AnyClockGivesRisingStamps) {
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

TEST(Uuid, NothingIsLeftPastTheEnd) {
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
