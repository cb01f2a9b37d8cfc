#include "core/layout/column_audit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "support.hpp"

namespace idgen {
namespace {

using Column = std::vector<std::vector<std::int64_t>>;  // parts, as they are stored

constexpr std::int64_t near_ms = 1793534400000;  // 2026-11-01 12:00
constexpr std::int64_t lead_us = 1000000;

// An audit with memory for its shards.
class Audited {
   public:
    Audited(const Packing &p, const Column &column) : audit(p, us_of(near_ms), us_of(near_ms) + lead_us) {
        std::vector<std::int64_t> sorted;
        for (const auto &part : column) {
            audit.begin_part();
            for (std::int64_t id : part) {
                make_room();
                audit.add_stored(id);
                sorted.push_back(id);
            }
        }
        std::sort(sorted.begin(), sorted.end());
        for (std::int64_t id : sorted) {
            make_room();
            audit.add_sorted(id);
        }
    }

    ColumnAudit audit;

   private:
    void make_room() {
        if (!audit.needs_room()) return;
        std::size_t capacity = audit.shards().next_capacity();
        auto larger = std::make_unique<AuditedShard[]>(capacity);
        EXPECT_EQ(audit.shards().move_to(larger.get()), entries_.get());
        entries_ = std::move(larger);
    }

    std::unique_ptr<AuditedShard[]> entries_;
};

std::int64_t time_near(const Packing &p, const Parts &parts) {
    return start_nearest(p, parts.tick, us_of(near_ms));
}

bool fits(const Packing &p, std::int64_t id, Parts &parts) {
    return unpack(p, id, parts) && check_parts(p, parts.tick, parts.shard, parts.sequence) == PartReason::none;
}

// The steps back, by the last row of each shard of the part: their number and the furthest one, us.
std::pair<std::int64_t, std::int64_t> steps_back(const Packing &p, const Column &column) {
    std::int64_t steps = 0, furthest = -1;
    Parts parts;
    for (const auto &part : column) {
        std::map<std::uint32_t, std::pair<std::int64_t, std::int64_t>> last;
        for (std::int64_t id : part) {
            if (!fits(p, id, parts)) continue;
            std::pair now{time_near(p, parts), id};
            auto found = last.find(parts.shard);
            if (found != last.end() && now < found->second) {
                steps++;
                furthest = std::max(furthest, found->second.first - now.first);
            }
            last[parts.shard] = now;
        }
    }
    return {steps, furthest};
}

// What is counted of numbers, from a map of each to its copies.
void expect_numbers(const Packing &p, const Column &column, const ColumnAudit &audit) {
    std::map<std::int64_t, std::int64_t> numbers;
    for (const auto &part : column)
        for (std::int64_t id : part) numbers[id]++;
    std::vector<std::int64_t> repeated, strangers, early, future, fitting;
    std::map<std::uint32_t, std::int64_t> shards;
    std::map<std::pair<std::int64_t, std::uint32_t>, std::int64_t> ticks;
    std::set<std::int64_t> times;
    std::int64_t copies = 0;
    for (auto [id, count] : numbers) {
        Parts parts;
        copies += count - 1;
        if (count > 1) repeated.push_back(id);
        if (!fits(p, id, parts)) {
            strangers.push_back(id);
            continue;
        }
        std::int64_t at = time_near(p, parts);
        fitting.push_back(id);
        if (!p.wraps && at < p.epoch_us + 60000000) early.push_back(id);
        if (at > us_of(near_ms) + lead_us) future.push_back(id);
        shards[parts.shard]++;
        ticks[{at, parts.shard}]++;
        times.insert(at);
    }
    auto expect = [](const AuditCount &count, const std::vector<std::int64_t> &ids) {
        EXPECT_EQ(count.count, static_cast<std::int64_t>(ids.size()));
        if (!ids.empty()) EXPECT_EQ(count.first_id, ids[0]);
    };
    expect(audit.repeated, repeated);
    expect(audit.strangers, strangers);
    expect(audit.early, early);
    expect(audit.future, future);
    expect(audit.fitting, fitting);
    EXPECT_EQ(audit.copies, copies);
    if (!numbers.empty()) EXPECT_EQ(audit.last_id(), numbers.rbegin()->first);
    EXPECT_EQ(audit.shards().count(), shards.size());

    std::vector<std::pair<std::int64_t, std::uint32_t>> largest;
    for (auto [shard, ids] : shards) largest.emplace_back(-ids, shard);
    std::sort(largest.begin(), largest.end());
    AuditedShard found[5];
    int count = audit.shards().largest(found, 5);
    ASSERT_EQ(count, static_cast<int>(std::min<std::size_t>(5, largest.size())));
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); i++)
        EXPECT_EQ(std::pair(-found[i].ids, found[i].shard), largest[i]);

