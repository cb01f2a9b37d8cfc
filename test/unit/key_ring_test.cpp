#include "core/cipher/key_ring.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

#include "../fuzz/parsers.hpp"
#include "support.hpp"

namespace idgen {
namespace {

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

}  // namespace
}  // namespace idgen
