#include "core/reading/settled_pairs.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/horizon/renewal.hpp"
#include "core/slot/directory.hpp"

namespace idgen {
namespace {

using Pairs = PairList<4>;

std::string text_of(const Pairs &list) {
    std::string text;
    for (std::uint32_t i = 0; i < list.count; i++)
        text += std::to_string(list.pairs[i].next_xid) + ":" + std::to_string(list.pairs[i].until) + " ";
    return text;
}

TEST(PairList, KeepsWhatSettlesMoreForMoreSnapshots) {
    struct {
        const char *what;
        std::vector<SettledPair> added;
        const char *kept;
    } cases[] = {
        {"none", {}, ""},
        {"both rise", {{10, 100}, {12, 110}}, "10:100 12:110 "},
        {"later transactions, no more settled", {{10, 100}, {12, 100}}, "10:100 "},
        {"the same twice", {{10, 100}, {10, 100}}, "10:100 "},
        {"more settled, no transaction since", {{10, 100}, {10, 110}}, "10:110 "},
        {"one that was looked for earlier and comes later", {{12, 110}, {10, 100}}, "12:110 "},
        {"more settled for more snapshots than several",
         {{10, 100}, {12, 110}, {14, 120}, {11, 130}},
         "10:100 11:130 "},
        {"than all", {{10, 100}, {12, 110}, {9, 130}}, "9:130 "},
    };
    for (const auto &c : cases) {
        Pairs list{};
        for (const SettledPair &pair : c.added) list.add(pair);
        EXPECT_EQ(text_of(list), c.kept) << c.what;
    }
}

TEST(PairList, FindsTheLatestBeforeASnapshot) {
    Pairs list{};
    EXPECT_EQ(list.find(UINT64_MAX), none_settled);
    EXPECT_EQ(list.newest(), none_settled);
    list.add({10, 100});
    list.add({20, 200});
    constexpr struct {
        std::uint64_t xmax;
        std::int64_t until;
    } cases[] = {{9, none_settled}, {10, none_settled}, {11, 100}, {20, 100}, {21, 200}, {UINT64_MAX, 200}};
    for (const auto &c : cases) EXPECT_EQ(list.find(c.xmax), c.until) << c.xmax;
    EXPECT_EQ(list.newest(), 200);
}

TEST(PairList, WhereThereIsNoRoomTheClosestOfTheirAgeGo) {
    Pairs list{};
    for (std::int64_t ms : {0, 600, 900, 990}) list.add({static_cast<std::uint64_t>(ms), ms});
    list.add({1000, 1000});
    EXPECT_EQ(text_of(list), "0:0 900:900 990:990 1000:1000 ") << "900 over 390, not 390 over 90";
}

// Up to where is settled for a snapshot of that age, as far as the list knows. One was looked for each ms, as many
// transactions begin.
std::int64_t found_age(const PairList<64> &list, std::int64_t now_ms, std::int64_t age_ms) {
    return now_ms - list.find(static_cast<std::uint64_t>(now_ms - age_ms));
}

TEST(PairList, LeavesForEachAgeOneThatIsOlderByAPartOfIt) {
    PairList<64> list{};
    constexpr std::int64_t first_ms = 1000000, ten_minutes_ms = 600000, per_ms = 10;
    std::int64_t now_ms = first_ms;
    for (; now_ms < first_ms + ten_minutes_ms; now_ms++)
        for (std::int64_t i = 0; i < per_ms; i++) list.add({static_cast<std::uint64_t>(now_ms), now_ms});
    EXPECT_EQ(list.count, 64u);
    EXPECT_EQ(list.pairs[0].until, first_ms) << "the first is kept";
    for (std::int64_t age_ms = 0; age_ms < ten_minutes_ms - 1; age_ms += 1 + age_ms / 50)
        EXPECT_LE(found_age(list, now_ms, age_ms), age_ms + age_ms / 2 + 4) << age_ms;
}

TEST(PairList, IsAsFineOverADayWithOneASecond) {
    PairList<64> list{};
    constexpr std::int64_t day_ms = 86400000, second_ms = 1000;
    std::int64_t now_ms = 0;
    for (; now_ms <= day_ms; now_ms += second_ms) list.add({static_cast<std::uint64_t>(now_ms), now_ms});
    EXPECT_EQ(list.pairs[0].until, 0);
    for (std::int64_t age_ms = 0; age_ms < day_ms; age_ms += second_ms + age_ms / 50)
        EXPECT_LE(found_age(list, now_ms, age_ms), age_ms + age_ms / 2 + 3 * second_ms) << age_ms;
}

struct TestLock {
    void lock() noexcept {}
    void unlock() noexcept {}
};

TEST(SettledPairs, WhatWasLookedForBeforeADropIsNotAdded) {
    SettledPairs<TestLock> pairs{};
    std::uint32_t before = pairs.drops();
    pairs.add({10, 100}, before);
    EXPECT_EQ(pairs.find(11), 100);
    pairs.drop();
    EXPECT_EQ(pairs.find(11), none_settled);
    pairs.add({10, 100}, before);
    EXPECT_EQ(pairs.find(11), none_settled) << "a late one";
    pairs.add({12, 90}, pairs.drops());
    EXPECT_EQ(pairs.find(13), 90) << "less than before the drop";
}

TEST(Snapshots, AnXidIsOfTheEpochThatItWasGivenOutIn) {
    constexpr std::uint64_t epoch = std::uint64_t{1} << 32;
    constexpr struct {
        std::uint64_t next;
        std::uint32_t xid;
        std::uint64_t whole;
    } cases[] = {
        {1000, 1000, 1000},
        {1000, 3, 3},
        {epoch + 3, 3, epoch + 3},
        {epoch + 3, 0xFFFFFFFF, epoch - 1},
        {epoch + 100, 99, epoch + 99},
        {epoch + 100, 101, 101},
        {7 * epoch + 3, 0x80000000, 6 * epoch + 0x80000000},
    };
    for (const auto &c : cases) EXPECT_EQ(whole_xid(c.next, c.xid), c.whole) << c.next << " " << c.xid;
}

// A snapshot of a test.
struct Taken {
    std::uint32_t xmax;
    std::vector<std::uint32_t> xids;
    bool is_of_recovery = false;
    std::uint32_t xmin = 3;

