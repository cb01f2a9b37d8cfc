#include "core/slot/slot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/horizon/horizon.hpp"
#include "support.hpp"

namespace idgen {
namespace {

using Status = Take::Status;

// Four sequences a tick, and ticks that read like milliseconds or seconds of the epoch.
const std::string ms = "epoch=1970-01-01 unit=1ms time=40 shard=4 sequence=2";
const std::string ms_below = "epoch=1970-01-01 unit=1ms time=40 sequence=2 shard=4";
const std::string ms_from_1 = "epoch=1970-01-01 unit=1ms time=40 shard=4 sequence=2+1";
const std::string ms_single = "epoch=1970-01-01 unit=1ms time=40 shard=4";
const std::string ten = "epoch=1970-01-01 unit=10ms time=40 shard=4 sequence=2";
const std::string sec = "epoch=1970-01-01 unit=1s time=40 shard=4 sequence=2";

constexpr std::int64_t far_ms = INT64_MAX / 2;
constexpr std::int64_t lead_ms = 100;
constexpr Slot unused_slot{-1, no_sequence, 0, 0, 0, 0, -1};

Limits at(std::int64_t now_ms) {
    return {us_of(now_ms), 0, far_ms, lead_ms, false};
}

Take take_at(Slot &slot, const Packing &p, const Limits &limits, std::uint32_t shard = 5,
             const Position &above = before_all, std::uint32_t count = 1) {
    return take(slot, p, limits, base_tick(p, limits), shard, above, count);
}

bool same(const Slot &a, const Slot &b) {
    return std::memcmp(&a, &b, sizeof(Slot)) == 0;
}

struct Case {
    const char *what;
    std::string layout;
    std::int64_t slot_tick;
    std::uint32_t slot_sequence;
    Limits limits;  // now, floor, granted, max_lead, may_borrow
    Status status;
    std::int64_t tick;
    std::uint32_t sequence;
    std::int64_t wait_ms;
    Position above = before_all;
    std::uint32_t wanted = 1;
    std::uint32_t count = 1;
};

void run(const std::vector<Case> &cases) {
    for (const Case &c : cases) {
        SCOPED_TRACE(c.what);
        Packing p = packing_of(c.layout);
        Slot slot{c.slot_tick, c.slot_sequence, 0, 40, 5, 6, -1};
        Slot before = slot;
        Take taken = take_at(slot, p, c.limits, 5, c.above, c.wanted);
        EXPECT_EQ(taken.status, c.status);
        EXPECT_EQ(taken.tick, c.tick);
        std::int64_t lead_us = std::max<std::int64_t>(0, start_of(p, c.tick) - c.limits.now_us);
        EXPECT_EQ(taken.wait_us, c.status == Status::ok ? lead_us : c.wait_ms * 1000);
        if (c.status != Status::ok) {
            EXPECT_EQ(taken.count, 0u);
            EXPECT_TRUE(same(slot, before)) << "a refused take changed the slot";
            continue;
        }
        EXPECT_EQ(taken.sequence, c.sequence);
        EXPECT_EQ(taken.count, c.count);
        Slot after{c.tick, c.sequence + c.count - 1, slot.borrowed_lead_us, 40 + c.count, 5, 6, slot.borrowed_tick};
        EXPECT_TRUE(same(slot, after)) << "a take counts IDs and nothing else";
    }
}

constexpr std::uint32_t none = no_sequence;

TEST(Slot, UnderEveryKindOfClock) {
    run({
        {"the first take", ms, -1, none, at(5000), Status::ok, 5000, 0, 0},
        {"the same tick", ms, 5000, 0, at(5000), Status::ok, 5000, 1, 0},
        {"the last sequence of a tick", ms, 5000, 2, at(5000), Status::ok, 5000, 3, 0},
        {"forward by 1", ms, 5000, 1, at(5001), Status::ok, 5001, 0, 0},
        {"forward by a million", ms, 5000, 1, at(1005000), Status::ok, 1005000, 0, 0},
        {"forward from a full tick", ms, 5000, 3, at(5001), Status::ok, 5001, 0, 0},
        {"back by 1 holds", ms, 5000, 1, at(4999), Status::ok, 5000, 2, 0},
        {"back by max_lead holds", ms, 5000, 1, at(4900), Status::ok, 5000, 2, 0},
        {"back by 1 more waits 1", ms, 5000, 1, at(4899), Status::ahead, 5000, 0, 1},
        {"back by a million waits that less the lead", ms, 1005000, 1, at(5000), Status::ahead, 1005000, 0, 999900},
        {"to 0", ms, 1000000, 1, at(0), Status::ahead, 1000000, 0, 999900},
        {"back by 1 with a full tick", ms, 5000, 3, at(4999), Status::full, 5001, 0, 2},
        {"back by max_lead with a full tick", ms, 5000, 3, at(4900), Status::full, 5001, 0, 101},
        {"a tick that is used up", ms, 5000, none, at(5000), Status::full, 5001, 0, 1},
    });
}

TEST(Slot, FullTicks) {
    const Limits borrow{us_of(5000), 0, far_ms, lead_ms, true};
    const Limits borrow_none{us_of(5000), 0, far_ms, 0, true};
    const Limits no_lead{us_of(5000), 0, far_ms, 0, false};
    run({
        {"waits until the next tick", ms, 5000, 3, at(5000), Status::full, 5001, 0, 1},
        {"10 ms: waits the rest of the tick", ten, 500, 3, at(5003), Status::full, 501, 0, 7},
        {"10 ms: at the tick's last ms", ten, 500, 3, at(5009), Status::full, 501, 0, 1},
        {"1 s: waits the rest of the tick", sec, 5, 3, at(5250), Status::full, 6, 0, 750},
        {"1 s: the lead does not begin a tick", sec, 5, 3, at(5950), Status::full, 6, 0, 50},
        {"borrows the next tick", ms, 5000, 3, borrow, Status::ok, 5001, 0, 0},
        {"borrows up to max_lead", ms, 5099, 3, borrow, Status::ok, 5100, 0, 0},
        {"borrows no further", ms, 5100, 3, borrow, Status::full, 5101, 0, 1},
        {"goes on in a borrowed tick", ms, 5100, 2, borrow, Status::ok, 5100, 3, 0},
        {"borrows nothing without lead", ms, 5000, 3, borrow_none, Status::full, 5001, 0, 1},
        {"10 ms: borrows", ten, 500, 3, borrow, Status::ok, 501, 0, 0},
        {"10 ms: borrows up to max_lead", ten, 509, 3, borrow, Status::ok, 510, 0, 0},
        {"10 ms: borrows no further", ten, 510, 3, borrow, Status::full, 511, 0, 10},
        {"1 s: the next tick is past max_lead", sec, 5, 3, borrow, Status::full, 6, 0, 900},
        {"no lead: the clock's tick", ms, 5000, 2, no_lead, Status::ok, 5000, 3, 0},
        {"no lead: no hold", ms, 5001, 2, no_lead, Status::ahead, 5001, 0, 1},
        {"0 bits: one ID a tick", ms_single, 4999, 0, at(5000), Status::ok, 5000, 0, 0},
        {"0 bits: full at once", ms_single, 5000, 0, at(5000), Status::full, 5001, 0, 1},
        {"+1: begins at 1", ms_from_1, 4999, 3, at(5000), Status::ok, 5000, 1, 0},
        {"+1: goes to the last", ms_from_1, 5000, 2, at(5000), Status::ok, 5000, 3, 0},
        {"+1: full", ms_from_1, 5000, 3, at(5000), Status::full, 5001, 0, 1},
    });
}

TEST(Slot, StartsAtTheFloorRoundedUp) {
    auto floor = [](std::int64_t now_ms, std::int64_t floor_ms) {
        return Limits{us_of(now_ms), floor_ms, far_ms, lead_ms, false};
    };
    run({
        {"below the clock", ms, -1, none, floor(5000, 4000), Status::ok, 5000, 0, 0},
        {"at the clock", ms, -1, none, floor(5000, 5000), Status::ok, 5000, 0, 0},
        {"1 above the clock", ms, -1, none, floor(5000, 5001), Status::ok, 5001, 0, 0},
        {"max_lead above", ms, -1, none, floor(5000, 5100), Status::ok, 5100, 0, 0},
        {"past max_lead", ms, -1, none, floor(5000, 5101), Status::ahead, 5101, 0, 1},
        {"above the last tick", ms, 5002, 1, floor(5000, 5003), Status::ok, 5003, 0, 0},
        {"below the last tick", ms, 5003, 1, floor(5000, 5002), Status::ok, 5003, 2, 0},
        {"full at the floor", ms, 5003, 3, floor(5000, 5003), Status::full, 5004, 0, 4},
        {"10 ms: on a tick", ten, -1, none, floor(5005, 5000), Status::ok, 500, 0, 0},
        {"10 ms: 1 ms into the clock's tick", ten, -1, none, floor(5005, 5001), Status::ok, 501, 0, 0},
        {"10 ms: at the clock", ten, -1, none, floor(5005, 5005), Status::ok, 501, 0, 0},
        {"10 ms: at the end of the tick", ten, -1, none, floor(5005, 5009), Status::ok, 501, 0, 0},
        {"10 ms: the next tick", ten, -1, none, floor(5005, 5010), Status::ok, 501, 0, 0},
        {"10 ms: past the next tick", ten, -1, none, floor(5005, 5011), Status::ok, 502, 0, 0},
        {"10 ms: rounding leaves max_lead", ten, -1, none, floor(5005, 5101), Status::ahead, 511, 0, 5},
        {"10 ms: not the slot's own tick", ten, 500, 1, floor(5005, 5001), Status::ok, 501, 0, 0},
        {"1 s: on a tick", sec, -1, none, floor(5950, 5000), Status::ok, 5, 0, 0},
        {"1 s: 1 ms into the clock's tick", sec, -1, none, floor(5950, 5001), Status::ok, 6, 0, 0},
        {"1 s: rounding leaves max_lead", sec, -1, none, floor(5899, 5001), Status::ahead, 6, 0, 1},
        {"1 s: at max_lead", sec, -1, none, floor(5900, 5001), Status::ok, 6, 0, 0},
        {"1 s: a whole tick ahead", sec, -1, none, floor(5000, 5001), Status::ahead, 6, 0, 900},
    });
}

TEST(Slot, StopsAtTheGrantedHorizon) {
    auto granted = [](std::int64_t now_ms, std::int64_t granted_ms, bool may_borrow = false) {
        return Limits{us_of(now_ms), 0, granted_ms, lead_ms, may_borrow};
    };
    run({
        {"1 ms below it", ms, -1, none, granted(5000, 5001), Status::ok, 5000, 0, 0},
        {"exactly at it", ms, -1, none, granted(5000, 5000), Status::renew, 5000, 0, 0},
        {"1 ms above it", ms, -1, none, granted(5000, 4999), Status::renew, 5000, 0, 0},
        {"nothing granted yet", ms, -1, none, granted(5000, 0), Status::renew, 5000, 0, 0},
        {"in a tick begun before", ms, 5000, 1, granted(5000, 5000), Status::renew, 5000, 0, 0},
        {"10 ms: the tick starts below it", ten, -1, none, granted(5005, 5001), Status::ok, 500, 0, 0},
        {"10 ms: the tick starts at it", ten, -1, none, granted(5005, 5000), Status::renew, 500, 0, 0},
        {"1 s: the tick starts below it", sec, -1, none, granted(5999, 5001), Status::ok, 5, 0, 0},
        {"1 s: the tick starts at it", sec, -1, none, granted(5999, 5000), Status::renew, 5, 0, 0},
        {"a hold at it", ms, 5050, 1, granted(5000, 5050), Status::renew, 5050, 0, 0},
        {"a hold below it", ms, 5050, 1, granted(5000, 5051), Status::ok, 5050, 2, 0},
        {"a borrowed tick at it", ms, 5000, 3, granted(5000, 5001, true), Status::renew, 5001, 0, 0},
        {"the lead is tested first", ms, 6000, 1, granted(5000, 5500), Status::ahead, 6000, 0, 900},
        {"a full tick waits first", ms, 5000, 3, granted(5000, 5001), Status::full, 5001, 0, 1},
    });
}

TEST(Slot, StopsAtTheEndOfTheLayout) {
    constexpr std::int64_t end = std::int64_t{1} << 40;
    const Limits borrow{us_of(end - 1), 0, far_ms, lead_ms, true};
    const Limits floor{us_of(end - 5), end, far_ms, lead_ms, false};
    run({
        {"the last tick", ms, -1, none, at(end - 1), Status::ok, end - 1, 0, 0},
        {"the tick after it", ms, -1, none, at(end), Status::past_end, end, 0, 0},
        {"long after it", ms, -1, none, at(end + 1000000), Status::past_end, end, 0, 0},
        {"the last tick is full", ms, end - 1, 3, at(end - 1), Status::past_end, end, 0, 0},
        {"the last tick is full and held", ms, end - 1, 3, at(end - 50), Status::past_end, end, 0, 0},
        {"nothing to borrow", ms, end - 1, 3, borrow, Status::past_end, end, 0, 0},
        {"the floor is past it", ms, -1, none, floor, Status::past_end, end, 0, 0},
        {"the last ID", ms, end - 1, 2, at(end - 1), Status::ok, end - 1, 3, 0},
    });
}

TEST(Slot, TakesBlocks) {
    run({
        {"all of a tick", ms, 4999, 1, at(5000), Status::ok, 5000, 0, 0, before_all, 4, 4},
        {"more than a tick has", ms, 4999, 1, at(5000), Status::ok, 5000, 0, 0, before_all, 1000000, 4},
        {"what is left of a tick", ms, 5000, 1, at(5000), Status::ok, 5000, 2, 0, before_all, 4, 2},
        {"less than is left", ms, 5000, 0, at(5000), Status::ok, 5000, 1, 0, before_all, 2, 2},
        {"the largest count", ms, 4999, 0, at(5000), Status::ok, 5000, 0, 0, before_all, 0xFFFFFFFF, 4},
        {"one of one", ms_single, 4999, 0, at(5000), Status::ok, 5000, 0, 0, before_all, 9, 1},
        {"+1", ms_from_1, 4999, 0, at(5000), Status::ok, 5000, 1, 0, before_all, 9, 3},
        {"above the session's last", ms, 4999, 0, at(5000), Status::ok, 5000, 3, 0, {5000, 3}, 9, 1},
        {"none of a full tick", ms, 5000, 3, at(5000), Status::full, 5001, 0, 1, before_all, 9, 0},
    });
}

TEST(Slot, ABlockMayBeTheWidestSequence) {
    Packing p = packing_of("epoch=1970-01-01 unit=1s time=32 sequence=31");
    Slot slot = unused_slot;
    Take taken = take_at(slot, p, at(5000), 0, before_all, 0xFFFFFFFF);
    EXPECT_EQ(taken.count, 0x80000000);
    EXPECT_EQ(slot.sequence, 0x7FFFFFFFu);
    EXPECT_EQ(take_at(slot, p, at(5000), 0).status, Status::full);
}

TEST(Slot, TakesAboveTheCallersLast) {
    const Limits granted{us_of(5000), 0, 5010, lead_ms, false};
    run({
        {"below the clock: no matter", ms, -1, none, at(5000), Status::ok, 5000, 0, 0, {4999, 3}},
        {"used up, but in the past", ms, -1, none, at(5000), Status::ok, 5000, 0, 0, {4999, none}},
        {"in the clock's tick", ms, -1, none, at(5000), Status::ok, 5000, 2, 0, {5000, 2}},
        {"below the slot's last", ms, 5000, 2, at(5000), Status::ok, 5000, 3, 0, {5000, 1}},
        {"above the slot's last", ms, 5000, 0, at(5000), Status::ok, 5000, 3, 0, {5000, 3}},
        {"past the tick's last sequence", ms, 5000, 0, at(5000), Status::full, 5001, 0, 1, {5000, 4}},
        {"used up", ms, 5000, 0, at(5000), Status::full, 5001, 0, 1, {5000, none}},
        {"ahead of the clock: held", ms, 5000, 0, at(5000), Status::ok, 5010, 1, 0, {5010, 1}},
        {"ahead of the clock, of the slot too", ms, 5005, 3, at(5000), Status::ok, 5010, 0, 0, {5010, 0}},
        {"ahead by max_lead", ms, 5000, 0, at(5000), Status::ok, 5100, 1, 0, {5100, 1}},
        {"past max_lead", ms, 5000, 0, at(5000), Status::ahead, 5101, 0, 1, {5101, 1}},
        {"ahead and used up", ms, 5000, 0, at(5000), Status::full, 5011, 0, 11, {5010, none}},
        {"behind the slot", ms, 5010, 1, at(5000), Status::ok, 5010, 2, 0, {5005, 3}},
        {"+1: below the first", ms_from_1, -1, none, at(5000), Status::ok, 5000, 1, 0, {5000, 0}},
        {"past the granted horizon", ms, -1, none, granted, Status::renew, 5010, 0, 0, {5010, 1}},
    });
}

TEST(Slot, BaseTick) {
    const struct {
        const char *what;
        std::string layout;
        std::int64_t now_ms, floor_ms, base;
    } cases[] = {
        {"the clock", ms, 5000, 0, 5000},
        {"no floor", ms, 5000, -5000, 5000},
        {"the floor", ms, 5000, 5001, 5001},
        {"the clock's tick starts at the floor", ten, 5009, 5000, 500},
        {"the floor lies within the clock's tick", ten, 5009, 5001, 501},
        {"the floor is a tick ahead", ten, 5009, 5010, 501},
        {"1 s", sec, 5999, 5000, 5},
        {"1 s, rounded up", sec, 5999, 5001, 6},
        {"the epoch", ms, 0, 0, 0},
        {"before the epoch", ms, -1, 0, -1},
        {"before the epoch, 1 s", sec, -1, 0, -1},
        {"before the epoch, whatever the floor", sec, -1, 5000, -1},
        {"the epoch of a preset", "instagram", 1314220021721, 0, 0},
        {"before the epoch of a preset", "instagram", 1314220021720, 1400000000000, -1},
    };
    for (const auto &c : cases) {
        Limits limits{us_of(c.now_ms), c.floor_ms, far_ms, lead_ms, false};
        EXPECT_EQ(base_tick(packing_of(c.layout), limits).number, c.base) << c.what;
    }
}

TEST(Slot, ANewSlotStartsAtItsFloor) {
    const struct {
        std::string layout;
        std::int64_t floor_ms, first_tick;
    } cases[] = {
        {ms, 5000, 5000}, {ms, 0, 0},     {ms, -5000, 0}, {ten, 5000, 500}, {ten, 5001, 501},
        {ten, 5009, 501}, {sec, 5000, 5}, {sec, 5001, 6}, {sec, 5999, 6},   {"trace", 0, 0},
    };
    for (const auto &c : cases) {
        Packing p = packing_of(c.layout);
        Slot slot = new_slot(p, c.floor_ms);
        EXPECT_EQ(slot.ids, 0u);
        Limits limits{start_of(p, c.first_tick), c.floor_ms, far_ms, 0, false};
        Take taken = take_at(slot, p, limits);
        EXPECT_EQ(taken.status, Status::ok) << c.layout << ' ' << c.floor_ms;
        EXPECT_EQ(taken.tick, c.first_tick) << c.layout << ' ' << c.floor_ms;
        EXPECT_EQ(taken.sequence, p.sequence_first) << c.layout << ' ' << c.floor_ms;

        Slot held = new_slot(p, c.floor_ms);
        limits = {us_of(std::max(c.floor_ms, std::int64_t{0})), c.floor_ms, far_ms, 1000, false};
        EXPECT_EQ(take_at(held, p, limits).tick, c.first_tick) << c.layout << ' ' << c.floor_ms;
    }
}

TEST(Slot, NeverMakesZero) {
    const struct {
        std::string layout;
        std::uint32_t shard;
        std::int64_t tick;
        std::uint32_t sequence;
    } cases[] = {
        {ms, 0, 0, 1}, {ms, 5, 0, 0}, {ms_from_1, 0, 0, 1}, {ms_single, 5, 0, 0}, {ms_below, 0, 0, 1},
    };
    for (const auto &c : cases) {
        Packing p = packing_of(c.layout);
        Slot slot = new_slot(p, 0);
        Take taken = take_at(slot, p, at(0), c.shard);
        EXPECT_EQ(taken.tick, c.tick) << c.layout;
        EXPECT_EQ(taken.sequence, c.sequence) << c.layout;
        EXPECT_GT(pack(p, taken.tick, c.shard, taken.sequence), 0);
    }
    Packing p = packing_of(ms_single);  // its only ID of tick 0 in shard 0 would be 0
    Slot slot = new_slot(p, 0);
    EXPECT_EQ(take_at(slot, p, at(0), 0).status, Status::full);
    EXPECT_EQ(take_at(slot, p, at(1), 0).tick, 1);
}

TEST(Slot, NeverMakesZeroInALaterTurn) {
    Packing p = packing_of("epoch=1970-01-01 unit=1ms time=3w shard=2 sequence=2");
    Slot slot = new_slot(p, 0);
    EXPECT_EQ(take_at(slot, p, at(7), 0).sequence, 0u);
    EXPECT_EQ(take_at(slot, p, at(8), 0).sequence, 1u);
    EXPECT_EQ(take_at(slot, p, at(9), 0).sequence, 0u);
}

TEST(Slot, LowestAboveAnotherShardsId) {
    const struct {
        const char *what;
        std::string layout;
        DrawHistory last;
        std::uint32_t shard;
        Position position;
    } cases[] = {
        {"the same shard", ms, {5000, 5, 2}, 5, {5000, 3}},
        {"the same shard, its last", ms, {5000, 5, 3}, 5, {5000, 4}},
        {"a higher shard", ms, {5000, 5, 2}, 6, {5000, 0}},
        {"a lower shard", ms, {5000, 5, 2}, 4, {5000, none}},
        {"sequence above: the same shard", ms_below, {5000, 5, 2}, 5, {5000, 3}},
        {"sequence above: a higher shard", ms_below, {5000, 5, 2}, 6, {5000, 2}},
        {"sequence above: a lower shard", ms_below, {5000, 5, 2}, 4, {5000, 3}},
        {"sequence above: a lower shard, the last", ms_below, {5000, 5, 3}, 4, {5000, 4}},
    };
    for (const auto &c : cases) {
        Position position = lowest_above(packing_of(c.layout), c.last, c.shard);
        EXPECT_EQ(position.tick, c.position.tick) << c.what;
        EXPECT_EQ(position.sequence, c.position.sequence) << c.what;
    }
}

// Against all IDs of a tick: the position is the lowest whose ID is larger, and it is where a take lands.
TEST(Slot, LowestAboveIsTheSmallestLargerId) {
    for (const std::string &layout : {ms, ms_below, ms_from_1, ms_single}) {
        SCOPED_TRACE(layout);
        Packing p = packing_of(layout);
        for (std::uint32_t last_shard = 0; last_shard <= p.shard_last; last_shard++)
            for (std::uint32_t last = p.sequence_first; last <= p.sequence_last; last++)
                for (std::uint32_t shard = 0; shard <= p.shard_last; shard++) {
                    std::int64_t last_id = pack(p, 5000, last_shard, last);
                    std::uint32_t lowest = p.sequence_first;
                    while (lowest <= p.sequence_last && pack(p, 5000, shard, lowest) <= last_id) lowest++;
                    Position above = lowest_above(p, {5000, last_shard, last}, shard);
                    Slot slot = unused_slot;
                    Take taken = take_at(slot, p, at(5000), shard, above);
                    ASSERT_EQ(taken.status, lowest <= p.sequence_last ? Status::ok : Status::full);
                    if (taken.status == Status::ok) {
                        ASSERT_EQ(taken.sequence, lowest);
                    }
                }
    }
}

TEST(Slot, NothingDrawnYetBoundsNothing) {
    for (const std::string &layout : {ms, ms_below, ms_from_1, ms_single}) {
        Packing p = packing_of(layout);
        for (std::uint32_t shard : {0u, 1u, 15u}) {
            Slot free = unused_slot, bound = unused_slot;
            Take a = take_at(free, p, at(1), shard);
            Take b = take_at(bound, p, at(1), shard, lowest_above(p, {}, shard));
            EXPECT_EQ(a.status, b.status);
            EXPECT_TRUE(same(free, bound)) << layout << ' ' << shard;
        }
    }
}

TEST(Slot, EveryIdOfATickIsTakenOnce) {
    Packing p = packing_of("instagram");
    Slot slot = unused_slot;
    constexpr std::int64_t now_ms = 1700000000000;
    for (std::uint32_t i = 0; i < 1024; i++) {
        Take taken = take_at(slot, p, at(now_ms));
        ASSERT_EQ(taken.status, Status::ok);
        ASSERT_EQ(taken.sequence, i);
        ASSERT_EQ(taken.tick, tick_of(p, us_of(now_ms)));
    }
    EXPECT_EQ(slot.ids, 1024u);
    EXPECT_EQ(take_at(slot, p, at(now_ms)).status, Status::full);
}

// A node as the server runs it: slots, sessions that move between them, a clock that goes where it likes, floors that
// rise, a horizon that is renewed, restarts that begin at it. The oracle is a set.
class Node {
   public:
    Node(const std::string &layout, std::uint64_t seed)
        : p_(packing_of(layout)), random_(seed), sessions_(4), may_borrow_(seed % 3 == 0) {
        now_us_ = start_of(p_, 1000) + 1000 * random_.below(1000);
        granted_ms_ = ms_down(now_us_);
        floor_ms_ = ms_down(p_.epoch_us);
        max_lead_ms_ = random_.once_in(3) ? 0 : random_.between(1, std::max<std::int64_t>(4 * p_.unit_us / 1000, 1));
        if (random_.once_in(3)) max_lead_ms_ = 3000;
        start();
    }

