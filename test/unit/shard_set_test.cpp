#include "core/layout/shard_set.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "support.hpp"

namespace idgen {
namespace {

// A parsed text with buffers of exactly the size that the parser may use.
class Parsed {
   public:
    explicit Parsed(std::string_view text)
        : text_(new char[text.size()]), ranges_(new ShardRange[max_range_count(text)]) {
        text.copy(text_.get(), text.size());
        error = parse_shards({text_.get(), text.size()}, ranges_.get(), set);
    }

    ShardSet set{};
    ShardsError error{};

   private:
    std::unique_ptr<char[]> text_;
    std::unique_ptr<ShardRange[]> ranges_;
};

std::string printed(const ShardSet &set) {
    std::string text;
    for (std::uint32_t i = 0; i < set.range_count; i++) {
        const ShardRange &range = set.ranges[i];
        if (i > 0) text += ',';
        text += std::to_string(range.first);
        if (range.last != range.first) text += '-' + std::to_string(range.last);
    }
    return text;
}

TEST(ShardSet, SpellingsHaveOneForm) {
    constexpr struct {
        const char *text, *canonical;
        std::uint32_t shard_count;
    } cases[] = {
        {"", "", 0},
        {" \t\r\n\v\f", "", 0},
        {"5", "5", 1},
        {"  5 ", "5", 1},
        {"0", "0", 1},
        {"000", "0", 1},
        {"007", "7", 1},
        {"0-15", "0-15", 16},
        {"5-5", "5", 1},
        {"1,4,8-11", "1,4,8-11", 6},
        {"8-11,4,1", "1,4,8-11", 6},
        {" 1 , 4 , 8 - 11 ", "1,4,8-11", 6},
        {"\t1\n,\r4,8\v-\f11", "1,4,8-11", 6},
        {"1,2,3", "1-3", 3},
        {"3,2,1", "1-3", 3},
        {"1,3,2", "1-3", 3},
        {"1,1,1", "1", 1},
        {"0-3,4-7", "0-7", 8},
        {"4-7,0-3", "0-7", 8},
        {"0-3,5-7", "0-3,5-7", 7},
        {"0-9,2-5", "0-9", 10},
        {"2-5,0-9", "0-9", 10},
        {"0-5,3-9", "0-9", 10},
        {"0-9,9", "0-9", 10},
        {"0-9,10", "0-10", 11},
        {"0-9,11", "0-9,11", 11},
        {"0-9,2,4,20", "0-9,20", 11},
        {"2147483647", "2147483647", 1},
        {"0-2147483647", "0-2147483647", 0x80000000},
        {"0-2147483647,5,2147483647", "0-2147483647", 0x80000000},
        {"2147483647,2147483646", "2147483646-2147483647", 2},
        {"00000000000000000000005", "5", 1},
    };
    for (const auto &c : cases) {
        SCOPED_TRACE(c.text);
        Parsed parsed(c.text);
        EXPECT_EQ(parsed.error.reason, ShardsReason::none);
        EXPECT_EQ(printed(parsed.set), c.canonical);
        EXPECT_EQ(parsed.set.shard_count, c.shard_count);
        EXPECT_EQ(parsed.set.empty(), c.shard_count == 0);
        EXPECT_LE(parsed.set.range_count, max_range_count(c.text));
    }
}

TEST(ShardSet, RefusesAndNamesTheItem) {
    constexpr struct {
        const char *text;
        ShardsReason reason;
        const char *part;
    } cases[] = {
        {"x", ShardsReason::bad_number, "x"},
        {"5x", ShardsReason::bad_number, "5x"},
        {"1, 5x ,7", ShardsReason::bad_number, "5x"},
        {"0x5", ShardsReason::bad_number, "0x5"},
        {"1 2", ShardsReason::bad_number, "1 2"},
        {"1;2", ShardsReason::bad_number, "1;2"},
        {"+5", ShardsReason::bad_number, "+5"},
        {"-5", ShardsReason::bad_number, "-5"},
        {"5-", ShardsReason::bad_number, "5-"},
        {"-", ShardsReason::bad_number, "-"},
        {"--", ShardsReason::bad_number, "--"},
        {"1--5", ShardsReason::bad_number, "1--5"},
        {"1-2-3", ShardsReason::bad_number, "1-2-3"},
        {"1..5", ShardsReason::bad_number, "1..5"},
        {"1.5", ShardsReason::bad_number, "1.5"},
        {",", ShardsReason::bad_number, ""},
        {"1,", ShardsReason::bad_number, ""},
        {",1", ShardsReason::bad_number, ""},
        {"1,,2", ShardsReason::bad_number, ""},
        {"1, ,2", ShardsReason::bad_number, ""},
        {"5-3", ShardsReason::reversed, "5-3"},
        {"1,5 - 4,9", ShardsReason::reversed, "5 - 4"},
        {"2147483647-0", ShardsReason::reversed, "2147483647-0"},
        {"2147483648", ShardsReason::too_large, "2147483648"},
        {"4294967295", ShardsReason::too_large, "4294967295"},
        {"4294967296", ShardsReason::too_large, "4294967296"},
        {"4294967301", ShardsReason::too_large, "4294967301"},
        {"18446744073709551621", ShardsReason::too_large, "18446744073709551621"},
        {"1,99999999999999999999999999,2", ShardsReason::too_large, "99999999999999999999999999"},
        {"0-2147483648", ShardsReason::too_large, "0-2147483648"},
        {"99999999999-5", ShardsReason::too_large, "99999999999-5"},
        {"99999999999x", ShardsReason::bad_number, "99999999999x"},
    };
    for (const auto &c : cases) {
        Parsed parsed(c.text);
        EXPECT_EQ(parsed.error.reason, c.reason) << c.text;
        EXPECT_EQ(parsed.error.part, c.part) << c.text;
        EXPECT_TRUE(parsed.set.empty()) << c.text;
    }
}

TEST(ShardSet, AgreesWithASetOnRandomTexts) {
    Random random(6);
    for (int i = 0; i < 3000; i++) {
        std::set<std::uint32_t> oracle;
        std::string text;
        std::uint32_t items = random.below(12) + 1;
        std::uint32_t top = random.once_in(2) ? 20 : 200;
        for (std::uint32_t item = 0; item < items; item++) {
            std::uint32_t first = random.below(top);
            std::uint32_t last = random.once_in(2) ? first : first + random.below(6);
            for (std::uint32_t shard = first; shard <= last; shard++) oracle.insert(shard);
            if (item > 0) text += random.once_in(3) ? " , " : ",";
            text += std::to_string(first);
            if (last != first || random.once_in(4)) text += '-' + std::to_string(last);
        }
        SCOPED_TRACE(text);
        Parsed parsed(text);
        ASSERT_EQ(parsed.error.reason, ShardsReason::none);
        const ShardSet &set = parsed.set;
        ASSERT_EQ(set.shard_count, oracle.size());
        ASSERT_EQ(set.smallest(), *oracle.begin());
        ASSERT_EQ(set.largest(), *oracle.rbegin());
        std::uint32_t rank = 0;
        for (std::uint32_t shard : oracle) ASSERT_EQ(set.at(rank++), shard);
        for (std::uint32_t shard = 0; shard < top + 10; shard++)
            ASSERT_EQ(set.contains(shard), oracle.count(shard) == 1) << shard;
        for (std::uint32_t r = 1; r < set.range_count; r++) ASSERT_GT(set.ranges[r].first, set.ranges[r - 1].last + 1);
    }
}

TEST(ShardSet, WorksAtTheTopOfTheNumbers) {
    Parsed all("0-2147483647");
    EXPECT_EQ(all.set.at(0), 0u);
    EXPECT_EQ(all.set.at(max_shard), max_shard);
    EXPECT_TRUE(all.set.contains(max_shard));
    EXPECT_FALSE(all.set.contains(max_shard + 1));
    EXPECT_FALSE(all.set.contains(0xFFFFFFFF));

    Parsed ends("0,2147483646-2147483647");
    EXPECT_EQ(ends.set.at(0), 0u);
    EXPECT_EQ(ends.set.at(1), max_shard - 1);
    EXPECT_EQ(ends.set.at(2), max_shard);
    EXPECT_FALSE(ends.set.contains(1));
    EXPECT_FALSE(ends.set.contains(max_shard - 2));
}

TEST(ShardSet, TheEmptySetContainsNothing) {
    Parsed parsed(" ");
    EXPECT_TRUE(parsed.set.empty());
    EXPECT_FALSE(parsed.set.contains(0));
}

TEST(ShardSet, ManyItemsFit) {
    std::string text;
    for (int i = 9998; i >= 0; i -= 2) text += std::to_string(i) + (i > 0 ? "," : "");
    Parsed parsed(text);
    EXPECT_EQ(parsed.error.reason, ShardsReason::none);
    EXPECT_EQ(parsed.set.range_count, 5000u);
    EXPECT_EQ(parsed.set.at(4999), 9998u);
}

}  // namespace
}  // namespace idgen
