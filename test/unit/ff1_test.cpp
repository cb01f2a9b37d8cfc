#include "core/cipher/ff1.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <bitset>
#include <map>
#include <set>
#include <string>
#include <vector>

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

}  // namespace
}  // namespace idgen