    SnapshotView view() const {
        return {xmin, xmax, is_of_recovery, xids.data(), static_cast<std::uint32_t>(xids.size())};
    }
};

TEST(Snapshots, AreUnchangedIfNobodyEnded) {
    struct {
        const char *what;
        Taken earlier, later;
        bool is_unchanged;
    } cases[] = {
        {"nobody runs", {20, {}}, {20, {}}, true},
        {"the same run", {20, {11, 12, 13}}, {20, {11, 12, 13}}, true},
        {"in another order", {20, {11, 12, 13}}, {20, {13, 11, 12}}, true},
        {"one more runs", {20, {11}}, {20, {12, 11}}, true},
        {"the first time, none was listed", {20, {}}, {20, {11}}, true},
        {"one has ended", {20, {11, 12}}, {20, {11}}, false},
        {"the last has ended", {20, {11}}, {20, {}}, false},
        {"one has ended, another is listed twice", {20, {11, 12}}, {20, {11, 11}}, false},
        {"one is listed twice", {20, {11, 12}}, {20, {11, 12, 11}}, true},
        {"and once again", {20, {11, 11, 12}}, {20, {11, 12}}, true},
        {"a later one has ended", {20, {11}}, {21, {11}}, false},
        {"the numbers begin again", {3, {0xFFFFFFFE}}, {3, {0xFFFFFFFE}}, true},
        {"one of recovery", {20, {11}, true}, {20, {11}, true}, true},
        {"one of recovery and one after a promotion", {20, {11}, true}, {20, {11}}, false},
        {"another oldest", {20, {11}}, {20, {11}, false, 5}, true},
    };
    for (const auto &c : cases) EXPECT_EQ(is_unchanged(c.earlier.view(), c.later.view()), c.is_unchanged) << c.what;
}

TEST(Snapshots, AreTheSameEntryByEntry) {
    Taken one{20, {11, 12}};
    EXPECT_TRUE(is_same(one.view(), Taken{20, {11, 12}}.view()));
    EXPECT_FALSE(is_same(one.view(), Taken{21, {11, 12}}.view()));
    EXPECT_FALSE(is_same(one.view(), Taken{20, {11, 12}, true}.view()));
    EXPECT_FALSE(is_same(one.view(), Taken{20, {11, 12}, false, 4}.view()));
    EXPECT_FALSE(is_same(one.view(), Taken{20, {11}}.view()));
    EXPECT_FALSE(is_same(one.view(), Taken{20, {11, 11}}.view()));
    EXPECT_TRUE(is_same(Taken{20, {}}.view(), Taken{20, {}}.view())) << "without a list";
}

TEST(KeptAnswers, EachSnapshotHasItsOwn) {
    // All in one place of the map, and some beside it.
    std::vector<Taken> queries = {{20, {11, 12}}, {20, {11, 11}},       {84, {11, 12}},
                                  {21, {11}},     {20, {11, 12}, true}, {22, {}}};
    std::vector<KeptAnswer> memory;
    memory.reserve(queries.size());
    KeptAnswers answers;
    for (const Taken &query : queries) {
        EXPECT_EQ(answers.find(query.view()), nullptr);
        memory.push_back({query.view(), 100 + static_cast<std::int64_t>(memory.size()), nullptr});
        answers.add(memory.back());
    }
    for (std::size_t i = 0; i < queries.size(); i++) {
        const KeptAnswer *kept = answers.find(Taken(queries[i]).view());
        ASSERT_NE(kept, nullptr) << i;
        EXPECT_EQ(kept->until, 100 + static_cast<std::int64_t>(i));
    }
    answers.clear();
    for (const Taken &query : queries) EXPECT_EQ(answers.find(query.view()), nullptr);
}

TEST(KeptAnswers, ThoseThatNobodyCanAskForAreForgotten) {
    std::vector<Taken> queries;
    std::vector<KeptAnswer> kept;
    for (std::uint32_t i = 0; i < 3000; i++) queries.push_back({100 + i, {90 + i}, false, 90 + i});
    for (const Taken &query : queries) kept.push_back({query.view(), 1, nullptr});
    KeptAnswers answers;
    for (KeptAnswer &each : kept) answers.add(each);
    std::uint32_t released = 0;
    EXPECT_EQ(answers.forget_before(queries[2000].view().xmin, [&](KeptAnswer &) { released++; }), 1000u);
    EXPECT_EQ(released, 2000u);
    for (std::uint32_t i = 0; i < 3000; i++) EXPECT_EQ(answers.find(queries[i].view()) != nullptr, i >= 2000) << i;
}

// A server that remembers what it was asked for, in which order.
struct AskedServer {
    std::int64_t until_ms = 1000;
    std::uint64_t xid = 50;
    Taken now{};
    PagePairs page{};
    std::string asked{};
    SettledPairs<TestLock> *dropped = nullptr;  // meanwhile

