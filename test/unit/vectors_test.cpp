// IDs that other projects publish; see ../vectors/README.md for what each class allows to assert.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "core/layout/packing.hpp"
#include "support.hpp"
#include "vectors.hpp"

namespace idgen {
namespace {

std::vector<Row> rows_of_class(const std::string &name) {
    return rows_where("snowflake_family.csv", "class", name);
}

// Takes the ID apart, and checks that its parts make it again and lie within its bounds.
Parts unpacked(const Row &row, const Packing &p) {
    std::int64_t id = number(row.at("id"));
    Parts parts{-1, 0, 0};
    EXPECT_TRUE(unpack(p, id, parts));
    EXPECT_EQ(pack(p, parts.tick, parts.shard, parts.sequence), id);
    EXPECT_LE(lowest_id(p, parts.tick), id);
    EXPECT_GE(highest_id(p, parts.tick), id);
    EXPECT_EQ(tick_of(p, start_of(p, parts.tick)), parts.tick);
    return parts;
}

void expect_published(const Row &row) {
    SCOPED_TRACE(row.at("layout") + ' ' + row.at("id") + ' ' + row.at("source"));
    Packing p = packing_of(row.at("layout"));
    Parts parts = unpacked(row, p);
    std::int64_t delta_us = start_of(p, parts.tick) - us_of(number(row.at("unix_ms")));
    EXPECT_GE(delta_us, 0);
    EXPECT_LE(delta_us, 1000 * number(row.at("tolerance_ms")));
    if (!row.at("shard").empty()) {
        EXPECT_EQ(parts.shard, number(row.at("shard")));
    }
    if (!row.at("sequence").empty()) {
        EXPECT_EQ(parts.sequence, number(row.at("sequence")));
    }
}

void expect_class(const char *name, const char *tolerance_ms) {
    for (const Row &row : rows_of_class(name)) {
        EXPECT_EQ(row.at("tolerance_ms"), tolerance_ms);
        expect_published(row);
    }
}

TEST(Vectors, PublishedExactly) {
    expect_class("published-exact", "0");
}

TEST(Vectors, PublishedToTheSecond) {
    expect_class("published-second", "999");
}

TEST(Vectors, Computed) {
    expect_class("computed", "0");
}

TEST(Vectors, PublishedUncheckedAreConsistent) {
    for (const Row &row : rows_of_class("published-unchecked")) {
        SCOPED_TRACE(row.at("id"));
        unpacked(row, packing_of(row.at("layout")));
    }
}

TEST(Vectors, EveryClassIsKnown) {
    std::size_t known = 0;
    for (const char *name : {"published-exact", "published-second", "computed", "published-unchecked"})
        known += rows_of_class(name).size();
    EXPECT_EQ(known, read_csv("snowflake_family.csv").size());
}

// The distance of two wrapped times the shorter way round, whichever of them is given a turn.
TEST(Vectors, TraceTimesWrap) {
    Packing p = packing_of("trace");
    constexpr std::int64_t turn = 1 << 25;
    for (const Row &row : read_csv("trace_wrap.csv")) {
        std::int64_t a = number(row.at("a")), b = number(row.at("b")), seconds = number(row.at("seconds"));
        SCOPED_TRACE(row.at("a") + ' ' + row.at("b"));
        for (std::int64_t k : {1, 2, 53}) {
            std::int64_t near_a = start_of(p, a + k * turn), near_b = start_of(p, b + k * turn);
            EXPECT_EQ(std::abs(start_nearest(p, b, near_a) - near_a), seconds * 1000000);
            EXPECT_EQ(std::abs(start_nearest(p, a, near_b) - near_b), seconds * 1000000);
        }
    }
}

}  // namespace
}  // namespace idgen
