// Kinds that begin with their time, and the rule of those that rise.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "kinds/core/rising.hpp"
#include "kinds/core/time_prefixed.hpp"
#include "support.hpp"
#include "vectors.hpp"

namespace idgen {
namespace {

// ULID, KSUID, ObjectId: published texts, and what holds for all time-prefixed types.

std::mt19937_64 &generator() {
    static std::mt19937_64 engine(20261121);
    return engine;
}

template <class T>
struct Named;
template <>
struct Named<Ulid> {
    static constexpr const char *name = "ulid";
};
template <>
struct Named<Ksuid> {
    static constexpr const char *name = "ksuid";
};
template <>
struct Named<ObjectId> {
    static constexpr const char *name = "objectid";
};

template <class T>
T random_value() {
    T value;
    for (std::uint8_t &byte : value.bytes) byte = static_cast<std::uint8_t>(generator()());
    return value;
}

template <class T>
std::string text_of(const T &value) {
    std::string text(T::text_size, '?');
    print(value, text.data());
    return text;
}

template <class T>
T parsed(const std::string &text) {
    T value{};
    EXPECT_EQ(parse(text, value).reason, TextReason::none) << text;
    return value;
}

TextReason reason_named(const std::string &name) {
    if (name == "text_too_large") return TextReason::too_large;
    if (name == "text_too_short") return TextReason::too_short;
    EXPECT_EQ(name, "text_bad_character");
    return TextReason::bad_character;
}

template <class T>
class TimePrefixedTest : public testing::Test {};
using Types = testing::Types<Ulid, Ksuid, ObjectId>;
TYPED_TEST_SUITE(TimePrefixedTest, Types);

TYPED_TEST(TimePrefixedTest, PublishedTexts) {
    for (const Row &row : rows_where("stamped.csv", "kind", Named<TypeParam>::name)) {
        const std::string &text = row.at("text"), &direction = row.at("direction");
        SCOPED_TRACE(text + ' ' + row.at("source"));
        if (direction == "both") {
            auto value = parsed<TypeParam>(text);
            EXPECT_EQ(text_of(value), text);
            EXPECT_EQ(hex_of(value), row.at("value"));
            EXPECT_EQ(time_of(value), number(row.at("unix_ms")));
        } else if (direction == "same") {
            EXPECT_EQ(text_of(parsed<TypeParam>(text)), row.at("value"));
        } else {
            TypeParam value{};
            EXPECT_EQ(direction, "refused");
            EXPECT_EQ(parse(text, value).reason, reason_named(row.at("reason")));
        }
    }
}

TYPED_TEST(TimePrefixedTest, TextsComeBack) {
    for (int i = 0; i < 20000; i++) {
        auto value = random_value<TypeParam>();
        EXPECT_EQ(compare(parsed<TypeParam>(text_of(value)), value), 0);
    }
}

// Values, their texts and their prefixes sort alike; times never fall.
TYPED_TEST(TimePrefixedTest, OneOrder) {
    for (int i = 0; i < 20000; i++) {
        auto a = random_value<TypeParam>(), b = random_value<TypeParam>();
        if (i % 2 == 0) std::copy_n(a.bytes, static_cast<std::size_t>(i) % TypeParam::size, b.bytes);
        int order = compare(a, b);
        EXPECT_EQ(order < 0, text_of(a) < text_of(b));
        EXPECT_EQ(order > 0, text_of(a) > text_of(b));
        if (order < 0) {
            EXPECT_LE(time_of(a), time_of(b));
            EXPECT_LE(prefix_of(a), prefix_of(b));
        }
        if (prefix_of(a) < prefix_of(b)) {
            EXPECT_LT(order, 0);
        }
    }
}

TYPED_TEST(TimePrefixedTest, BoundsHoldEveryValueOfTheirTick) {
    for (int i = 0; i < 20000; i++) {
        auto value = random_value<TypeParam>();
        std::int64_t start = time_of(value);
        for (std::int64_t at : {start, start + TypeParam::unit_ms - 1}) {
            EXPECT_LE(compare(filled<TypeParam>(at, 0), value), 0);
            EXPECT_GE(compare(filled<TypeParam>(at, 0xFF), value), 0);
        }
        EXPECT_EQ(compare(composed<TypeParam>(start, value.tail()), value), 0);
    }
}

TYPED_TEST(TimePrefixedTest, HoldsItsTimesAndNoOther) {
    EXPECT_TRUE(TypeParam::holds(TypeParam::first_ms));
    EXPECT_FALSE(TypeParam::holds(TypeParam::first_ms - 1));
    EXPECT_TRUE(TypeParam::holds(TypeParam::last_ms + TypeParam::unit_ms - 1));
    EXPECT_FALSE(TypeParam::holds(TypeParam::last_ms + TypeParam::unit_ms));
    EXPECT_EQ(time_of(filled<TypeParam>(TypeParam::last_ms, 0)), TypeParam::last_ms);
    EXPECT_EQ(hex_of(filled<TypeParam>(TypeParam::last_ms, 0xFF)), std::string(2 * TypeParam::size, 'f'));
}

// A wrong character is found wherever it stands, and named where it stands.
TYPED_TEST(TimePrefixedTest, EveryCharacterIsLookedAt) {
    const std::string good = text_of(filled<TypeParam>(TypeParam::first_ms + 1000000000000, 0x5A));
    for (std::size_t i = 0; i < good.size(); i++) {
        for (char wrong : {'\0', '\x1', ' ', '-', '/', ':', '@', '[', '`', '{', '\x7F', '\x80', '\xFF'}) {
            std::string text = good;
            text[i] = wrong;
            TypeParam value{};
            TextError error = parse(text, value);
            EXPECT_EQ(error.reason, TextReason::bad_character) << i << ' ' << int{wrong};
            EXPECT_EQ(error.position, i);
        }
    }
}

TYPED_TEST(TimePrefixedTest, EverySizeIsLookedAt) {
    const std::string good = text_of(filled<TypeParam>(TypeParam::first_ms, 0));
    TypeParam value{};
    EXPECT_EQ(parse("", value).reason, TextReason::empty);
    for (std::size_t size = 1; size < good.size(); size++)
        EXPECT_EQ(parse(good.substr(0, size), value).reason, TextReason::too_short);
    for (std::size_t more = 1; more < 40; more++)
        EXPECT_EQ(parse(good + std::string(more, '0'), value).reason, TextReason::too_long);
}

TEST(UlidTest, TheFirstDigitIsAtMostSeven) {
    Ulid ulid{};
    for (char first : {'8', '9', 'A', 'Z'})
        EXPECT_EQ(parse(first + std::string(25, '0'), ulid).reason, TextReason::too_large) << first;
    EXPECT_EQ(parse('7' + std::string(25, 'Z'), ulid).reason, TextReason::none);
}

// The clocks and texts that the reference implementation publishes; its random part is the same each time.
TEST(UlidTest, AdvancesAsPublished) {
    const auto first = parsed<Ulid>("01ARYZ6S41YYYYYYYYYYYYYYYY");
    std::uint8_t random[Ulid::tail_size];
    std::copy_n(first.tail(), Ulid::tail_size, random);
    Ulid last{};
    const std::pair<std::int64_t, const char *> calls[] = {
        {1469918176385, "01ARYZ6S41YYYYYYYYYYYYYYYY"}, {1469918176385, "01ARYZ6S41YYYYYYYYYYYYYYYZ"},
        {100000000, "01ARYZ6S41YYYYYYYYYYYYYYZ0"},     {10000, "01ARYZ6S41YYYYYYYYYYYYYYZ1"},
        {1469918176386, "01ARYZ6S42YYYYYYYYYYYYYYYY"},
    };
    for (const auto &[now_ms, text] : calls) {
        EXPECT_TRUE(step_up(last, now_ms, random));
        EXPECT_EQ(text_of(last), text);
    }
}

TEST(UlidTest, AdvancesByOneUntilNothingIsLeft) {
    const std::uint8_t random[Ulid::tail_size] = {};
    for (auto [text, next] : {std::pair{"01BX5ZZKBKACTAV9WEVGEMMVRZ", "01BX5ZZKBKACTAV9WEVGEMMVS0"},
                              std::pair{"01BX5ZZKBKAZZZZZZZZZZZZZZZ", "01BX5ZZKBKB000000000000000"}}) {
        auto last = parsed<Ulid>(text);
        EXPECT_TRUE(step_up(last, 0, random));
        EXPECT_EQ(text_of(last), next);
    }
    auto last = parsed<Ulid>("01BX5ZZKBKZZZZZZZZZZZZZZZZ");
    EXPECT_FALSE(step_up(last, time_of(last), random));
    EXPECT_EQ(text_of(last), "01BX5ZZKBKZZZZZZZZZZZZZZZZ");
    EXPECT_TRUE(step_up(last, time_of(last) + 1, random));
    EXPECT_EQ(text_of(last), "01BX5ZZKBM0000000000000000");
}

// The next ObjectId, which must be one.
ObjectId next_of(ObjectIdSource &source, std::int64_t now_ms) {
    ObjectId id{};
    EXPECT_TRUE(next_object_id(source, now_ms, id));
    return id;
}

TEST(ObjectIdTest, TheCounterWrapsWithoutTouchingTheRest) {
    ObjectIdSource source{{1, 2, 3, 4, 5, 0xFF, 0xFF, 0xFE}, 0, 0};
    EXPECT_EQ(text_of(next_of(source, 1457650802999)), "56e1fc720102030405fffffe");
    EXPECT_EQ(text_of(next_of(source, 1457650802999)), "56e1fc720102030405ffffff");
    EXPECT_EQ(text_of(next_of(source, 1457650802999)), "56e1fc720102030405000000");
    EXPECT_EQ(text_of(next_of(source, 1457650803000)), "56e1fc730102030405000001");
}

TEST(ObjectIdTest, SecondsAreUnsigned) {
    ObjectIdSource source{};
    EXPECT_EQ(text_of(next_of(source, 2147483648000)).substr(0, 8), "80000000");
    EXPECT_EQ(time_of(next_of(source, 4294967295000)), 4294967295000);
}

// All counters of a second once, and then none of that second.
TEST(ObjectIdTest, NoCounterComesRoundInOneSecond) {
    ObjectIdSource source{{1, 2, 3, 4, 5, 0x12, 0x34, 0x56}, 0, 0};
    ObjectId id{};
    std::uint32_t made = 0;
    while (next_object_id(source, 1457650802999, id)) made++;
    EXPECT_EQ(made, 1U << 24);
    EXPECT_FALSE(next_object_id(source, 1457650802000, id));
    EXPECT_TRUE(next_object_id(source, 1457650803000, id));
}

TEST(ObjectIdTest, ASecondOfBeforeAsksForAnotherRandomPart) {
    ObjectIdSource source{{1, 2, 3, 4, 5, 0x12, 0x34, 0x56}, 0, 0};
    ObjectId id{};
    next_of(source, 1457650803000);
    EXPECT_FALSE(next_object_id(source, 1457650802999, id));
    EXPECT_TRUE(next_object_id(source, 1457650803999, id));
}

constexpr std::int64_t year_ms = 31536000000;
constexpr std::int64_t now_ms = 1795300000000;

// A clock that says one thing, and counts how often it is asked.
struct Clock {
    std::int64_t says;
    int asked = 0;
    auto reader() noexcept {
        return [this]() noexcept {
            asked++;
            return says;
        };
    }
};

TEST(Rising, TheLeadIsAllowedAndASecondAtLeast) {
    EXPECT_EQ(allowed_back_ms(0), 1000);
    EXPECT_EQ(allowed_back_ms(999), 1000);
    EXPECT_EQ(allowed_back_ms(60000), 60000);
}

TEST(Rising, AClockThatIsLaterOrLittleBehindIsNotReadAgain) {
    Clock clock{now_ms};
    for (std::int64_t last : {std::int64_t{0}, now_ms - year_ms, now_ms, now_ms + 1, now_ms + 1000}) {
        Reading reading = settle_reading(last, now_ms, 1000, clock.reader());
        EXPECT_EQ(reading.now, now_ms);
        EXPECT_EQ(reading.behind, 0);
    }
    EXPECT_EQ(clock.asked, 0);
}

TEST(Rising, TheOrderBeginsAnewAtAClockFarBehind) {
    for (std::int64_t back : {std::int64_t{1001}, std::int64_t{86400000}, year_ms}) {
        Clock clock{now_ms + 3};
        Reading reading = settle_reading(now_ms + 3 + back, now_ms, 1000, clock.reader());
        EXPECT_EQ(reading.now, now_ms + 3);
        EXPECT_EQ(reading.behind, back);
        EXPECT_EQ(clock.asked, 1);
    }
}

// A session read the clock, was put off for an hour, and found values that others made meanwhile.
TEST(Rising, AReadingThatIsOldBeginsNothingAnew) {
    Clock clock{now_ms};
    Reading reading = settle_reading(now_ms, now_ms - 3600000, 1000, clock.reader());
    EXPECT_EQ(reading.now, now_ms);
    EXPECT_EQ(reading.behind, 0);
    EXPECT_EQ(clock.asked, 1);
}

TEST(Rising, NothingBeginsBefore1970) {
    Clock clock{-1};
    EXPECT_EQ(settle_reading(now_ms, -1, 1000, clock.reader()).behind, 0);
    EXPECT_EQ(settle_reading(0, -year_ms, 1000, clock.reader()).behind, 0);
}

// One value under a clock a year ahead: the next is of this year, with random bits of its own.
TEST(Rising, AUlidOfNextYearLeavesNoTrace) {
    const std::uint8_t random[Ulid::tail_size] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    Clock clock{now_ms};
    Ulid last = composed<Ulid>(now_ms + year_ms, random);
    Reading reading = settle_reading(time_of(last), now_ms, 1000, clock.reader());
    if (reading.behind > 0) last = Ulid{};
    EXPECT_TRUE(step_up(last, reading.now, random));
    EXPECT_EQ(compare(last, composed<Ulid>(now_ms, random)), 0);
}

}  // namespace
}  // namespace idgen