    void step() {
        move_clock();
        if (random_.once_in(100)) raise_floor();
        if (random_.once_in(500)) restart();
        if (random_.once_in(50)) recycle(random_.below(shard_count()));
        draw(random_.below(static_cast<std::uint32_t>(sessions_.size())), random_.below(shard_count()));
    }

    std::size_t ids() const { return seen_.size(); }

   private:
    struct Session {
        DrawHistory last;
        std::int64_t last_id = 0;
    };

    std::uint32_t shard_count() const { return std::min(p_.shard_last, 4u) + 1; }

    void start() {
        slots_.assign(shard_count(), new_slot(p_, floor_ms_));
        last_ids_.assign(shard_count(), 0);
        sessions_.assign(sessions_.size(), {});
    }

    // By what a clock of the unit shows at once: a ms, or a tick that is shorter.
    void move_clock() {
        std::int64_t step_us = std::min<std::int64_t>(p_.unit_us, 1000);
        switch (random_.below(60)) {
            case 0:
                now_us_ += step_us;
                break;
            case 1:
                now_us_ -= step_us;
                break;
            case 2:
                now_us_ += step_us * random_.between(0, 3 * p_.unit_us / step_us);
                break;
            case 3:
                now_us_ -= step_us * random_.between(0, 3 * p_.unit_us / step_us);
                break;
            case 4:
                now_us_ += random_.once_in(20) ? 1000000000 : 0;
                break;
            case 5:
                now_us_ -= random_.once_in(20) ? 1000000000 : 0;
                break;
            default:
                now_us_ += random_.once_in(8) ? step_us : 0;
        }
        now_us_ = std::max(now_us_, start_of(p_, 500));
    }

