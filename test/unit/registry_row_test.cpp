// The rows of a registry: of a number, and of a counter.
#include <gtest/gtest.h>

#include "registry/node/rules/counter_row.hpp"
#include "registry/node/rules/registry_row.hpp"
#include "vectors.hpp"

namespace idgen {
namespace {

constexpr std::int64_t now = 1795000000000, floor_ms = now - 100000, max_ahead = 660000;

std::int64_t number_in(const std::string &text) {
    return std::strtoll(text.c_str(), nullptr, 10);
}

// A horizon of the file, which counts from now.
std::int64_t horizon_in(const std::string &text) {
    return text == "floor" ? floor_ms : now + number_in(text);
}

RegistryRow row_in(const Row &c) {
    if (c.at("owner").empty()) return unheld_row(floor_ms);
    std::int64_t end_ms = c.at("left").empty() ? INT64_MAX : now + number_in(c.at("left"));
    return {number_in(c.at("owner")), number_in(c.at("life")), horizon_in(c.at("horizon")), horizon_in(c.at("claimed")),
            end_ms};
}

LeaseCall call_in(const Row &c) {
    const std::string &kind = c.at("kind");
    return {kind == "claim"    ? CallKind::claim
            : kind == "extend" ? CallKind::extend
                               : CallKind::stop,
            5,
            number_in(c.at("incarnation")),
            number_in(c.at("proposed")),
            number_in(c.at("call_life")),
            horizon_in(c.at("from")),
            horizon_in(c.at("to"))};
}

std::string name_of(CallOutcome outcome) {
    switch (outcome) {
        case CallOutcome::granted:
            return "granted";
        case CallOutcome::refused:
            return "refused";
        case CallOutcome::too_far:
            return "too far";
    }
    return "";
}

TEST(RegistryRow, TheCasesOfTheFile) {
    std::vector<Row> cases = read_csv("lease.csv");
    EXPECT_GE(cases.size(), 30u);
    for (const Row &c : cases) {
        SCOPED_TRACE(c.at("what"));
        RegistryRow row = row_in(c);
        std::int64_t end_ms = row.lease_end_ms;
        CallAnswer answer = execute(row, call_in(c), {now, 60000, max_ahead});
        EXPECT_EQ(name_of(answer.outcome), c.at("outcome"));
        EXPECT_EQ(answer.horizon_ms, horizon_in(c.at("new_horizon")));
        EXPECT_EQ(row.incarnation, number_in(c.at("new_owner")));
        EXPECT_EQ(row.life, number_in(c.at("new_life")));
        EXPECT_EQ(row.horizon_ms, horizon_in(c.at("new_horizon")));
        EXPECT_EQ(row.claimed_ms, horizon_in(c.at("new_claimed")));
        bool is_longer = answer.outcome == CallOutcome::granted && c.at("kind") != "stop";
        EXPECT_EQ(row.lease_end_ms, is_longer ? now + 60000 : end_ms);
    }
}

TEST(RegistryRow, TheLimitsOfTimeAreExact) {
    RegistryRow held{11, 12, now, now, now + 1};
    constexpr LeaseCall claim{CallKind::claim, 5, 0, 21, 31, 0, 0};
    EXPECT_EQ(execute(held, claim, {now, 0, max_ahead}).outcome, CallOutcome::refused);
    held.lease_end_ms = now;
    EXPECT_EQ(execute(held, claim, {now, 0, max_ahead}).outcome, CallOutcome::granted);
    EXPECT_EQ(held.lease_end_ms, INT64_MAX) << "for ever";
    LeaseCall extend{CallKind::extend, 5, 21, 0, 31, now, now + max_ahead + 1};
    EXPECT_EQ(execute(held, extend, {now, 0, max_ahead}).outcome, CallOutcome::too_far);
    extend.to_ms--;
    EXPECT_EQ(execute(held, extend, {now, 0, max_ahead}).outcome, CallOutcome::granted);
}

TEST(RegistryRow, AnAdvanceLeavesNoOwnerAndLowersNothing) {
    RegistryRow row{11, 12, now, now - 5, now + 1000};
    advance(row, now + 700);
    EXPECT_EQ(row.incarnation, 0);
    EXPECT_EQ(row.life, 0);
    EXPECT_EQ(row.horizon_ms, now + 700);
    advance(row, now);
    EXPECT_EQ(row.horizon_ms, now + 700);
    LeaseCall extend{CallKind::extend, 5, 0, 0, 0, now + 700, now + 701};
    EXPECT_EQ(execute(row, extend, {now, 0, max_ahead}).outcome, CallOutcome::refused) << "nobody's";
}

TEST(RegistryRow, NoCallChangesNothing) {
    RegistryRow row{11, 12, now, now, now};
    EXPECT_EQ(execute(row, LeaseCall{}, {now, 0, max_ahead}).outcome, CallOutcome::refused);
    EXPECT_EQ(row.incarnation, 11);
}

constexpr std::int64_t identity = 77, new_version = 99;

CounterRow counter_in(const Row &c) {
    return {identity,
            number_in(c.at("last")),
            number_in(c.at("largest")),
            number_in(c.at("run_start")),
            number_in(c.at("version")),
            10,
            100,
            c.at("awaits") == "yes",
            c.at("dropped") == "yes"};
}

std::string name_of(CounterOutcome outcome) {
    switch (outcome) {
        case CounterOutcome::done:
            return "done";
        case CounterOutcome::missing:
            return "missing";
        case CounterOutcome::awaits_advance:
            return "awaits advance";
        case CounterOutcome::too_few:
            return "too few";
        case CounterOutcome::too_long:
            return "too long";
        case CounterOutcome::refused:
            return "refused";
        case CounterOutcome::locked:
            return "locked";
    }
    return "";
}

CounterOutcome execute(CounterRow &row, const Row &c) {
    if (c.at("kind") == "give back")
        return give_back(row, number_in(c.at("first")), number_in(c.at("call_version")), new_version);
    CounterFetch call{number_in(c.at("count")), number_in(c.at("least")), number_in(c.at("since"))};
    CounterAnswer answer = fetch(row, call, new_version);
    EXPECT_EQ(answer.identity, identity);
    EXPECT_EQ(answer.largest, row.largest);
    if (answer.outcome != CounterOutcome::done) return answer.outcome;
    EXPECT_EQ(answer.first, number_in(c.at("given_first")));
    EXPECT_EQ(answer.last, number_in(c.at("given_last")));
    EXPECT_EQ(answer.version, new_version);
    EXPECT_EQ(answer.block, 10);
    EXPECT_EQ(answer.max_block, 100);
    return answer.outcome;
}

TEST(CounterRow, TheCasesOfTheFile) {
    std::vector<Row> cases = read_csv("counter.csv");
    EXPECT_GE(cases.size(), 30u);
    for (const Row &c : cases) {
        SCOPED_TRACE(c.at("what"));
        CounterRow row = counter_in(c);
        EXPECT_EQ(name_of(execute(row, c)), c.at("outcome"));
        EXPECT_EQ(row.last, number_in(c.at("new_last")));
        EXPECT_EQ(row.run_start, number_in(c.at("new_run_start")));
        bool has_changed = c.at("outcome") == "done";
        EXPECT_EQ(row.version, has_changed ? new_version : number_in(c.at("version")));
    }
}

TEST(CounterRow, GoesOnWhereItsOwnerSays) {
    CounterRow row{identity, 40, 1000, 31, 7, 10, 100, true, false};
    advance(row, 500, new_version);
    EXPECT_EQ(row.last, 499);
    EXPECT_FALSE(row.awaits_advance);
    EXPECT_EQ(give_back(row, 38, 7, 100), CounterOutcome::refused);
    EXPECT_EQ(fetch(row, {0, 1, 7}, 100).first, 500);
    EXPECT_EQ(row.run_start, 500);
}

constexpr std::int64_t new_identity = 78;

// A counter that gave the numbers up to 40, and was dropped.
CounterRow dropped_row(bool awaits_advance) {
    CounterRow row{identity, 40, 1000, 31, 7, 10, 100, awaits_advance, false};
    drop(row, 8);
    return row;
}

// What becomes of it: the first number of the new counter, or why there is none.
std::string made_of(CounterRow row, std::int64_t first, std::int64_t largest = 1000) {
    CounterRow before = row;
    CounterOutcome outcome = create(row, {first, largest, 5, 50}, new_identity, new_version);
    if (outcome == CounterOutcome::done) return std::to_string(fetch(row, {0, 1, 0}, 100).first);
    EXPECT_EQ(row.identity, before.identity);
    EXPECT_EQ(row.last, before.last);
    EXPECT_EQ(row.version, before.version);
    EXPECT_TRUE(row.is_dropped);
    return name_of(outcome);
}

TEST(CounterRow, BeginsWhereNumbersOfItsNameEnd) {
    struct Case {
        CounterRow before;
        std::int64_t first, largest;
        const char *made;
    } cases[] = {
        {no_counter(), -1, 1000, "1"},
        {no_counter(), 0, 1000, "0"},
        {no_counter(), 1000, 1000, "1000"},
        {no_counter(), 1001, 1000, "refused"},
        {no_counter(), -1, 0, "refused"},
        {dropped_row(false), -1, 1000, "41"},
        {dropped_row(false), 41, 1000, "41"},
        {dropped_row(false), 500, 1000, "500"},
        {dropped_row(false), 40, 1000, "refused"},
        {dropped_row(false), 0, 1000, "refused"},
        {dropped_row(false), -1, 41, "41"},
        {dropped_row(false), -1, 40, "refused"},
        {dropped_row(true), -1, 1000, "awaits advance"},
        {dropped_row(true), 41, 1000, "41"},
        {dropped_row(true), 40, 1000, "refused"},
    };
    for (const Case &c : cases) EXPECT_EQ(made_of(c.before, c.first, c.largest), c.made) << c.first << ' ' << c.largest;
    // From 0 on, and none was given.
    CounterRow unused = no_counter();
    create(unused, {0, 1000, 5, 50}, identity, 7);
    drop(unused, 8);
    EXPECT_EQ(made_of(unused, -1), "1");
    EXPECT_EQ(made_of(unused, 0), "0");
    // All that there can be.
    CounterRow all{identity, INT64_MAX - 1, INT64_MAX - 1, INT64_MAX, 7, 10, 100, false, true};
    EXPECT_EQ(made_of(all, -1, INT64_MAX - 1), "refused");
}

TEST(CounterRow, IsAnotherThanTheOneBefore) {
    CounterRow row = dropped_row(true);
    EXPECT_EQ(create(row, {500, 1000, 5, 50}, new_identity, new_version), CounterOutcome::done);
    EXPECT_EQ(row.identity, new_identity);
    EXPECT_EQ(row.version, new_version);
    EXPECT_EQ(row.largest, 1000);
    EXPECT_EQ(row.run_start, 500);
    EXPECT_EQ(row.block, 5);
    EXPECT_EQ(row.max_block, 50);
    EXPECT_FALSE(row.awaits_advance);
    EXPECT_FALSE(row.is_dropped);
    // What the one before gave does not come back.
    for (std::int64_t version : {7, 8}) EXPECT_EQ(give_back(row, 38, version, 100), CounterOutcome::refused);
}

TEST(CounterRow, ThatIsDroppedRemembersWhatItGave) {
    CounterRow row = dropped_row(false);
    EXPECT_EQ(row.last, 40);
    EXPECT_EQ(row.identity, identity);
    EXPECT_EQ(row.version, 8);
    EXPECT_FALSE(row.awaits_advance);
    EXPECT_EQ(fetch(row, {0, 1, 0}, 100).outcome, CounterOutcome::missing);
    EXPECT_EQ(row.last, 40);
}

TEST(CounterRow, ThereIsNoneToBeginWith) {
    CounterRow row = no_counter();
    EXPECT_EQ(fetch(row, {0, 1, 0}, 100).outcome, CounterOutcome::missing);
    EXPECT_EQ(give_back(row, 1, 7, 100), CounterOutcome::missing);
}

}  // namespace
}  // namespace idgen
