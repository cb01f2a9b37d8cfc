#include "core/text/id_prefix.hpp"

#include <gtest/gtest.h>

#include <string>

namespace idgen {
namespace {

TEST(IdPrefix, WhatIsOne) {
    for (const char *prefix : {"", "a", "ab", "a_b", "a__b", "z", "abcdefghijklmnopqrstuvwxyz"})
        EXPECT_EQ(check_id_prefix(prefix).reason, TextReason::none) << prefix;
    EXPECT_EQ(check_id_prefix(std::string(63, 'z')).reason, TextReason::none);
    EXPECT_EQ(check_id_prefix(std::string(64, 'z')).reason, TextReason::prefix_too_long);
    for (const char *prefix : {"_", "__", "_a", "a_", "A", "a1", "a-b", "`", "{"})
        EXPECT_EQ(check_id_prefix(prefix).reason, TextReason::prefix_bad_character) << prefix;
}

}  // namespace
}  // namespace idgen