    void raise_floor() {
        std::int64_t to = ms_down(now_us_) + random_.between(-50, 50);
        floor_ms_ = std::max(floor_ms_, to);
    }

    // Shared memory is lost; what was granted is known.
    void restart() {
        floor_ms_ = std::max(floor_ms_, granted_ms_);
        start();
    }

    // The slot goes to another shard and comes back, once the floor lies above its last tick.
    void recycle(std::uint32_t shard) {
        if (slots_[shard].tick >= 0) floor_ms_ = std::max(floor_ms_, ms_down(start_of(p_, slots_[shard].tick)) + 1);
        slots_[shard] = new_slot(p_, floor_ms_);
    }

    void draw(std::uint32_t session_number, std::uint32_t shard) {
        Session &session = sessions_[session_number];
        bool is_own = !random_.once_in(4);  // else a shard that the caller named
        Position above = is_own ? lowest_above(p_, session.last, shard) : before_all;
        std::uint32_t count = random_.once_in(4) ? random_.below(9) + 1 : 1;
        for (int tries = 0; tries < 4; tries++) {
            bool may_borrow = may_borrow_ && session_number % 2 == 0;  // the others wait
            Limits limits{now_us_, floor_ms_, granted_ms_, max_lead_ms_, may_borrow};
            Slot before = slots_[shard];
            Take taken = take_at(slots_[shard], p_, limits, shard, above, count);
            if (taken.status == Status::ok) {
                check(taken, limits, before, shard, above, count);
                if (is_own) remember(session, taken, shard);
                return;
            }
            ASSERT_TRUE(same(slots_[shard], before)) << "a refused take changed the slot";
            if (!yield_to(taken, limits, shard, above)) return;
        }
    }

