#include "kinds/core/decimal_id.hpp"

#include <gtest/gtest.h>

#include "support.hpp"

namespace idgen {
namespace {

TEST(DecimalId, Digits) {
    EXPECT_EQ(pack_decimal({123456789, 12345, 67890}), 1234567891234567890);
    EXPECT_EQ(pack_decimal({1, 1, 0}), 10000100000);
    EXPECT_EQ(pack_decimal({last_counter, last_generator, last_launch}), 9223372029999999999);
    DecimalParts parts{};
    ASSERT_TRUE(unpack_decimal(1234567891234567890 - 1000000000000000000, parts));
    EXPECT_EQ(parts.counter, 23456789u);
    EXPECT_EQ(parts.generator, 12345u);
    EXPECT_EQ(parts.launch, 67890u);
}

TEST(DecimalId, RoundTrip) {
    Random random(3);
    for (int i = 0; i < 20000; i++) {
        DecimalParts parts{static_cast<std::uint32_t>(random.between(1, last_counter)),
                           static_cast<std::uint32_t>(random.between(1, last_generator)),
                           static_cast<std::uint32_t>(random.between(0, last_launch))};
        DecimalParts again{};
        ASSERT_TRUE(unpack_decimal(pack_decimal(parts), again));
        ASSERT_EQ(again.counter, parts.counter);
        ASSERT_EQ(again.generator, parts.generator);
        ASSERT_EQ(again.launch, parts.launch);
    }
}

TEST(DecimalId, WhatIsNone) {
    for (std::int64_t id :
         {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, std::int64_t{9999999999}, std::int64_t{10000000000},
          std::int64_t{10000099999}, std::int64_t{9223372030000100000}, INT64_MAX}) {
        DecimalParts parts{};
        EXPECT_FALSE(unpack_decimal(id, parts)) << id;
    }
}

}  // namespace
}  // namespace idgen
