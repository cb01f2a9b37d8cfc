#include "core/text/digits.hpp"

#include <gtest/gtest.h>

#include "text_forms.hpp"

namespace idgen {
namespace {

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

}  // namespace
}  // namespace idgen
