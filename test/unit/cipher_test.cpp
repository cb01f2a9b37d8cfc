// How public IDs are enciphered: FF1, the keys, and what of an ID is hidden.
#include <gtest/gtest.h>

#include <openssl/evp.h>
#include <bitset>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "../fuzz/parsers.hpp"
#include "core/cipher/ff1.hpp"
#include "core/cipher/public_id.hpp"
#include "support.hpp"
#include "vectors.hpp"

namespace idgen {
namespace {

// AES of libcrypto.
class Aes {
   public:
    explicit Aes(const std::vector<std::uint8_t> &key) : context_(EVP_CIPHER_CTX_new()) {
        const EVP_CIPHER *kind = key.size() == 16   ? EVP_aes_128_ecb()
                                 : key.size() == 24 ? EVP_aes_192_ecb()
                                                    : EVP_aes_256_ecb();
        EXPECT_EQ(EVP_EncryptInit_ex(context_, kind, nullptr, key.data(), nullptr), 1);
        EVP_CIPHER_CTX_set_padding(context_, 0);
    }
    ~Aes() { EVP_CIPHER_CTX_free(context_); }
    Aes(const Aes &) = delete;
    Aes &operator=(const Aes &) = delete;

    BlockCipher cipher() { return {encrypt, this}; }
    int calls = 0;
    int fails_at = 0;  // the call that fails; 0: none

