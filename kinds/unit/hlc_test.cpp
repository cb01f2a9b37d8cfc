#include "kinds/core/hlc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/draw/draw_steps.hpp"
#include "shared_memory.hpp"
#include "support.hpp"
#include "vectors.hpp"

namespace idgen {
namespace {

using Status = Take::Status;

constexpr std::int64_t far_ms = INT64_MAX / 2;

Limits limits_at(std::int64_t now_ms, std::int64_t floor_ms = 0, std::int64_t granted_ms = far_ms) {
    return {us_of(now_ms), floor_ms, granted_ms, 100, false};
}

// One draw from a clock's slot, above a timestamp that was observed; 0: none was.
Take take_hlc(Slot &slot, const Limits &limits, std::int64_t observed = 0) {
    TestEntry entry{};
    entry.slot = slot;
    DrawSession session{};
    session.last = observed_hlc(observed);
    DrawSource<NoLock> source{};
    set_packing(source, hlc_packing);
    source.session = observed == 0 ? nullptr : &session;
    source.carries = true;
    source.slot = {&entry, 0};
    source.shard = clock_shard;
    Limits own = limits;
    own.may_borrow = rules_of(source, {}).may_borrow;
    Take taken{};
    EXPECT_TRUE(try_slot(source, own, base_of(source, own), 1, taken));
    slot = entry.slot;
    return taken;
}

// The timestamp of an event, which must be admitted.
std::int64_t timestamp(Slot &slot, const Limits &limits, std::int64_t observed = 0) {
    Take taken = take_hlc(slot, limits, observed);
    EXPECT_EQ(taken.status, Status::ok);
    EXPECT_EQ(taken.count, 1u);
    return pack_hlc({taken.tick, taken.sequence});
}

std::int64_t hlc(std::int64_t ms, std::int64_t logical) {
    return pack_hlc({ms, logical});
}

TEST(Hlc, PublishedHistory) {
    Slot slot = new_slot(hlc_packing, 0);
    for (const Row &row : read_csv("hlc.csv")) {
        SCOPED_TRACE(row.at("physical") + ' ' + row.at("event"));
        std::int64_t observed = 0;
        if (row.at("event") == "receive") {
            observed = hlc(number(row.at("wall_in")), number(row.at("logical_in")));
        }
        EXPECT_EQ(timestamp(slot, limits_at(number(row.at("physical"))), observed),
                  hlc(number(row.at("wall")), number(row.at("logical"))));
    }
}

// The paper's rule, written down once more: l' = max(l, lm, pt), c' by which of them it equals.
HlcParts paper_receipt(const HlcParts &own, const HlcParts &remote, std::int64_t physical) {
    std::int64_t l = std::max({own.ms, remote.ms, physical});
    std::int64_t c = 0;
    if (l == own.ms && l == remote.ms)
        c = std::max(own.logical, remote.logical) + 1;
    else if (l == own.ms)
        c = own.logical + 1;
    else if (l == remote.ms)
        c = remote.logical + 1;
    return {l, c};
}

TEST(Hlc, FollowsThePaper) {
    Random random(14);
    Slot slot = new_slot(hlc_packing, 1000);
    HlcParts own = unpack_hlc(timestamp(slot, limits_at(1000)));
    for (int i = 0; i < 20000; i++) {
        std::int64_t physical = 1000 + i / 10 + random.between(-20, 20);
        HlcParts remote{1000 + i / 10 + random.between(-30, 30), random.between(0, 9)};
        bool is_receipt = random.once_in(2);
        HlcParts expected = paper_receipt(own, is_receipt ? remote : HlcParts{-1, 0}, physical);
        std::int64_t observed = is_receipt ? pack_hlc(remote) : 0;
        own = unpack_hlc(timestamp(slot, limits_at(physical), observed));
        ASSERT_EQ(own.ms, expected.ms) << i;
        ASSERT_EQ(own.logical, expected.logical) << i;
    }
}

TEST(Hlc, CauseSortsBeforeEffectAcrossNodes) {
    Random random(2014);
    constexpr std::int64_t skew[] = {0, 40, -40};
    std::vector<Slot> nodes(3, new_slot(hlc_packing, 0));
    std::int64_t token = 0;
    for (int i = 0; i < 20000; i++) {
        std::uint32_t node = random.below(3);
        std::int64_t next = timestamp(nodes[node], limits_at(5000 + i / 50 + skew[node]), token);
        ASSERT_GT(next, token) << i;
        token = next;
    }
}

TEST(Hlc, LogicalCarriesWithinTheLead) {
    Slot slot = new_slot(hlc_packing, 0);
    EXPECT_EQ(timestamp(slot, limits_at(5000), hlc(5000, hlc_last_logical)), hlc(5001, 0));
    EXPECT_EQ(timestamp(slot, limits_at(5000)), hlc(5001, 1));
    EXPECT_EQ(timestamp(slot, limits_at(5000), hlc(5099, hlc_last_logical)), hlc(5100, 0));

    Take refused = take_hlc(slot, limits_at(5000), hlc(5100, hlc_last_logical));
    EXPECT_EQ(refused.status, Status::borrowed) << "101 ms ahead";
    EXPECT_EQ(refused.wait_us, 1000);
    EXPECT_EQ(timestamp(slot, limits_at(5000)), hlc(5100, 1)) << "a refused take changes nothing";
    EXPECT_EQ(timestamp(slot, limits_at(5001), hlc(5100, hlc_last_logical)), hlc(5101, 0));
}

TEST(Hlc, AllOfAMillisecondAndOn) {
    Slot slot = new_slot(hlc_packing, 0);
    for (std::int64_t logical = 0; logical <= hlc_last_logical; logical++)
        ASSERT_EQ(timestamp(slot, limits_at(7000)), hlc(7000, logical));
    EXPECT_EQ(timestamp(slot, limits_at(7000)), hlc(7001, 0));
}

TEST(Hlc, FloorAndGrant) {
    Slot slot = new_slot(hlc_packing, 9000);
    EXPECT_EQ(take_hlc(slot, limits_at(8950, 9000, 9000)).status, Status::renew);
    EXPECT_EQ(timestamp(slot, limits_at(8950, 9000)), hlc(9000, 0)) << "nothing below the floor";
    EXPECT_EQ(take_hlc(slot, limits_at(8899)).status, Status::ahead);
    EXPECT_EQ(timestamp(slot, limits_at(8950, 9010)), hlc(9010, 0)) << "a floor that rose";
    EXPECT_EQ(take_hlc(slot, limits_at(9500, 9000, 9500)).status, Status::renew);
    EXPECT_EQ(timestamp(slot, limits_at(9500, 9000, 9501)), hlc(9500, 0));
    EXPECT_EQ(take_hlc(slot, limits_at(9500, 9000, 9550), hlc(9550, 0)).status, Status::renew)
        << "a timestamp received at or past the grant needs a renewal first";
    EXPECT_EQ(take_hlc(slot, limits_at(-5)).status, Status::ahead) << "a clock before 1970";
}

TEST(Hlc, Parts) {
    for (HlcParts parts :
         {HlcParts{0, 0}, HlcParts{1, 65535}, HlcParts{1795263764000, 7}, HlcParts{hlc_last_ms, hlc_last_logical}}) {
        EXPECT_EQ(check_hlc(parts), HlcReason::none);
        std::int64_t packed = pack_hlc(parts);
        EXPECT_EQ(unpack_hlc(packed).ms, parts.ms);
        EXPECT_EQ(unpack_hlc(packed).logical, parts.logical);
    }
    EXPECT_EQ(hlc(1, 2), 65538);
    EXPECT_EQ(hlc(hlc_last_ms, hlc_last_logical), INT64_MAX);
    EXPECT_EQ(check_hlc({-1, 0}), HlcReason::time_out_of_range);
    EXPECT_EQ(check_hlc({hlc_last_ms + 1, 0}), HlcReason::time_out_of_range);
    EXPECT_EQ(check_hlc({1, -1}), HlcReason::logical_out_of_range);
    EXPECT_EQ(check_hlc({1, 65536}), HlcReason::logical_out_of_range);
}

}  // namespace
}  // namespace idgen
