// Draws from ticks shorter than a ms, or of no whole number of ms, between horizons that are whole ms.
#include "core/draw/draw_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/horizon/horizon.hpp"
#include "registry/node/rules/lease.hpp"
#include "shared_memory.hpp"
#include "support.hpp"

namespace idgen {
namespace {

using Status = Take::Status;

const std::string one = "epoch=1970-01-01 unit=1us time=53 shard=4 sequence=2";
const std::string hundred = "epoch=1970-01-01 unit=100us time=45 shard=4 sequence=2";
const std::string odd = "epoch=1970-01-01 unit=1500us time=42 shard=4 sequence=2";
const std::string whole = "epoch=1970-01-01 unit=1ms time=40 shard=4 sequence=2";

constexpr std::int64_t far_ms = INT64_MAX / 2;
constexpr std::int64_t lead_ms = 100;

// An instant by its ms since 1970 and the us above.
constexpr std::int64_t at(std::int64_t ms, std::int64_t us) {
    return us_of(ms) + us;
}

Take take_at(Slot &slot, const Packing &p, const Limits &limits) {
    return take(slot, p, limits, base_tick(p, limits), 5, before_all, 1);
}

TEST(ShortTicks, AreTakenAsLongOnesAre) {
    const Limits borrow{at(5000, 120), 0, far_ms, lead_ms, true};
    auto now = [](std::int64_t us) { return Limits{at(5000, us), 0, far_ms, lead_ms, false}; };
    auto floor = [](std::int64_t us, std::int64_t floor_ms) {
        return Limits{at(5000, us), floor_ms, far_ms, lead_ms, false};
    };
    auto granted = [](std::int64_t us, std::int64_t granted_ms) {
        return Limits{at(5000, us), 0, granted_ms, lead_ms, false};
    };
    const struct {
        const char *what;
        std::string layout;
        std::int64_t slot_tick;
        std::uint32_t slot_sequence;
        Limits limits;
        Status status;
        std::int64_t tick;
        std::uint32_t sequence;
        std::int64_t wait_us;
    } cases[] = {
        {"the first take", hundred, -1, no_sequence, now(399), Status::ok, 50003, 0, 0},
        {"the next tick", hundred, 50003, 1, now(400), Status::ok, 50004, 0, 0},
        {"1 us: the first take", one, -1, no_sequence, now(399), Status::ok, 5000399, 0, 0},
        {"1.5 ms: the first take", odd, -1, no_sequence, now(999), Status::ok, 3333, 0, 0},
        {"1.5 ms: the next tick", odd, 3333, 1, now(1000), Status::ok, 3334, 0, 0},
        {"full: waits the rest of the tick", hundred, 50003, 3, now(340), Status::full, 50004, 0, 60},
        {"full: at the tick's last us", hundred, 50003, 3, now(399), Status::full, 50004, 0, 1},
        {"1 us: full", one, 5000399, 3, now(399), Status::full, 5000400, 0, 1},
        {"1.5 ms: full", odd, 3333, 3, now(1), Status::full, 3334, 0, 999},
        {"back by max_lead holds", hundred, 51003, 1, now(300), Status::ok, 51003, 2, 0},
        {"back by 1 us more waits that", hundred, 51003, 1, now(299), Status::ahead, 51003, 0, 1},
        {"borrows the next tick", hundred, 50001, 3, borrow, Status::ok, 50002, 0, 0},
        {"borrows up to max_lead", hundred, 51000, 3, borrow, Status::ok, 51001, 0, 0},
        {"borrows no further", hundred, 51001, 3, borrow, Status::full, 51002, 0, 80},
        {"1 us: borrows no further", one, 5100120, 3, borrow, Status::full, 5100121, 0, 1},
        {"the floor is the clock's ms", hundred, -1, no_sequence, floor(399, 5000), Status::ok, 50003, 0, 0},
        {"the floor is the next ms", hundred, -1, no_sequence, floor(399, 5001), Status::ok, 50010, 0, 0},
        {"the floor is past max_lead", hundred, -1, no_sequence, floor(399, 5101), Status::ahead, 51010, 0, 601},
        {"1.5 ms: on a tick", odd, -1, no_sequence, floor(0, 5001), Status::ok, 3334, 0, 0},
        {"1.5 ms: rounded up", odd, -1, no_sequence, floor(0, 5002), Status::ok, 3335, 0, 0},
        {"1.5 ms: in the clock's tick, which starts below", odd, -1, no_sequence, floor(0, 5000), Status::ok, 3334, 0,
         0},
        {"the last tick below the grant", hundred, -1, no_sequence, granted(999, 5001), Status::ok, 50009, 0, 0},
        {"the first at it", hundred, -1, no_sequence, granted(1000, 5001), Status::renew, 50010, 0, 0},
        {"1 us: the last tick below it", one, -1, no_sequence, granted(999, 5001), Status::ok, 5000999, 0, 0},
        {"1 us: the first at it", one, -1, no_sequence, granted(1000, 5001), Status::renew, 5001000, 0, 0},
        {"1.5 ms: it lies in the tick", odd, -1, no_sequence, granted(2700, 5003), Status::ok, 3335, 0, 0},
        {"1.5 ms: it is the ms that the tick starts in", odd, -1, no_sequence, granted(2700, 5002), Status::renew, 3335,
         0, 0},
    };
    for (const auto &c : cases) {
        SCOPED_TRACE(c.what);
        Packing p = packing_of(c.layout);
        Slot slot{c.slot_tick, c.slot_sequence, 0, 0, 0, 0, -1};
        Take taken = take_at(slot, p, c.limits);
        EXPECT_EQ(taken.status, c.status);
        EXPECT_EQ(taken.tick, c.tick);
        if (c.status != Status::ok) {
            EXPECT_EQ(taken.wait_us, c.wait_us);
            continue;
        }
        EXPECT_EQ(taken.wait_us, std::max<std::int64_t>(0, start_of(p, c.tick) - c.limits.now_us)) << "its lead";
        EXPECT_EQ(taken.sequence, c.sequence);
        EXPECT_EQ(taken.start_ms, ms_down(start_of(p, c.tick)));
    }
}

// The cap of a number from a registry is a whole ms, too.
TEST(ShortTicks, OfANumberEndAtItsCap) {
    Lease lease{};
    lease.number = 5;
    lease.cap_ms = 5001;
    Packing p = packing_of(hundred);
    for (std::int64_t us : {0, 999, 1000, 1001}) {
        Slot slot = new_slot(p, 0);
        Limits limits{at(5000, us), 0, far_ms, lead_ms, false};
        Take taken = take(slot, p, limits, base_tick(p, limits), 5, before_all, 1, &lease);
        EXPECT_EQ(taken.status, us < 1000 ? Status::ok : Status::capped) << us;
    }
}

TEST(ShortTicks, AWaiterGoesOnAfterABorrowedOne) {
    const struct {
        const char *what;
        std::int64_t slot_tick;
        std::uint32_t lead_us;
        std::int64_t now_us;
        Status status;
        std::int64_t wait_us;
    } cases[] = {
        {"as far ahead as that one began", 50003, 300, 100, Status::ok, 0},
        {"no further", 50003, 300, 99, Status::borrowed, 1},
        {"a whole tick further", 50003, 300, 0, Status::borrowed, 100},
        {"the clock was set back since", 50003, 300, -101 - 100000, Status::full, 100201},
        {"the longest lead, and the next tick", 51001, 100000, 100, Status::borrowed, 100},
        {"the longest lead, and 1 us more", 51001, 100000, 99, Status::full, 101},
    };
    Packing p = packing_of(hundred);
    for (const auto &c : cases) {
        Slot slot{c.slot_tick, 3, c.lead_us, 0, 0, 0, c.slot_tick};
        Take taken = take_at(slot, p, {at(5000, c.now_us), 0, far_ms, lead_ms, false});
        EXPECT_EQ(taken.status, c.status) << c.what;
        bool is_ok = c.status == Status::ok;
        EXPECT_EQ(taken.wait_us, is_ok ? start_of(p, taken.tick) - at(5000, c.now_us) : c.wait_us) << c.what;
        if (is_ok) {
            EXPECT_EQ(slot.borrowed_lead_us, 300u) << c.what;
        }
    }
}

// A clock that goes where it likes, floors, and a tick that another draw has left: always the first that both allow.
TEST(ShortTicks, TheBaseIsTheSameWhateverTickWasRecent) {
    Random random(71);
    for (const std::string &text :
         {one, hundred, odd, whole, std::string("sonyflake"), std::string("js53"), std::string("trace"),
          std::string("epoch=2026-01-01T00:00:00.001Z unit=1500us time=8 shard=4 sequence=2"),
          std::string("epoch=2026-01-01 unit=100us time=12 shard=4 sequence=2"),
          std::string("epoch=0001-01-01 unit=125us time=20w shard=4")}) {
        SCOPED_TRACE(text);
        Packing p = packing_of(text);
        std::int64_t last = std::min<std::int64_t>(p.tick_end, 40000);
        Tick recent = make_tick(p, 0);
        std::int64_t now_us = p.epoch_us;
        for (int i = 0; i < 20000; i++) {
            now_us += random.between(-p.unit_us, p.unit_us + 1) / (random.once_in(2) ? 10 : 1);
            if (random.once_in(50)) now_us = start_of(p, random.between(-1, last)) + random.between(-2000, 2000);
            if (random.once_in(50)) recent = make_tick(p, random.between(-1, last));
            std::int64_t floor_ms = random.once_in(3) ? 0 : ms_down(now_us) + random.between(-3, 3);
            Limits limits{now_us, floor_ms, far_ms, lead_ms, false};
            std::int64_t number = tick_of(p, now_us);
            if (number >= 0) number = std::max(number, tick_from(p, us_of(floor_ms)));
            Tick base = recent, bare = base_tick(p, limits);
            find_base(p, limits, base);
            recent = base;
            ASSERT_EQ(base.number, number) << now_us << ' ' << floor_ms;
            ASSERT_EQ(base.start_us, start_of(p, number));
            ASSERT_EQ(base.start_ms, ms_down(base.start_us));
            ASSERT_EQ(bare.number, number);
        }
    }
}

// 5 of a tick of a second is not 5 of a tick of a us.
TEST(ShortTicks, ASourceForgetsTheRecentTickOfAnotherPacking) {
    DrawSource<NoLock> source{};
    Limits limits{at(5000, 399), 0, far_ms, lead_ms, false};
    for (int i = 0; i < 2; i++) {
        set_packing(source, packing_of("epoch=1970-01-01 unit=1s time=32 shard=4 sequence=2"));
        EXPECT_EQ(base_of(source, limits).number, 5);
        set_packing(source, packing_of(hundred));
        EXPECT_EQ(base_of(source, limits).number, 50003);
        set_packing(source, packing_of("epoch=1970-01-01T00:00:00.001Z unit=100us time=45 shard=4 sequence=2"));
        EXPECT_EQ(base_of(source, limits).number, 49993);
    }
}

SlotKey key_of_slot(const std::string &layout) {
    return {key_of(layout_of(layout)), 11, 5};
}

TEST(ShortTicks, ASlotEndsAtTheNextWholeMs) {
    const struct {
        std::string layout;
        std::int64_t tick, end_ms;
    } cases[] = {
        {hundred, -1, 0},
        {hundred, 0, 1},
        {hundred, 8, 1},
        {hundred, 9, 1},
        {hundred, 10, 2},
        {hundred, 50003, 5001},
        {one, 0, 1},
        {one, 998, 1},
        {one, 999, 1},
        {one, 1000, 2},
        {odd, 0, 2},
        {odd, 1, 3},
        {odd, 2, 5},
        {whole, 0, 1},
        {whole, 4999, 5000},
        {"epoch=2026-01-01 unit=100us time=45 shard=4", 3, 1767225600001},
        {"epoch=2026-01-01 unit=100us time=45 shard=4", 9, 1767225600001},
    };
    for (const auto &c : cases) {
        SCOPED_TRACE(c.layout + ' ' + std::to_string(c.tick));
        TestEntry entry{};
        entry.link.key = key_of_slot(c.layout);
        entry.slot.tick = c.tick;
        EXPECT_EQ(end_of(entry), c.end_ms);
        SlotEnd end{};
        ASSERT_FALSE(retire_if_over(entry, c.end_ms - 1, end));
        EXPECT_EQ(end.end_ms, c.end_ms);
        EXPECT_EQ(entry.generation, 0u);
        EXPECT_TRUE(entry.link.key == key_of_slot(c.layout));
        EXPECT_TRUE(retire_if_over(entry, c.end_ms, end));
        EXPECT_EQ(end.end_ms, c.end_ms);
        EXPECT_EQ(entry.generation, 1u);
        EXPECT_FALSE(entry.link.key == key_of_slot(c.layout));
    }
}

// A directory knows a slot's key and not its layout.
TEST(ShortTicks, AKeyPlacesTicksAsItsLayoutDoes) {
    Random random(72);
    for (const std::string &text : {one, hundred, odd, whole, std::string("instagram"), std::string("trace"),
                                    std::string("epoch=2026-01-01 unit=125us time=50w shard=4")}) {
        Packing p = packing_of(text), by_key = ticks_of(key_of(layout_of(text)));
        for (int i = 0; i < 1000; i++) {
            std::int64_t at_ms = ms_down(p.epoch_us) + random.between(-5000, 100000000);
            ASSERT_EQ(new_slot(by_key, at_ms).tick, new_slot(p, at_ms).tick) << text << ' ' << at_ms;
            ASSERT_GE(start_of(p, new_slot(p, at_ms).tick + 1), us_of(at_ms));
        }
    }
}

TEST(ShortTicks, WhatFollowsFromAWaitBelowAMs) {
    const struct {
        const char *what;
        Status status;
        std::int64_t tick, wait_us, waited_ms, max_wait_ms;
        Next next;
    } cases[] = {
        {"full, and no wait is allowed", Status::full, 50004, 1, 0, 0, Next::full},
        {"full, within it", Status::full, 50004, 1, 0, 1, Next::wait},
        {"full, all of it", Status::full, 50004, 1000, 0, 1, Next::wait},
        {"full, 1 us more", Status::full, 50004, 1001, 0, 1, Next::full},
        {"full, after some of it", Status::full, 50004, 1000, 4, 5, Next::wait},
        {"full, after some of it, 1 us more", Status::full, 50004, 1001, 4, 5, Next::too_far_ahead},
        {"full, after all of it", Status::full, 50004, 1, 5, 5, Next::too_far_ahead},
        {"full, not the next tick", Status::full, 50005, 1, 0, 0, Next::too_far_ahead},
        {"borrowed, within it", Status::borrowed, 50004, 1000, 0, 1, Next::wait},
        {"borrowed, 1 us more", Status::borrowed, 50004, 1001, 0, 1, Next::borrowed},
        {"ahead, within it", Status::ahead, 50004, 1000, 0, 1, Next::wait},
        {"ahead, 1 us more", Status::ahead, 50004, 1001, 0, 1, Next::too_far_ahead},
    };
    Packing p = packing_of(hundred);
    for (const auto &c : cases) {
        Limits limits{at(5000, 300), 0, far_ms, lead_ms, false};
        DrawRules rules{lead_ms, c.max_wait_ms, false, false};
        EXPECT_EQ(next_step({c.status, 0, 0, c.tick, c.wait_us}, p, limits, rules, c.waited_ms), c.next) << c.what;
    }
    DrawRules rules{100, 1000, false, false};
    EXPECT_TRUE(is_in_reach(1100000, rules));
    EXPECT_FALSE(is_in_reach(1100001, rules));
}

TEST(ShortTicks, ALeadIsCountedInMsBegun) {
    const struct {
        std::string layout;
        std::int64_t tick, now_us, lead_ms;  // us since 5000 ms
    } cases[] = {
        {hundred, 50003, 300, 0},   {hundred, 50003, 100, 0},   {hundred, 50003, 0, 0},   {hundred, 50003, -1, 1},
        {hundred, 50003, -1000, 1}, {hundred, 50003, -1001, 2}, {hundred, 50009, 999, 0}, {hundred, 50010, 999, 1},
        {one, 5001000, 999, 1},     {one, 5000999, 0, 0},       {odd, 3335, 2000, 0},     {odd, 3335, 1999, 1},
        {whole, 5001, 999, 1},      {whole, 5001, 1000, 0},     {whole, 5001, 0, 1},
    };
    for (const auto &c : cases)
        EXPECT_EQ(counted_lead_ms(make_tick(packing_of(c.layout), c.tick), at(5000, c.now_us)), c.lead_ms)
            << c.layout << ' ' << c.tick << ' ' << c.now_us;
}

TEST(ShortTicks, ARunOfFullOnesHasTheLongestGap) {
    for (std::int64_t unit_us : {1, 100, 1500}) {
        FullRun run{};
        EXPECT_EQ(note_full(run, 1000, unit_us), 0u);
        EXPECT_EQ(note_full(run, 1000, unit_us), 0u);
        EXPECT_EQ(note_full(run, 1100, unit_us), 100u) << "the longest gap";
        EXPECT_EQ(note_full(run, 1201, unit_us), 0u) << "a gap too long begins a new run";
    }
    FullRun run{};
    note_full(run, 1000, 999999);
    EXPECT_EQ(note_full(run, 2999, 999999), 1999u) << "two ticks, in whole ms";
    EXPECT_EQ(note_full(run, 4999, 999999), 0u);
}

// The first tick from a floor is at it, whatever its length; the first that starts a unit later is not.
TEST(ShortTicks, AreAtTheFloorThatPutThemThere) {
    Random random(73);
    for (const std::string &text : {one, hundred, odd, whole, std::string("epoch=1970-01-01 unit=999999us time=40")}) {
        Packing p = packing_of(text);
        AheadView view{};
        view.unit_ms = (p.unit_us + 999) / 1000;
        view.max_lead_ms = 100;
        view.farthest_ms = 1000000;
        view.is_indebted = true;
        for (int i = 0; i < 2000; i++) {
            view.floor_ms = random.between(1, 1000000000);
            view.now_ms = view.floor_ms - 1500;
            std::int64_t first = tick_from(p, us_of(view.floor_ms));
            view.start_ms = make_tick(p, first).start_ms;
            ASSERT_EQ(why_ahead(view), Ahead::debt) << text << ' ' << view.floor_ms;
            view.start_ms = view.floor_ms + view.unit_ms;
            ASSERT_EQ(why_ahead(view), Ahead::unknown) << text << ' ' << view.floor_ms;
        }
    }
}

}  // namespace
}  // namespace idgen
