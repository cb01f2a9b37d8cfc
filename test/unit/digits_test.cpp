// What all text forms have in common.
#include "core/text/digits.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support.hpp"
#include "vectors.hpp"

namespace idgen {
namespace {

// Each form as a writer, and a reader of texts that may be short; id64 has none.
struct TextForm {
    const char *name;
    std::string (*print)(std::int64_t id);
    TextError (*parse)(std::string_view text, std::int64_t &id);
};

std::string base62_of(std::int64_t id) {
    char digits[base62_size];
    print_base62(id, digits);
    return std::string(digits, base62_size);
}

std::string base32_of(std::int64_t id) {
    char digits[base32_size];
    print_base32(id, digits);
    return std::string(digits, base32_size);
}

std::string base64url_of(std::int64_t id) {
    char digits[base64url_size];
    std::size_t size = print_base64url(id, digits);
    return std::string(digits, size);
}

const TextForm text_forms[] = {
    {"base62", base62_of, [](std::string_view text, std::int64_t &id) { return parse_base62(text, true, id); }},
    {"id64", base62_of, [](std::string_view text, std::int64_t &id) { return parse_base62(text, false, id); }},
    {"base32", base32_of, [](std::string_view text, std::int64_t &id) { return parse_base32(text, false, true, id); }},
    {"base32check", [](std::int64_t id) { return base32_of(id) + base32_check(id); },
     [](std::string_view text, std::int64_t &id) { return parse_base32(text, true, true, id); }},
    {"base64url", base64url_of,
     [](std::string_view text, std::int64_t &id) { return parse_base64url(text, true, id); }},
};

const TextForm &form_of(const std::string &name) {
    for (const TextForm &form : text_forms)
        if (name == form.name) return form;
    ADD_FAILURE() << "no form " << name;
    return text_forms[0];
}

// Passes if the text is that number.
void expect_number(const char *form, std::string_view text, std::int64_t id) {
    std::int64_t read = 42;
    Exact exact(text);
    EXPECT_EQ(form_of(form).parse(exact.view(), read).reason, TextReason::none) << form << ' ' << text;
    EXPECT_EQ(read, id) << form << ' ' << text;
}

// Passes if the text is refused for that reason, at that byte.
void expect_refused(const char *form, std::string_view text, TextReason reason, std::size_t position = 0) {
    std::int64_t read;
    Exact exact(text);
    TextError error = form_of(form).parse(exact.view(), read);
    EXPECT_EQ(error.reason, reason) << form << ' ' << text;
    EXPECT_EQ(error.position, position) << form << ' ' << text;
}

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

// IDs and all other numbers, of every length in bits.
std::vector<std::int64_t> some_numbers(Random &random) {
    std::vector<std::int64_t> numbers = {0, 1, -1, largest, smallest, largest - 1, smallest + 1};
    for (int bits = 0; bits < 64; bits++)
        for (int i = 0; i < 500; i++)
            numbers.push_back(
                static_cast<std::int64_t>(static_cast<std::uint64_t>(random.between(smallest, largest)) >> bits));
    return numbers;
}

TEST(Digits, EveryFormReadsWhatItWrites) {
    Random random(62);
    for (std::int64_t id : some_numbers(random))
        for (const TextForm &form : text_forms) expect_number(form.name, form.print(id), id);
}

// A reason by its name in the vectors.
TextReason reason_of(const std::string &name) {
    const std::pair<const char *, TextReason> names[] = {
        {"empty", TextReason::empty},         {"bad_character", TextReason::bad_character},
        {"too_long", TextReason::too_long},   {"too_short", TextReason::too_short},
        {"too_large", TextReason::too_large}, {"wrong_check", TextReason::wrong_check},
    };
    for (const auto &[known, reason] : names)
        if (name == known) return reason;
    ADD_FAILURE() << "no reason " << name;
    return TextReason::none;
}

TEST(Digits, PublishedVectors) {
    for (const Row &row : read_csv("text_forms.csv")) {
        SCOPED_TRACE(row.at("form") + ' ' + row.at("text") + ' ' + row.at("source"));
        const TextForm &form = form_of(row.at("form"));
        if (row.at("direction") == "refused") {
            std::size_t position = row.at("position").empty() ? 0 : std::stoul(row.at("position"));
            expect_refused(form.name, row.at("text"), reason_of(row.at("reason")), position);
            continue;
        }
        std::int64_t id = bits(row.at("value"));
        expect_number(form.name, row.at("text"), id);
        if (row.at("direction") == "read") continue;
        // Base32 is published without the zeros that stand in front here.
        std::string printed = form.print(id);
        std::string zeros(printed.size() - row.at("text").size(), '0');
        EXPECT_EQ(printed, zeros + row.at("text"));
        EXPECT_TRUE(zeros.empty() || row.at("form").substr(0, 6) == "base32");
    }
}

TEST(Digits, EveryClassOfVectorsIsKnown) {
    std::size_t known = 0;
    for (const char *name : {"published-exact", "computed"})
        known += rows_where("text_forms.csv", "class", name).size();
    EXPECT_EQ(known, read_csv("text_forms.csv").size());
    for (const TextForm &form : text_forms) rows_where("text_forms.csv", "form", form.name);
}

TEST(Digits, OrderOfBytesIsOrderOfNumbers) {
    Random random(63);
    for (int i = 0; i < 100000; i++) {
        std::int64_t a = random.between(0, largest),
                     b = random.between(0, 1) ? a + random.between(0, 100) : random.between(0, largest);
        if (b < 0) continue;
        EXPECT_EQ(base62_of(a) < base62_of(b), a < b);
        EXPECT_EQ(base32_of(a) < base32_of(b), a < b);
    }
}

// A negative number, which no layout makes, is the unsigned number of its bits: beyond every ID.
TEST(Digits, NegativeNumbersAreBeyondAllIds) {
    EXPECT_EQ(base62_of(-1), "LygHa16AHYF");
    EXPECT_EQ(base32_of(-1), "FZZZZZZZZZZZZ");
    EXPECT_EQ(base64url_of(-1), "P__________");
    EXPECT_GT(base62_of(smallest), base62_of(largest));
    EXPECT_GT(base32_of(smallest), base32_of(largest));
}

TEST(Digits, EveryFormHasEachRefusal) {
    for (const TextForm &form : text_forms)
        for (const char *reason : {"empty", "bad_character", "too_long", "too_large"}) {
            std::size_t count = 0;
            for (const Row &row : rows_where("text_forms.csv", "form", form.name)) count += row.at("reason") == reason;
            EXPECT_GT(count, 0u) << form.name << ' ' << reason;
        }
}

// Each digit that is missing, of an ID that has all: whatever is left could be an ID, too.
TEST(Digits, AMissingDigitIsRefused) {
    Random random(64);
    std::int64_t read;
    for (int i = 0; i < 100; i++) {
        std::int64_t id = random.between(std::int64_t{1} << 60, largest);
        for (std::size_t at = 0; at < base62_size; at++) {
            EXPECT_EQ(parse_base62(base62_of(id).erase(at, 1), false, read).reason, TextReason::too_short);
            EXPECT_EQ(parse_base64url(base64url_of(id).erase(at, 1), false, read).reason, TextReason::too_short);
        }
        for (std::size_t at = 0; at < base32_size; at++) {
            EXPECT_EQ(parse_base32(base32_of(id).erase(at, 1), false, false, read).reason, TextReason::too_short);
            std::string checked = base32_of(id) + base32_check(id);
            EXPECT_EQ(parse_base32(checked.erase(at, 1), true, false, read).reason, TextReason::too_short);
        }
        EXPECT_EQ(parse_base62(base62_of(id), false, read).reason, TextReason::none);
        EXPECT_EQ(parse_base64url(base64url_of(id), false, read).reason, TextReason::none);
        EXPECT_EQ(parse_base32(base32_of(id).insert(4, "-"), false, false, read).reason, TextReason::none);
        EXPECT_EQ(parse_base32(base32_of(id) + base32_check(id), true, false, read).reason, TextReason::none);
        EXPECT_EQ(read, id);
    }
    EXPECT_EQ(base64url_of(std::int64_t{1} << 60).size(), base64url_size);
    EXPECT_EQ(base64url_of((std::int64_t{1} << 60) - 1).size(), base64url_size - 1);
}

TEST(Digits, AHugeTextIsTooLong) {
    expect_refused("base62", std::string(100000, 'z'), TextReason::too_long);
}

// Each byte that is not a digit, at each place, is named; also behind digits that are too many.
TEST(Digits, TheFirstWrongCharacterIsNamed) {
    for (const TextForm &form : text_forms) {
        std::string right = form.print(-2);
        for (std::size_t at = 0; at < right.size(); at++)
            for (const char *wrong : {" ", "\n", "+", "\x01", "\x7F", "\x80", "\xFF", "\xC3\xA9", "\xE2\x82\xAC"})
                expect_refused(form.name, right.substr(0, at) + wrong + right.substr(at + 1) + "!",
                               TextReason::bad_character, at);
        expect_refused(form.name, "11111111111111111111 ", TextReason::bad_character, 20);
        expect_refused(form.name, " 1", TextReason::bad_character, 0);
        expect_refused(form.name, std::string_view("1\0", 2), TextReason::bad_character, 1);
    }
}

// Of the 256 bytes, those that are digits, by themselves.
std::string digits_of(const char *form) {
    std::string digits;
    for (int byte = 0; byte < 256; byte++) {
        std::int64_t id;
        char symbol = static_cast<char>(byte);
        if (form_of(form).parse({&symbol, 1}, id).reason == TextReason::none) digits += symbol;
    }
    return digits;
}

TEST(Digits, NoOtherDigits) {
    EXPECT_EQ(digits_of("base62"), "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    EXPECT_EQ(digits_of("base32"), "0123456789ABCDEFGHIJKLMNOPQRSTVWXYZabcdefghijklmnopqrstvwxyz");
    EXPECT_EQ(digits_of("base64url"), "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz");
}

TEST(Base32, ReadsWhatPeopleWrite) {
    std::int64_t id = 0;
    ASSERT_EQ(parse_base32("01HAB", false, true, id).reason, TextReason::none);
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
    parse_base32("16JE", true, true, id);
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

TEST(Base62, ZerosInFrontMayBeMissing) {
    expect_number("base62", "z", 61);
    expect_number("base62", "10", 62);
    expect_number("base62", "0000z", 61);
}

// id64 has one text for one number.
TEST(Base62, PaddedHasElevenDigits) {
    expect_number("id64", "0000000000z", 61);
    expect_refused("id64", "z", TextReason::too_short);
    expect_refused("id64", "000000000z", TextReason::too_short);
}

TEST(Base62, CaseMatters) {
    expect_number("base62", "A", 10);
    expect_number("base62", "a", 36);
}

TEST(Base64url, NoZeroStandsInFront) {
    EXPECT_EQ(base64url_of(0), "A");
    EXPECT_EQ(base64url_of(63), "_");
    EXPECT_EQ(base64url_of(64), "BA");
    Random random(64);
    for (int i = 0; i < 10000; i++) EXPECT_NE(base64url_of(random.between(1, 1 << 30))[0], 'A');
}

TEST(Base64url, ZerosInFrontAreRead) {
    expect_number("base64url", "AAAAAAAAAAD", 3);
    expect_number("base64url", "A", 0);
    expect_number("base64url", "AAAAAAAAAAA", 0);
}

TEST(Base64url, NoPaddingAndNoStandardBase64) {
    expect_refused("base64url", "CO5WXONKMxM=", TextReason::bad_character, 11);
    expect_refused("base64url", "CO5+", TextReason::bad_character, 3);
    expect_refused("base64url", "CO5/", TextReason::bad_character, 3);
}

}  // namespace
}  // namespace idgen
