#include "core/cipher/public_id.hpp"

#include <gtest/gtest.h>

#include <string>

#include "../fuzz/parsers.hpp"
#include "core/cipher/key_ring.hpp"
#include "support.hpp"

namespace idgen {
namespace {

std::string printed(const PublicId &id) {
    char text[max_public_id_size];
    std::size_t size = print_public_id(id, text);
    return std::string(text, size);
}

TextError parsed(const std::string &text, PublicId &id) {
    Exact exact(text);
    return parse_public_id(exact.view(), id);
}

void expect_refused(const std::string &text, TextReason reason, std::size_t position = 0) {
    PublicId id{};
    TextError error = parsed(text, id);
    EXPECT_EQ(error.reason, reason) << text;
    EXPECT_EQ(error.position, position) << text;
}

TEST(PublicId, KeyNumberAndElevenDigits) {
    EXPECT_EQ(printed({"", 1, 0}), "100000000000");
    EXPECT_EQ(printed({"", 1, 4036565484265537613}), "14oBVmyxvRfB");
    EXPECT_EQ(printed({"", 12, 4036565484265537613}), "124oBVmyxvRfB");
    EXPECT_EQ(printed({"", max_key_number, INT64_MAX}), "2147483647AzL8n0Y58m7");
    std::string longest(id_prefix_most, 'p');
    EXPECT_EQ(printed({longest, max_key_number, INT64_MAX}), longest + "_2147483647AzL8n0Y58m7");
    EXPECT_EQ(printed({longest, max_key_number, INT64_MAX}).size(), max_public_id_size);
    EXPECT_EQ(printed({"in_v", 1, 4036565484265537613}), "in_v_14oBVmyxvRfB");
}

TEST(PublicId, ComesBack) {
    Random random(12);
    for (int i = 0; i < 20000; i++) {
        PublicId id{random.once_in(2) ? "" : "sk_live",
                    static_cast<std::uint32_t>(random.between(1, random.once_in(2) ? 20 : max_key_number)),
                    random.between(0, INT64_MAX)};
        PublicId back{};
        std::string text = printed(id);
        ASSERT_EQ(parse_public_id(text, back).reason, TextReason::none) << text;
        ASSERT_EQ(back.prefix, id.prefix);
        ASSERT_EQ(back.key_number, id.key_number);
        ASSERT_EQ(back.number, id.number);
    }
}

TEST(PublicId, Refused) {
    expect_refused("", TextReason::empty);
    expect_refused("4oBVmyxvRfB", TextReason::too_short);
    expect_refused("1", TextReason::too_short);
    expect_refused("04oBVmyxvRfB", TextReason::bad_key_number);
    expect_refused("014oBVmyxvRfB", TextReason::bad_key_number);
    expect_refused("21474836484oBVmyxvRfB", TextReason::bad_key_number);
    expect_refused(std::string(1000, '1'), TextReason::bad_key_number);
    expect_refused("A4oBVmyxvRfB", TextReason::bad_character, 0);
    expect_refused("1A4oBVmyxvRfB", TextReason::bad_character, 1);
    expect_refused("14oBVmyxvRf ", TextReason::bad_character, 11);
    expect_refused("14oBVmy-vRfB", TextReason::bad_character, 7);
    expect_refused("-14oBVmyxvRfB", TextReason::bad_character, 0);
    expect_refused("é", TextReason::bad_character, 0);
    expect_refused("1AzL8n0Y58m8", TextReason::too_large);
    expect_refused("1LygHa16AHYF", TextReason::too_large);
    expect_refused("1zzzzzzzzzzz", TextReason::too_large);
    // Positions count the prefix, too.
    expect_refused("inv_A4oBVmyxvRfB", TextReason::bad_character, 4);
    expect_refused("inv_14oBVmy-vRfB", TextReason::bad_character, 11);
    expect_refused("inv_", TextReason::empty, 4);
    expect_refused("_14oBVmyxvRfB", TextReason::prefix_bad_character, 0);
    expect_refused("Inv_14oBVmyxvRfB", TextReason::prefix_bad_character, 0);
    expect_refused(std::string(64, 'p') + "_14oBVmyxvRfB", TextReason::prefix_too_long);
}

TEST(PublicId, AnyText) {
    Random random(13);
    const std::string symbols = "0123456789ABzyL-_\xC3";
    for (int i = 0; i < 100000; i++) {
        std::string text;
        for (std::uint32_t n = random.below(24); n > 0; n--) text += symbols[random.below(random.once_in(3) ? 18 : 14)];
        fuzz_public_id(Exact(text).view());
    }
}

}  // namespace
}  // namespace idgen