    LiftedTo lift() {
        asked += "lift ";
        return {until_ms, 3000};
    }
    Settled gather(std::int64_t settled_ms) {
        asked += "gather ";
        if (dropped != nullptr) dropped->drop();
        return {settled_ms, HeldBy::none, 0};
    }
    std::uint64_t next_xid() {
        asked += "next_xid ";
        return xid;
    }
    SnapshotView take_snapshot() {
        asked += "snapshot ";
        return now.view();
    }
    PagePairs read_pairs() {
        asked += "page ";
        return page;
    }
};

TEST(Answers, OfAPrimaryAreLookedForInThatOrder) {
    SettledPairs<TestLock> pairs{};
    AskedServer server;
    server.now = {40, {30}};
    Taken query{40, {30}};
    EXPECT_EQ(answer_on_primary(pairs, server, query.view()).until, until_end(1000)) << "nobody ended meanwhile";
    EXPECT_EQ(server.asked, "lift gather next_xid snapshot ");
    EXPECT_EQ(pairs.find(51), until_end(1000)) << "and for others later";
}

TEST(Answers, OfAPrimaryAreByPairsIfSomebodyEnds) {
    SettledPairs<TestLock> pairs{};
    pairs.add({35, 900}, 0);
    AskedServer server;
    server.now = {41, {30}};
    EXPECT_EQ(answer_on_primary(pairs, server, Taken{40, {30}}.view()).until, 900);
    EXPECT_EQ(answer_on_primary(pairs, server, Taken{35, {30}}.view()).until, none_settled) << "older than all pairs";
}

TEST(Answers, OfAPrimaryThatKnowsNothingAreNone) {
    SettledPairs<TestLock> pairs{};
    AskedServer server;
    server.until_ms = none_settled;
    server.now = {40, {}};
    EXPECT_EQ(answer_on_primary(pairs, server, Taken{40, {}}.view()).until, none_settled);
    EXPECT_EQ(pairs.find(51), none_settled);
    pairs.add({35, 900}, 0);
    EXPECT_EQ(answer_on_primary(pairs, server, Taken{40, {}}.view()).until, 900) << "what was settled before stays so";
}

TEST(Answers, OfALookBeforeADropAreNotKept) {
    SettledPairs<TestLock> pairs{};
    AskedServer server;
    server.dropped = &pairs;
    server.now = {40, {}};
    answer_on_primary(pairs, server, Taken{40, {}}.view());
    EXPECT_EQ(pairs.find(51), none_settled);
}

TEST(Answers, OfAPrimaryReckonWithTheEpoch) {
    constexpr std::uint64_t epoch = std::uint64_t{1} << 32;
    SettledPairs<TestLock> pairs{};
    pairs.add({epoch - 10, 900}, 0);
    pairs.add({epoch + 10, 950}, 0);
    AskedServer server;
    server.xid = epoch + 20;
    server.now = {20, {}};
    EXPECT_EQ(answer_on_primary(pairs, server, Taken{5, {}}.view()).until, 900);
    EXPECT_EQ(answer_on_primary(pairs, server, Taken{11, {}}.view()).until, 950);
    EXPECT_EQ(answer_on_primary(pairs, server, Taken{0xFFFFFFF0, {}}.view()).until, none_settled)
        << "of the epoch before";
    EXPECT_EQ(answer_on_primary(pairs, server, Taken{0xFFFFFFFF, {}}.view()).until, 900);
}

TEST(Answers, OfAStandbyAreThoseOfThePage) {
    AskedServer server;
    server.page.add({30, 900});
    server.page.add({40, 950});
    server.now = {40, {30}, true};
    Taken query{40, {30}, true};
    EXPECT_EQ(answer_on_standby(server, query.view()).until, 950) << "nobody ended meanwhile";
    EXPECT_EQ(server.asked.rfind("page snapshot", 0), 0u) << server.asked;
    server.now = {41, {30}, true};
    EXPECT_EQ(answer_on_standby(server, query.view()).until, 900);
    EXPECT_EQ(answer_on_standby(server, Taken{30, {}, true}.view()).until, none_settled);
    EXPECT_EQ(answer_on_standby(server, Taken{41, {30}}.view()).until, 950) << "promoted meanwhile";
    server.page = {};
    EXPECT_EQ(answer_on_standby(server, Taken{41, {30}, true}.view()).until, none_settled) << "an empty page";
}

TEST(Until, IsNeverBeyondTheHorizonAndEndsTheTicksThatBeganBeforeIt) {
    EXPECT_EQ(until_of(none_settled, 9000), none_settled);
    EXPECT_EQ(until_of(5000, 9000), until_end(5000));
    EXPECT_EQ(until_of(9999, 9000), until_end(9000)) << "the longest tick is not over";
    EXPECT_EQ(until_of(10000, 9000), until_start(9000));
    EXPECT_LT(until_end(9000), until_start(9000));
    EXPECT_LT(until_start(9000), until_end(9001));
    for (std::int64_t ms : {0, 7, 9000}) {
        EXPECT_EQ(ms_of_until(until_end(ms)), ms);
        EXPECT_EQ(ms_of_until(until_start(ms)), ms);
    }
}

// What the page is to say after the last ID.
struct ToldTest : ::testing::Test {
    Horizon horizon{};
    RecordPage page{bare_record(5000, 77), {}};

