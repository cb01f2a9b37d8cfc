#include "registry/node/rules/registry_row.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace idgen