    if (times.empty()) return;
    auto time_of_id = [&](std::int64_t id) {
        Parts parts;
        EXPECT_TRUE(fits(p, id, parts));
        return time_near(p, parts);
    };
    EXPECT_EQ(time_of_id(audit.earliest_id), *times.begin());
    EXPECT_EQ(time_of_id(audit.latest_id), *times.rbegin());
    auto busiest = std::max_element(ticks.begin(), ticks.end(), [](const auto &a, const auto &b) {
        return std::tuple(a.second, b.first) < std::tuple(b.second, a.first);
    });
    Parts parts;
    ASSERT_TRUE(fits(p, audit.busiest_id, parts));
    EXPECT_EQ(std::pair(time_near(p, parts), parts.shard), busiest->first);
    EXPECT_EQ(audit.busiest_ids, busiest->second);
}

void expect_facts(const Packing &p, const Column &column) {
    Audited audited(p, column);
    const ColumnAudit &audit = audited.audit;
    auto [steps, furthest] = steps_back(p, column);
    EXPECT_EQ(audit.steps_back, steps);
    if (steps > 0) {
        Parts from, to;
        ASSERT_TRUE(fits(p, audit.furthest_from, from) && fits(p, audit.furthest_to, to));
        EXPECT_EQ(time_near(p, from) - time_near(p, to), furthest);
    }
    expect_numbers(p, column, audit);
}

// Numbers of a few ticks, shards and sequences, and such as no layout makes.
std::int64_t random_number(std::mt19937_64 &random, const Packing &p, std::int64_t tick, std::uint32_t shards) {
    switch (random() % 40) {
        case 0:
            return static_cast<std::int64_t>(random());
        case 1:
            return static_cast<std::int64_t>(random() % 3) - 1;
        case 2:
            return INT64_MAX - static_cast<std::int64_t>(random() % 3);
        default:
            break;
    }
    std::int64_t turn = static_cast<std::int64_t>(p.time_mask) + 1;
    std::int64_t at = std::clamp<std::int64_t>(tick + static_cast<std::int64_t>(random() % 7) - 3, 0, p.tick_end - 1);
    auto shard = static_cast<std::uint32_t>(random() % shards) & p.shard_last;
    return pack(p, at % turn, shard, static_cast<std::uint32_t>(random() % 4) & p.sequence_last);
}

TEST(ColumnAudit, FindsWhatAMapOfAllNumbersShows) {
    std::mt19937_64 random(5);
    std::vector<Layout> layouts;
    for (int i = 0; i < preset_count; i++) layouts.push_back(preset(i).layout);
    for (const char *text : {"epoch=2020-01-01 unit=1s time=6w shard=3 sequence=2", "epoch=2026-10-31 unit=1s time=20",
                             "epoch=2020-01-01 unit=1s time=9w sequence=2+1 shard=31",
                             "epoch=2020-01-01 unit=1ms time=41w shard=10 sequence=12"})
        layouts.push_back(layout_of(text));
    for (const Layout &layout : layouts) {
        SCOPED_TRACE(long_text(layout));
        Packing p = packing_of(layout);
        std::int64_t now = tick_of(p, us_of(near_ms));
        for (int run = 0; run < 60; run++) {
            Column column(1 + random() % 3);
            std::int64_t tick = run % 3 == 0 ? 0 : now;
            std::uint32_t shards = run % 4 == 0 ? 500 : 3;
            for (auto &part : column)
                for (std::size_t rows = random() % 200; rows > 0; rows--)
                    part.push_back(random_number(random, p, tick, shards));
            expect_facts(p, column);
        }
    }
}

TEST(ColumnAudit, AnEmptyColumnShowsNothing) {
    expect_facts(packing_of(preset(0).layout), {{}});
}

// In a table, each part has an order of its own.
TEST(ColumnAudit, NoStepLeadsFromOnePartToTheNext) {
    Packing p = packing_of(preset(0).layout);
    std::int64_t tick = tick_of(p, us_of(near_ms));
    std::int64_t a = pack(p, tick, 5, 0), b = pack(p, tick + 1, 5, 0);
    EXPECT_EQ(Audited(p, {{a, b}, {a, b}}).audit.steps_back, 0);
    EXPECT_EQ(Audited(p, {{a, b, a, b}}).audit.steps_back, 1);
}

TEST(ColumnAudit, ShardsThatCollideAreToldApart) {
    Packing p = packing_of(layout_of("epoch=2020-01-01 unit=1s time=32 shard=31"));
    Column column(1);
    for (std::uint32_t i = 0; i < 3000; i++) column[0].push_back(pack(p, 100, (i * 0x100000U) & p.shard_last, 0));
    expect_facts(p, column);
}

}  // namespace
}  // namespace idgen
