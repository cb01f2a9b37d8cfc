#include "core/durable/durable_record.hpp"

#include <gtest/gtest.h>

namespace idgen {
namespace {

constexpr Owner here{700, fingerprint("5")}, elsewhere{800, fingerprint("5")}, changed{800, fingerprint("6")};

// The record after one of `before` that `owner` writes.
DurableRecord carried(const DurableRecord &before, const Owner &owner) {
    DurableRecord record = bare_record(1, 2);
    carry_owner(record, before, owner);
    return record;
}

TEST(Ownership, ACopyIsOneOfAnotherSystemWithTheSameShards) {
    DurableRecord record = carried(bare_record(0, 0), here);
    EXPECT_EQ(record.owner, 700);
    EXPECT_FALSE(is_copy(record, here));
    EXPECT_TRUE(is_copy(record, elsewhere));
    EXPECT_FALSE(is_copy(record, changed)) << "the setting is another";
    EXPECT_FALSE(is_copy(bare_record(0, 0), elsewhere)) << "of nobody";
}

TEST(Ownership, ACopyStaysOneUntilItsShardsAreChanged) {
    DurableRecord record = carried(carried(bare_record(0, 0), here), elsewhere);
    EXPECT_EQ(record.owner, 700);
    EXPECT_TRUE(is_copy(record, elsewhere));
    EXPECT_FALSE(is_copy(record, here)) << "nor is its origin";
    record = carried(record, changed);
    EXPECT_EQ(record.owner, 800);
    EXPECT_FALSE(is_copy(record, changed));
    record = carried(record, elsewhere);
    EXPECT_FALSE(is_copy(record, elsewhere)) << "back to the old shards, by somebody who knows";
}

TEST(Ownership, ARestoredDumpIsACopyOfItsOrigin) {
    DurableRecord restored = with_origin(bare_record(1, 0), 700, elsewhere);
    EXPECT_TRUE(is_copy(restored, elsewhere));
    EXPECT_TRUE(is_copy(carried(restored, elsewhere), elsewhere));
    EXPECT_FALSE(is_copy(with_origin(bare_record(1, 0), 0, elsewhere), elsewhere)) << "dumped here";
    DurableRecord known = carried(bare_record(1, 0), elsewhere);
    EXPECT_TRUE(with_origin(known, 700, elsewhere) == known) << "what the record says counts";
}

TEST(Ownership, ARecordIsInheritedUnlessItWasWrittenHere) {
    EXPECT_TRUE(is_inherited({1, 2, 700, 5, 0, {0, 0}}, 3));
    EXPECT_TRUE(is_inherited(bare_record(1, 2), 3)) << "of CREATE EXTENSION";
    EXPECT_TRUE(is_inherited({1, 0, 700, 5, 0, {0, 0}}, 3)) << "advanced in debt";
    EXPECT_FALSE(is_inherited({1, 3, 700, 5, 0, {0, 0}}, 3)) << "written here";
    EXPECT_TRUE(is_inherited(bare_record(1, 0), 3)) << "restored, here or before the disk was copied";
}

TEST(Ownership, ASystemIdentifierSaysWhenItWasDrawn) {
    EXPECT_EQ(drawn_us(std::uint64_t{1700000000} << 32 | std::uint64_t{999999} << 12 | 0xFFF), 1700000000999999);
    EXPECT_EQ(drawn_us(~std::uint64_t{0}), 4294967295000000 + 0xFFFFF) << "to the year 2106";
}

TEST(Ownership, FingerprintsTellSettingsApart) {
    EXPECT_EQ(fingerprint(""), 0xCBF29CE484222325u);
    EXPECT_EQ(fingerprint("a"), 0xAF63DC4C8601EC8Cu);
    EXPECT_NE(fingerprint("5"), fingerprint("5 "));
    EXPECT_EQ(fingerprint("ar", fingerprint("foob")), fingerprint("foobar"));
    EXPECT_EQ(fingerprint("foobar"), 0x85944171F73967E8u);
}

}  // namespace
}  // namespace idgen