    ToldTest() {
        horizon.record.is_loaded = true;
        horizon.record.known = page.record;
    }
    void tell(const SettledPair &pair) {
        if (tells_more(horizon, page, pair)) page.pairs.add(pair);
        note_told(horizon, page.pairs);
    }
};

TEST_F(ToldTest, IsToldOnceTheLongestTickIsOver) {
    EXPECT_FALSE(is_to_tell(horizon, INT64_MAX)) << "nothing is known";
    note_durable(horizon);
    EXPECT_TRUE(is_untold(horizon));
    EXPECT_FALSE(is_to_tell(horizon, 5999));
    EXPECT_TRUE(is_to_tell(horizon, 6000));
    tell({10, until_end(4900)});
    EXPECT_TRUE(is_to_tell(horizon, 6000)) << "somebody holds it back";
    tell({12, until_start(5000)});
    EXPECT_FALSE(is_to_tell(horizon, INT64_MAX)) << "once";
    EXPECT_EQ(page.pairs.count, 2u);
}

TEST_F(ToldTest, NothingIsToldThatThePageSaysOrOnAnotherPage) {
    page.pairs.add({10, 4900});
    EXPECT_FALSE(tells_more(horizon, page, {12, 4900}));
    EXPECT_FALSE(tells_more(horizon, page, {12, none_settled}));
    EXPECT_TRUE(tells_more(horizon, page, {12, 4901}));
    page.record.value++;
    EXPECT_FALSE(tells_more(horizon, page, {12, 4901})) << "somebody else wrote it";
    page.record.value--;
    horizon.record.is_loaded = false;
    EXPECT_FALSE(tells_more(horizon, page, {12, 4901})) << "it was created again";
}

TEST_F(ToldTest, OnlyWhatIsOnThePageAndNotPendingIsNotedAsDurable) {
    horizon.record.pending = 5000;
    note_durable(horizon);
    EXPECT_EQ(horizon.durable_ms, 0) << "its standbys are not asked yet";
    horizon.record.pending = 0;
    horizon.record.is_loaded = false;
    note_durable(horizon);
    EXPECT_EQ(horizon.durable_ms, 0) << "not read";
    horizon.record.is_loaded = true;
    note_durable(horizon);
    EXPECT_EQ(horizon.durable_ms, 5000);
    horizon.record.known.value = 4000;
    note_durable(horizon);
    EXPECT_EQ(horizon.durable_ms, 5000) << "never lowered";
}

TEST_F(ToldTest, ARenewalAddsWhatItFoundAndNoneOtherwise) {
    AcceptedClock accepted{};
    ServerView server{};
    HorizonRenewal renewal{horizon, accepted, server, 5000};
    renewal.renew_pairs(page.pairs);
    EXPECT_EQ(page.pairs.count, 0u) << "nothing is known";
    renewal.pair = {10, 4900};
    renewal.renew_pairs(page.pairs);
    EXPECT_EQ(page.pairs.newest(), 4900);
}

TEST_F(ToldTest, AResetForgetsWhatWasTold) {
    note_durable(horizon);
    tell({10, until_start(5000)});
    note_reset(horizon, bare_record(3000, 77));
    EXPECT_EQ(horizon.durable_ms, 3000);
    EXPECT_EQ(horizon.told_until, 0);
    forget(horizon);
    EXPECT_FALSE(is_untold(horizon));
}

}  // namespace
}  // namespace idgen
