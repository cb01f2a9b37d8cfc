#include "kinds/core/typeid.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support.hpp"
#include "vectors.hpp"

namespace idgen {
namespace {

constexpr const char *zeros = "00000000000000000000000000";

std::string text_of(const TypeId &id) {
    char text[typeid_most];
    return std::string(text, print(id, text));
}

TextError error_of(std::string_view text) {
    TypeId id{};
    return parse(Exact(text).view(), id);
}

TypeId typeid_of(std::string_view text) {
    TypeId id{};
    EXPECT_EQ(parse(text, id).reason, TextReason::none) << text;
    return id;
}

TEST(TypeId, PublishedBothWays) {
    for (const Row &row : rows_where("typeid.csv", "direction", "both")) {
        SCOPED_TRACE(row.at("typeid"));
        TypeId id = typeid_of(row.at("typeid"));
        EXPECT_EQ(id.prefix, row.at("prefix"));
        EXPECT_EQ(hex_of(id.value), row.at("uuid"));
        EXPECT_EQ(text_of(id), row.at("typeid"));
    }
}

TEST(TypeId, PublishedAsRefused) {
    for (const Row &row : rows_where("typeid.csv", "direction", "refused"))
        EXPECT_NE(error_of(row.at("typeid")).reason, TextReason::none) << row.at("typeid");
}

TEST(TypeId, WhyAndWhere) {
    std::string suffix = zeros;
    struct Case {
        std::string text;
        TextReason reason;
        std::size_t position;
    } cases[] = {
        {"PREFIX_" + suffix, TextReason::prefix_bad_character, 0},
        {"pre.fix_" + suffix, TextReason::prefix_bad_character, 3},
        {"  prefix_" + suffix, TextReason::prefix_bad_character, 0},
        {"pr3fix_" + suffix, TextReason::prefix_bad_character, 2},
        {"_" + suffix, TextReason::prefix_bad_character, 0},
        {"_prefix_" + suffix, TextReason::prefix_bad_character, 0},
        {"prefix__" + suffix, TextReason::prefix_bad_character, 6},
        {"__" + suffix, TextReason::prefix_bad_character, 0},
        {"_", TextReason::prefix_bad_character, 0},
        {"", TextReason::empty, 0},
        {"prefix_", TextReason::empty, 7},
        {"prefix", TextReason::bad_character, 4},
        {"prefix_1234567890123456789012345", TextReason::too_short, 7},
        {"prefix_123456789012345678901234567", TextReason::too_long, 7},
        {"prefix_1234567890123456789012345 ", TextReason::bad_character, 32},
        {"prefix_123456789-123456789-123456", TextReason::bad_character, 16},
        {"prefix_i23456789ol23456789oi23456", TextReason::bad_character, 7},
        {"prefix_0000000000000000000000000A", TextReason::bad_character, 32},
        {"prefix_0000000000000000000000000l", TextReason::bad_character, 32},
        {"prefix_0000000000000000000000000o", TextReason::bad_character, 32},
        {"prefix_0000000000000000000000000u", TextReason::bad_character, 32},
        {"prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz", TextReason::too_large, 7},
        {"80000000000000000000000000", TextReason::too_large, 0},
        {std::string(64, 'a') + "_" + suffix, TextReason::prefix_too_long, 0},
        {std::string(64, 'a') + "." + "_" + suffix, TextReason::prefix_bad_character, 64},
        {"pr\xC3\xBC" + suffix, TextReason::bad_character, 2},
        {"pr\xC3\xBC_" + suffix, TextReason::prefix_bad_character, 2},
        {std::string("a\0b_", 4) + suffix, TextReason::prefix_bad_character, 1},
    };
    for (const Case &c : cases) {
        TextError error = error_of(c.text);
        EXPECT_EQ(error.reason, c.reason) << c.text;
        if (c.reason != TextReason::too_short && c.reason != TextReason::too_long) {
            EXPECT_EQ(error.position, c.position) << c.text;
        }
    }
}

// Every byte as the prefix, and as the last digit.
TEST(TypeId, EveryByte) {
    std::string digits = "0123456789abcdefghjkmnpqrstvwxyz";
    for (int byte = 0; byte < 256; byte++) {
        char c = static_cast<char>(byte);
        EXPECT_EQ(check_id_prefix({&c, 1}).reason == TextReason::none, c >= 'a' && c <= 'z') << byte;
        std::string text = std::string("a_") + std::string(zeros).substr(1) + c;
        EXPECT_EQ(error_of(text).reason == TextReason::none, digits.find(c) != std::string::npos) << byte;
    }
}

TEST(TypeId, AnyValueComesBackAndSorts) {
    Random random(26);
    std::string prefix = std::string(61, 'p') + "_q";
    std::string last;
    Uuid last_value{};
    for (int i = 0; i < 10000; i++) {
        Uuid value;
        for (std::uint8_t &octet : value.octets) octet = static_cast<std::uint8_t>(random.between(0, 255));
        std::string text = text_of(TypeId{prefix, value});
        EXPECT_EQ(text.size(), typeid_most);
        TypeId back = typeid_of(text);
        EXPECT_EQ(back.prefix, prefix);
        EXPECT_EQ(hex_of(back.value), hex_of(value));
        if (i > 0) {
            EXPECT_EQ(text < last, is_before(value, last_value));
        }
        last = text;
        last_value = value;
    }
}

}  // namespace
}  // namespace idgen
