#include "core/text/digits.hpp"

#include <gtest/gtest.h>

#include <set>

#include "text_forms.hpp"

namespace idgen {
namespace {

TEST(Base32, ReadsWhatPeopleWrite) {
    std::int64_t id = 0;
    ASSERT_EQ(parse_base32("01HAB", false, id).reason, TextReason::none);
    for (const char *text :
         {"o1hab", "OIHAB", "0lhab", "0-L-H-A-B", "-olhAB-", "--0I--HaB--", "0000000001HAB", "00000000-01HAB", "1HAB"})
        expect_number("base32", text, id);
    expect_number("base32check", std::string("-o1-hab") + base32_check(id) + "-", id);
}

TEST(Base32, HyphensAloneAreNoNumber) {
    expect_refused("base32", "-", TextReason::empty);
    expect_refused("base32check", "---", TextReason::empty);
    // A check symbol alone
    expect_refused("base32check", "0", TextReason::empty);
    expect_refused("base32check", "-0", TextReason::empty);
}

TEST(Base32, UIsACheckSymbolAlone) {
    expect_refused("base32", "U", TextReason::bad_character, 0);
    expect_refused("base32", "16u", TextReason::bad_character, 2);
    expect_refused("base32check", "1U6", TextReason::bad_character, 1);
    EXPECT_EQ(base32_check(36), 'U');
    expect_number("base32check", "14U", 36);
    expect_number("base32check", "14u", 36);
}

TEST(Base32, CheckSymbolsOfAllRemainders) {
    std::string symbols;
    for (std::int64_t id = 37 * 1000; id < 37 * 1001; id++) symbols += base32_check(id);
    EXPECT_EQ(symbols, "0123456789ABCDEFGHJKMNPQRSTVWXYZ*~$=U");
}

TEST(Base32, CheckSymbolsAreReadAsPeopleWriteThem) {
    expect_number("base32check", "15o", 37);
    expect_number("base32check", "16i", 38);
    expect_number("base32check", "16L", 38);
    expect_number("base32check", "16jd", 1234);
    expect_number("base32check", "1-6-J-D", 1234);
    expect_number("base32check", "11~", 33);
    expect_number("base32check", "10*", 32);
}

TEST(Base32, AWrongCheckSymbolIsNamed) {
    expect_refused("base32check", "16JE", TextReason::wrong_check, 3);
    expect_refused("base32check", "16-J-U-", TextReason::wrong_check, 5);
    expect_refused("base32check", "16J!", TextReason::bad_character, 3);
    expect_refused("base32", "16J*", TextReason::bad_character, 3);
    std::int64_t id = 0;
    parse_base32("16JE", true, id);
    EXPECT_EQ(base32_check(id), 'D');
}

// Whichever digit is wrong, and whichever two changed places, the check symbol finds it.
TEST(Base32, CheckSymbolFindsEverySlip) {
    Random random(37);
    for (int i = 0; i < 50; i++) {
        std::int64_t id = random.between(0, std::int64_t{1} << 60);
        std::string text = form_of("base32check").print(id);
        for (std::size_t at = 1; at < base32_size; at++)
            for (char wrong : std::string("0123456789ABCDEFGHJKMNPQRSTVWXYZ")) {
                std::string slip = text;
                slip[at] = wrong;
                if (slip != text) expect_refused("base32check", slip, TextReason::wrong_check, base32_size);
            }
        for (std::size_t a = 1; a < base32_size; a++)
            for (std::size_t b = a + 1; b < base32_size; b++) {
                std::string slip = text;
                std::swap(slip[a], slip[b]);
                if (slip != text) expect_refused("base32check", slip, TextReason::wrong_check, base32_size);
            }
    }
}

}  // namespace
}  // namespace idgen