    // Does what the refusal asks for, and checks that it asked for no more and no less.
    bool yield_to(const Take &taken, Limits limits, std::uint32_t shard, const Position &above) {
        if (taken.status == Status::renew) {
            granted_ms_ = std::max({ms_down(now_us_), floor_ms_, ms_down(start_of(p_, taken.tick))}) + 20;
            return true;
        }
        EXPECT_TRUE(taken.status == Status::full || taken.status == Status::borrowed || taken.status == Status::ahead);
        EXPECT_GT(taken.wait_us, 0);
        limits.granted_ms = far_ms;
        Slot slot = slots_[shard];
        limits.now_us = now_us_ + taken.wait_us - 1;
        EXPECT_NE(take_at(slot, p_, limits, shard, above).status, Status::ok) << "it waits too long";
        slot = slots_[shard];
        limits.now_us = now_us_ + taken.wait_us;
        EXPECT_EQ(take_at(slot, p_, limits, shard, above).status, Status::ok) << "it waits too little";
        EXPECT_EQ(slot.tick, taken.tick);
        if (taken.wait_us > 5000000 && !random_.once_in(200)) return false;
        if (random_.once_in(2)) return false;
        now_us_ += taken.wait_us;
        return true;
    }

    void check(const Take &taken, const Limits &limits, const Slot &before, std::uint32_t shard, const Position &above,
               std::uint32_t count) {
        std::int64_t start = start_of(p_, taken.tick);
        ASSERT_EQ(taken.start_ms, ms_down(start));
        ASSERT_GE(start, us_of(limits.floor_ms));
        ASSERT_LT(start, us_of(limits.granted_ms));
        ASSERT_LE(start - limits.now_us, limits.max_lead_ms * 1000);
        ASSERT_LT(taken.tick, p_.tick_end);
        ASSERT_GE(taken.count, 1u);
        ASSERT_LE(taken.count, count);
        ASSERT_GE(taken.sequence, p_.sequence_first);
        ASSERT_LE(taken.sequence + taken.count - 1, p_.sequence_last);
        bool is_begun =
            taken.tick > before.tick && taken.tick > tick_from(p_, us_of(limits.floor_ms)) && taken.tick > above.tick;
        if (is_begun && !limits.may_borrow) {
            bool is_after_borrowed = before.tick == before.borrowed_tick;
            std::int64_t lead = is_after_borrowed ? before.borrowed_lead_us : 0;
            ASSERT_LE(start - limits.now_us, lead) << "a tick was begun further ahead of the clock";
        }
        ASSERT_EQ(slots_[shard].ids, before.ids + taken.count);
        for (std::uint32_t i = 0; i < taken.count; i++) {
            std::int64_t id = pack(p_, taken.tick, shard, taken.sequence + i);
            ASSERT_GT(id, 0);
            ASSERT_TRUE(seen_.insert(id).second) << "twice: " << id;
            ASSERT_GT(id, last_ids_[shard]);
            last_ids_[shard] = id;
        }
    }

