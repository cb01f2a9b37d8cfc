#include "core/durable/durable_record.hpp"

#include <gtest/gtest.h>

#include <set>

namespace idgen {
namespace {

TEST(DurableRecord, IdentityTellsHistoriesApart) {
    std::set<std::int64_t> seen;
    for (std::uint32_t timeline = 1; timeline < 100; timeline++)
        for (std::uint64_t system = 7000000000000000000; system < 7000000000000000100; system++)
            seen.insert(identity_of(timeline, system));
    EXPECT_EQ(seen.size(), 99u * 100u);
    EXPECT_EQ(seen.count(0), 0u);
}

TEST(DurableRecord, ReadsTheKernelsBootId) {
    BootId boot = parse_random_id("2b0a5f9c-0123-4567-89ab-cdef01234567\n");
    EXPECT_EQ(boot.high, 0x2b0a5f9c01234567u);
    EXPECT_EQ(boot.low, 0x89abcdef01234567u);
    EXPECT_TRUE(parse_random_id("2B0A5F9C0123456789ABCDEF01234567") == boot)
        << "as etcd's and PostgreSQL's texts may be";
    for (const char *text : {"", "\n", "2b0a5f9c", "2b0a5f9c-0123-4567-89ab-cdef0123456",
                             "zb0a5f9c-0123-4567-89ab-cdef01234567", "2b0a5f9c-0123-4567-89ab-cdef012345678"})
        EXPECT_FALSE(is_known(parse_random_id(text))) << text;
}

TEST(DurableRecord, EqualInAllParts) {
    constexpr DurableRecord record{1, 2, 3, 4, 5, {6, 7}};
    EXPECT_TRUE(record == record);
    for (DurableRecord other : {DurableRecord{9, 2, 3, 4, 5, {6, 7}}, DurableRecord{1, 9, 3, 4, 5, {6, 7}},
                                DurableRecord{1, 2, 9, 4, 5, {6, 7}}, DurableRecord{1, 2, 3, 9, 5, {6, 7}},
                                DurableRecord{1, 2, 3, 4, 9, {6, 7}}, DurableRecord{1, 2, 3, 4, 5, {9, 7}},
                                DurableRecord{1, 2, 3, 4, 5, {6, 9}}})
        EXPECT_FALSE(record == other);
}

}  // namespace
}  // namespace idgen
