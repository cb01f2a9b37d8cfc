#include "core/text/digits.hpp"

#include <gtest/gtest.h>

#include "text_forms.hpp"

namespace idgen {
namespace {

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