   private:
    static bool encrypt(void *key, const std::uint8_t *in, std::uint8_t *out) noexcept {
        auto *aes = static_cast<Aes *>(key);
        int size = 0;
        return ++aes->calls != aes->fails_at && EVP_EncryptUpdate(aes->context_, out, &size, in, 16) == 1;
    }
    EVP_CIPHER_CTX *context_;
};

const std::string some_key = "2B7E151628AED2A6ABF7158809CF4F3C";

std::vector<std::uint16_t> numerals_of(const std::string &text) {
    std::vector<std::uint16_t> numerals;
    for (char c : text) numerals.push_back(static_cast<std::uint16_t>(c >= 'a' ? c - 'a' + 10 : c - '0'));
    return numerals;
}

std::string text_of(const std::vector<std::uint16_t> &numerals) {
    std::string text;
    for (std::uint16_t numeral : numerals) text += static_cast<char>(numeral < 10 ? '0' + numeral : 'a' + numeral - 10);
    return text;
}

std::string tweak_of(const Row &row) {
    std::vector<std::uint8_t> bytes = bytes_of(row.at("tweak"));
    return std::string(bytes.begin(), bytes.end());
}

void expect_vector(const Row &row) {
    SCOPED_TRACE(row.at("source") + ' ' + row.at("radix") + ' ' + row.at("tweak"));
    Aes aes(bytes_of(row.at("key")));
    std::vector<std::uint16_t> numerals = numerals_of(row.at("plaintext"));
    Ff1Domain domain{static_cast<std::uint32_t>(number(row.at("radix"))), static_cast<std::uint32_t>(numerals.size())};
    ASSERT_TRUE(is_ff1_domain(domain));
    std::string tweak = tweak_of(row);
    Exact exact(tweak);
    Ff1 ff1;
    ASSERT_TRUE(ff1.begin(domain, aes.cipher(), exact.view()));
    ASSERT_TRUE(ff1.encrypt(numerals.data()));
    EXPECT_EQ(text_of(numerals), row.at("ciphertext"));
    ASSERT_TRUE(ff1.decrypt(numerals.data()));
    EXPECT_EQ(text_of(numerals), row.at("plaintext"));
}

TEST(Ff1, SamplesOfTheStandard) {
    std::vector<Row> rows = rows_where("ff1.csv", "class", "published-exact");
    EXPECT_EQ(rows.size(), 9u);
    for (const Row &row : rows) expect_vector(row);
}

TEST(Ff1, Computed) {
    for (const Row &row : rows_where("ff1.csv", "class", "computed")) expect_vector(row);
}

// An ID is its 63 binary digits.
TEST(Ff1, IdsAreBinaryNumerals) {
    int ids = 0;
    for (const Row &row : rows_where("ff1.csv", "radix", "2")) {
        if (row.at("plaintext").size() != id_domain.size) continue;
        Aes aes(bytes_of(row.at("key")));
        auto plain = static_cast<std::int64_t>(std::bitset<63>(row.at("plaintext")).to_ullong());
        auto encrypted = static_cast<std::int64_t>(std::bitset<63>(row.at("ciphertext")).to_ullong());
        std::int64_t id = plain;
        ASSERT_TRUE(encrypt_id(aes.cipher(), tweak_of(row), id));
        EXPECT_EQ(id, encrypted);
        ASSERT_TRUE(decrypt_id(aes.cipher(), tweak_of(row), id));
        EXPECT_EQ(id, plain);
        ids++;
    }
    EXPECT_GT(ids, 30);
}

// A permutation: every number of a small domain is met once, and comes back.
TEST(Ff1, EveryNumberOnce) {
    Aes aes(bytes_of(some_key));
    for (Ff1Domain domain : {Ff1Domain{2, 7}, Ff1Domain{10, 3}, Ff1Domain{36, 2}, Ff1Domain{11, 2}}) {
        Ff1 ff1;
        ASSERT_TRUE(is_ff1_domain(domain));
        ASSERT_TRUE(ff1.begin(domain, aes.cipher(), "t"));
        std::uint64_t right_end = clamped_power(domain.radix, domain.size - domain.size / 2);
        std::uint64_t end = clamped_power(domain.radix, domain.size);
        std::set<std::uint64_t> met;
        for (std::uint64_t n = 0; n < end; n++) {
            Ff1Halves halves{n / right_end, n % right_end};
            ASSERT_TRUE(ff1.encrypt(halves));
            EXPECT_LT(halves.right, right_end);
            met.insert(halves.left * right_end + halves.right);
            ASSERT_TRUE(ff1.decrypt(halves));
            EXPECT_EQ(halves.left * right_end + halves.right, n);
        }
        EXPECT_EQ(met.size(), end);
        EXPECT_EQ(*met.rbegin(), end - 1);
    }
}

TEST(Ff1, RandomIdsComeBack) {
    Aes aes(bytes_of(some_key));
    Random random(63);
    for (int i = 0; i < 20000; i++) {
        std::string tweak(random.below(50), static_cast<char>(random.below(256)));
        std::int64_t id = random.between(0, INT64_MAX), encrypted = id;
        ASSERT_TRUE(encrypt_id(aes.cipher(), tweak, encrypted));
        ASSERT_GE(encrypted, 0);
        std::int64_t back = encrypted;
        ASSERT_TRUE(decrypt_id(aes.cipher(), tweak, back));
        ASSERT_EQ(back, id);
    }
}

// Consecutive IDs share no bit of their encrypted forms more often than by chance: each of the 63 is set, and changes
// to the next ID, in half of them. 6 standard deviations of 20,000 coins are 424.
TEST(Ff1, NeighboursLookUnrelated) {
    Aes aes(bytes_of(some_key));
    constexpr int count = 20000;
    int is_set[63] = {}, changes[63] = {};
    std::int64_t last = 0;
    for (int i = 0; i < count; i++) {
        std::int64_t id = 4036565484265537613 + i;
        ASSERT_TRUE(encrypt_id(aes.cipher(), {}, id));
        for (int bit = 0; bit < 63; bit++) {
            is_set[bit] += static_cast<int>(id >> bit & 1);
            changes[bit] += static_cast<int>((id ^ last) >> bit & 1);
        }
        last = id;
    }
    for (int bit = 0; bit < 63; bit++) {
        EXPECT_NEAR(is_set[bit], count / 2, 424) << bit;
        EXPECT_NEAR(changes[bit], count / 2, 424) << bit;
    }
}

// Tweaks that differ only in zeros behind them, which padding adds, are different tweaks.
TEST(Ff1, EveryTweakAndKeyIsItsOwn) {
    Aes aes(bytes_of(some_key)), other(bytes_of("2B7E151628AED2A6ABF7158809CF4F3D"));
    std::set<std::int64_t> met;
    for (std::size_t size = 0; size <= 64; size++) {
        std::int64_t id = 1;
        ASSERT_TRUE(encrypt_id(aes.cipher(), std::string(size, '\0'), id));
        met.insert(id);
    }
    std::int64_t id = 1;
    ASSERT_TRUE(encrypt_id(other.cipher(), {}, id));
    met.insert(id);
    EXPECT_EQ(met.size(), 66u);
}

// One call for what all rounds share, one a round.
TEST(Ff1, ShortTweaksCostElevenBlocks) {
    for (auto [size, calls] : {std::pair{0, 11}, {11, 11}, {12, 12}, {27, 12}, {28, 13}, {256, 27}}) {
        Aes aes(bytes_of(some_key));
        std::int64_t id = 1;
        ASSERT_TRUE(encrypt_id(aes.cipher(), std::string(static_cast<std::size_t>(size), 'x'), id));
        EXPECT_EQ(aes.calls, calls) << size;
    }
}

TEST(Ff1, FailureOfTheBlockCipherIsSeen) {
    for (int call = 1; call <= 12; call++) {
        Aes aes(bytes_of(some_key));
        aes.fails_at = call;
        std::int64_t id = 1;
        EXPECT_FALSE(encrypt_id(aes.cipher(), "twelve bytes", id)) << call;
        EXPECT_EQ(id, 1);
        aes.calls = 0;
        EXPECT_FALSE(decrypt_id(aes.cipher(), "twelve bytes", id)) << call;
        EXPECT_EQ(id, 1);
    }
}

TEST(Ff1, Domains) {
    for (Ff1Domain domain : {Ff1Domain{2, 7}, {2, 63}, {2, 124}, {10, 2}, {36, 24}, {65536, 6}})
        EXPECT_TRUE(is_ff1_domain(domain)) << domain.radix << ' ' << domain.size;
    for (Ff1Domain domain : {Ff1Domain{0, 9},
                             {1, 9},
                             {2, 6},
                             {9, 2},
                             {100, 1},
                             {2, 125},
                             {2, 126},
                             {2, 127},
                             {36, 25},
                             {65536, 7},
                             {65537, 2},
                             {2, 4000000000}})
        EXPECT_FALSE(is_ff1_domain(domain)) << domain.radix << ' ' << domain.size;
}

const std::string key16 = "000102030405060708090a0b0c0d0e0f";
const std::string key24 = key16 + "1011121314151617";
const std::string key32 = key24 + "18191a1b1c1d1e1f";

KeysError parsed(const std::string &text, KeyRing &ring) {
    Exact exact(text);
    return parse_keys(exact.view(), ring);
}

void expect_refused(const std::string &text, KeysReason reason, std::uint32_t item) {
    auto ring = std::make_unique<KeyRing>();
    KeysError error = parsed(text, *ring);
    EXPECT_EQ(error.reason, reason) << text;
    EXPECT_EQ(error.item, item) << text;
}

TEST(KeyRing, HoldsKeysOfEverySize) {
    KeyRing ring;
    ASSERT_EQ(parsed("1:" + key16 + ",3:" + key32 + ",2:" + key24, ring).reason, KeysReason::none);
    EXPECT_EQ(ring.count, 3u);
    for (std::uint32_t number : {1u, 2u, 3u}) {
        const CipherKey *key = ring.find(number);
        ASSERT_NE(key, nullptr);
        EXPECT_EQ(key->size, 8 + 8 * number);
        EXPECT_EQ(std::memcmp(key->bytes, bytes_of(key32).data(), key->size), 0);
    }
    EXPECT_EQ(ring.find(4), nullptr);
    EXPECT_EQ(ring.find(0), nullptr);
    EXPECT_EQ(ring.highest()->number, 3u);
}

TEST(KeyRing, BlankTextHasNone) {
    for (const char *text : {"", " ", "\t\n"}) {
        KeyRing ring;
        EXPECT_EQ(parsed(text, ring).reason, KeysReason::none);
        EXPECT_EQ(ring.count, 0u);
        EXPECT_EQ(ring.highest(), nullptr);
        EXPECT_EQ(ring.find(1), nullptr);
    }
}

TEST(KeyRing, BlanksAndCase) {
    KeyRing ring;
    ASSERT_EQ(parsed(" 07 : 000102030405060708090A0B0C0D0E0F ,\n2147483647:" + key16 + " ", ring).reason,
              KeysReason::none);
    EXPECT_EQ(ring.highest()->number, max_key_number);
    ASSERT_NE(ring.find(7), nullptr);
    EXPECT_EQ(std::memcmp(ring.find(7)->bytes, ring.highest()->bytes, 16), 0);
}

TEST(KeyRing, Refused) {
    expect_refused(key16, KeysReason::no_number, 1);
    expect_refused("1:" + key16 + ",", KeysReason::no_number, 2);
    expect_refused(",1:" + key16, KeysReason::no_number, 1);
    expect_refused(",", KeysReason::no_number, 1);
    expect_refused(":" + key16, KeysReason::bad_number, 1);
    expect_refused("0:" + key16, KeysReason::bad_number, 1);
    expect_refused("-1:" + key16, KeysReason::bad_number, 1);
    expect_refused("+1:" + key16, KeysReason::bad_number, 1);
    expect_refused("1a:" + key16, KeysReason::bad_number, 1);
    expect_refused("2147483648:" + key16, KeysReason::bad_number, 1);
    expect_refused("99999999999999999999:" + key16, KeysReason::bad_number, 1);
    expect_refused(key16 + ":1", KeysReason::bad_number, 1);
    expect_refused("1:", KeysReason::bad_size, 1);
    expect_refused("1:" + key16.substr(1), KeysReason::bad_size, 1);
    expect_refused("1:" + key16.substr(2), KeysReason::bad_size, 1);
    expect_refused("1:" + key16 + "0", KeysReason::bad_size, 1);
    expect_refused("1:" + key32 + "00", KeysReason::bad_size, 1);
    expect_refused("1:" + key16 + ",2:" + key24 + "00", KeysReason::bad_size, 2);
    expect_refused("1:" + key16.substr(1) + "g", KeysReason::bad_digit, 1);
    expect_refused("1:" + key16.substr(1) + "\xFF", KeysReason::bad_digit, 1);
    expect_refused("1:0x" + key16.substr(2), KeysReason::bad_digit, 1);
    expect_refused("1:" + key16 + ",2:" + key16 + ",1:" + key32, KeysReason::repeated_number, 3);
    expect_refused("1:" + key16 + ",01:" + key32, KeysReason::repeated_number, 2);
}

TEST(KeyRing, HoldsUpToItsLimit) {
    std::string text;
    for (std::uint32_t i = 1; i <= max_keys; i++) text += (i > 1 ? "," : "") + std::to_string(i) + ":" + key32;
    auto ring = std::make_unique<KeyRing>();
    EXPECT_EQ(parsed(text, *ring).reason, KeysReason::none);
    EXPECT_EQ(ring->count, max_keys);
    expect_refused(text + ",1000:" + key32, KeysReason::too_many, max_keys + 1);
    expect_refused(std::string(100000, ','), KeysReason::no_number, 1);
}

TEST(KeyRing, AnyText) {
    Random random(91);
    const std::string pieces[] = {key16, key24, key32, ":", ",", " ", "1", "2", "0", "f", "z", "\xC3"};
    for (int i = 0; i < 50000; i++) {
        std::string text;
        for (std::uint32_t n = random.below(12); n > 0; n--) text += pieces[random.below(12)];
        fuzz_keys(Exact(text).view());
    }
}

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