    void remember(Session &session, const Take &taken, std::uint32_t shard) {
        ASSERT_GT(pack(p_, taken.tick, shard, taken.sequence), session.last_id);
        session.last = {taken.tick, shard, taken.sequence + taken.count - 1};
        session.last_id = pack(p_, session.last.tick, shard, session.last.sequence);
    }

    Packing p_;
    Random random_;
    std::int64_t now_us_, floor_ms_, granted_ms_, max_lead_ms_;
    std::vector<Slot> slots_;
    std::vector<std::int64_t> last_ids_;  // of each slot
    std::vector<Session> sessions_;
    bool may_borrow_;
    std::unordered_set<std::int64_t> seen_;
};

// What lies ahead of the clock counts as borrowed if its tick was begun ahead by borrowing, else as held.
TEST(Slot, CountsHoldsAndBorrows) {
    Packing p = packing_of(ms);
    Slot slot = new_slot(p, 0);
    Limits right{us_of(5000), 0, far_ms, lead_ms, true};
    take_at(slot, p, right);
    EXPECT_FALSE(is_borrowed(slot, 5000));

    Limits behind{us_of(4990), 0, far_ms, lead_ms, true};
    Take held = take_at(slot, p, behind, 5, before_all, 4);
    EXPECT_EQ(held.tick, 5000);
    EXPECT_EQ(held.count, 3u);
    EXPECT_FALSE(is_borrowed(slot, held.tick));
    count_lead(slot, held.tick, held.count);

    Take borrowed = take_at(slot, p, behind, 5, before_all, 2);
    EXPECT_EQ(borrowed.tick, 5001);
    count_lead(slot, borrowed.tick, borrowed.count);
    borrowed = take_at(slot, p, behind);
    EXPECT_EQ(borrowed.tick, 5001) << "the rest of a borrowed tick";
    EXPECT_TRUE(is_borrowed(slot, borrowed.tick));
    count_lead(slot, borrowed.tick, borrowed.count);

    EXPECT_EQ(slot.holds, 3u);
    EXPECT_EQ(slot.borrows, 3u);
    EXPECT_EQ(slot.borrowed_lead_us, 11000u) << "as its tick began";
    EXPECT_EQ(slot.ids, 7u);
}

// A session of a pool that borrowed in another shard takes that tick along.
TEST(Slot, CountsAsBorrowedWhatThePoolBorrowed) {
    Packing p = packing_of(ms);
    for (bool may_borrow : {true, false}) {
        Slot slot{4999, 0, 0, 0, 0, 0, -1};
        Take taken = take_at(slot, p, {us_of(5000), 0, far_ms, lead_ms, may_borrow}, 5, {5003, 0});
        EXPECT_EQ(taken.tick, 5003);
        EXPECT_EQ(is_borrowed(slot, taken.tick), may_borrow);
    }
}

// A floor ahead of the clock is held, whatever may be borrowed.
TEST(Slot, CountsAFloorAsHeld) {
    Packing p = packing_of(ms);
    Slot slot = new_slot(p, 5050);
    Take taken = take_at(slot, p, {us_of(5000), 5050, far_ms, lead_ms, true});
    EXPECT_EQ(taken.tick, 5050);
    EXPECT_FALSE(is_borrowed(slot, taken.tick));
}

// A slot whose last tick is full, and was borrowed that far ahead of the clock.
Slot borrowed_slot(std::int64_t tick, std::uint32_t own_lead_ms) {
    return {tick, 3, 1000 * own_lead_ms, 0, 0, 0, tick};
}

// A session that waits keeps the lead that others borrowed, and adds nothing to it.
TEST(Slot, AWaiterGoesOnAfterABorrowedTick) {
    const struct {
        const char *what;
        Slot slot;
        std::int64_t now_ms;
        Status status;
        std::int64_t wait_ms;
    } cases[] = {
        {"as far ahead as that one began", borrowed_slot(5100, 100), 5001, Status::ok, 0},
        {"no further", borrowed_slot(5100, 100), 5000, Status::borrowed, 1},
        {"less far", borrowed_slot(5100, 100), 5090, Status::ok, 0},
        {"a short lead", borrowed_slot(5003, 3), 5001, Status::ok, 0},
        {"a short lead, no further", borrowed_slot(5003, 3), 5000, Status::borrowed, 1},
        {"the lead was lowered since", borrowed_slot(5200, 200), 5001, Status::borrowed, 100},
        {"the clock was set back since", borrowed_slot(5100, 100), 4000, Status::full, 1001},
        {"a tick that is held", {5100, 3, 100000, 0, 0, 0, 5099}, 5001, Status::full, 100},
        {"a floor that is held", {5100, no_sequence, 0, 0, 0, 0, -1}, 5001, Status::full, 100},
    };
    Packing p = packing_of(ms);
    for (const auto &c : cases) {
        Slot slot = c.slot;
        Take taken = take_at(slot, p, at(c.now_ms));
        EXPECT_EQ(taken.status, c.status) << c.what;
        std::int64_t lead_us = start_of(p, taken.tick) - us_of(c.now_ms);
        EXPECT_EQ(taken.wait_us, c.status == Status::ok ? lead_us : c.wait_ms * 1000) << c.what;
        EXPECT_EQ(taken.tick, c.slot.tick + 1) << c.what;
        if (c.status != Status::ok) {
            EXPECT_TRUE(same(slot, c.slot)) << c.what;
            continue;
        }
        EXPECT_TRUE(is_borrowed(slot, taken.tick)) << c.what;
        EXPECT_EQ(slot.borrowed_lead_us, 1000 * (c.slot.tick + 1 - c.now_ms)) << c.what << ": the lead that is left";
    }
}

// The whole tick is to be had in each case, else the first of them has it.
TEST(Slot, AWaiterBesideBorrowersIsAsFast) {
    Packing p = packing_of(ms);
    Slot slot = unused_slot;
    std::int64_t waiters = 0;
    for (std::int64_t now_ms = 5000; now_ms < 6000; now_ms++) {
        bool is_first = now_ms % 5 == 0;
        if (is_first) waiters += take_at(slot, p, at(now_ms), 5, before_all, 4).count;
        for (int i = 0; i < 1000; i++) take_at(slot, p, {us_of(now_ms), 0, far_ms, lead_ms, true}, 5, before_all, 4);
        if (!is_first) waiters += take_at(slot, p, at(now_ms), 5, before_all, 4).count;
    }
    EXPECT_EQ(waiters, 800) << "a tick whenever it comes first";
    EXPECT_EQ(slot.tick, 5999 + lead_ms);
}

// Without those that borrow, the lead only melts.
TEST(Slot, WaitersAddNothingToALead) {
    Packing p = packing_of(ms);
    Slot slot = borrowed_slot(5100, 100);
    std::int64_t lead = 100;
    for (std::int64_t now_ms = 5000; now_ms < 6000; now_ms++) {
        if (now_ms % 7 == 0) continue;
        while (take_at(slot, p, at(now_ms)).status == Status::ok) {
        }
        std::int64_t next = std::max(slot.tick - now_ms, std::int64_t{0});
        EXPECT_LE(next, lead);
        lead = next;
    }
    EXPECT_EQ(lead, 0);
}

TEST(Slot, ABorrowerIsToldThatTheLeadIsUsedUp) {
    Packing p = packing_of(ms);
    Slot slot = borrowed_slot(5100, 100);
    Take taken = take_at(slot, p, {us_of(5000), 0, far_ms, lead_ms, true});
    EXPECT_EQ(taken.status, Status::borrowed);
    EXPECT_EQ(taken.wait_us, 1000);
}

// Beyond max_lead without a step of the clock: max_lead was lowered.
TEST(Slot, ABorrowedTickAheadIsNotTheClocksFault) {
    Packing p = packing_of(ms);
    Slot slot{5200, 1, 200000, 0, 0, 0, 5200};
    EXPECT_EQ(take_at(slot, p, at(5000)).status, Status::borrowed);
    EXPECT_EQ(take_at(slot, p, at(4998)).status, Status::ahead) << "the clock was set back";
    slot.borrowed_tick = 5199;
    EXPECT_EQ(take_at(slot, p, at(5000)).status, Status::ahead) << "held";
}

TEST(Slot, MovingKeepsWhatWasCounted) {
    Slot slot{5000, 2, 7, 40, 5, 6, 5000};
    move_slot(slot, new_slot(packing_of(ms), 6000));
    EXPECT_TRUE(same(slot, {5999, no_sequence, 0, 40, 5, 6, -1}));
}

TEST(Slot, NoIdTwiceWhateverTheClockDoes) {
    const std::string layouts[] = {
        "instagram",
        "sonyflake",
        "js53",
        "trace",
        "mastodon",
        ms,
        ms_below,
        ms_from_1,
        ms_single,
        "epoch=1970-01-01 unit=1ms time=41 shard=4 sequence=1",
        "epoch=1970-01-01 unit=1ms time=41 shard=4 sequence=1+1",
        "epoch=1970-01-01 unit=1ms time=41 sequence=1 shard=4",
        "epoch=1970-01-01 unit=1ms time=41 region=2 shard=2 sequence=3",
        "epoch=1970-01-01 unit=1ms time=41",
        "epoch=1970-01-01 unit=10ms time=39 shard=4",
        "epoch=1970-01-01 unit=10ms time=39 sequence=2+1 shard=4",
        "epoch=1970-01-01 unit=1s time=32 shard=4 sequence=3",
        "epoch=1970-01-01 unit=1s time=25w sequence=3+1 region=1 shard=4",
        "epoch=1970-01-01 unit=1us time=53 shard=10",
        "epoch=1970-01-01 unit=1us time=50 shard=4 sequence=1+1",
        "epoch=1970-01-01 unit=100us time=45 shard=4 sequence=2",
        "epoch=1970-01-01 unit=125us time=45w sequence=1 shard=4",
        "epoch=1970-01-01T00:00:00.001Z unit=1500us time=42 shard=4 sequence=2",
    };
    std::size_t ids = 0;
    for (const std::string &layout : layouts)
        for (std::uint64_t seed = 1; seed <= 12; seed++) {
            SCOPED_TRACE(layout + ", seed " + std::to_string(seed));
            Node node(layout, seed);
            for (int i = 0; i < 5000 && !testing::Test::HasFailure(); i++) node.step();
            ids += node.ids();
            EXPECT_GT(node.ids(), 300u);
        }
    EXPECT_GT(ids, 600000u);
}

TEST(FullRun, GrowsWithoutLongGaps) {
    FullRun run{};
    EXPECT_EQ(note_full(run, 1000, 1000000), 0u);
    EXPECT_EQ(note_full(run, 1001, 1000), 1u);
    EXPECT_EQ(note_full(run, 1101, 1000), 101u) << "the longest gap";
    EXPECT_EQ(note_full(run, 1101, 1000), 101u) << "another session, at once";
    EXPECT_EQ(note_full(run, 1202, 1000), 0u) << "a gap too long begins a new run";
    EXPECT_EQ(note_full(run, 1300, 1000), 98u);
}

TEST(FullRun, LongTicksHaveLongGaps) {
    FullRun run{};
    note_full(run, 1000, 1000000);
    EXPECT_EQ(note_full(run, 3000, 1000000), 2000u) << "two ticks";
    EXPECT_EQ(note_full(run, 5001, 1000000), 0u) << "more than two";
}

TEST(FullRun, OutlastsTheTurnOfItsClock) {
    constexpr std::int64_t turn = std::int64_t{1} << 32;
    FullRun run{};
    note_full(run, turn - 50, 1000);
    EXPECT_EQ(note_full(run, turn + 20, 1000), 70u);
}

}  // namespace
}  // namespace idgen
