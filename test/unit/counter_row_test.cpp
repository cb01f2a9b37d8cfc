#include "core/lease/counter_row.hpp"

#include <gtest/gtest.h>

#include "vectors.hpp"

namespace idgen {
namespace {

constexpr std::int64_t new_version = 99;

std::int64_t number_in(const std::string &text) {
    return std::strtoll(text.c_str(), nullptr, 10);
}

CounterRow row_in(const Row &c) {
    return {number_in(c.at("last")),
            number_in(c.at("largest")),
            number_in(c.at("run_start")),
            number_in(c.at("version")),
            10,
            100,
            c.at("awaits") == "yes"};
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
        case CounterOutcome::refused:
            return "refused";
    }
    return "";
}

CounterOutcome execute(CounterRow &row, const Row &c) {
    if (c.at("kind") == "give back")
        return give_back(row, number_in(c.at("first")), number_in(c.at("call_version")), new_version);
    CounterFetch call{number_in(c.at("count")), number_in(c.at("least")), number_in(c.at("since"))};
    CounterAnswer answer = fetch(row, call, new_version);
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
    EXPECT_GE(cases.size(), 20u);
    for (const Row &c : cases) {
        SCOPED_TRACE(c.at("what"));
        CounterRow row = row_in(c);
        EXPECT_EQ(name_of(execute(row, c)), c.at("outcome"));
        EXPECT_EQ(row.last, number_in(c.at("new_last")));
        EXPECT_EQ(row.run_start, number_in(c.at("new_run_start")));
        bool has_changed = c.at("outcome") == "done";
        EXPECT_EQ(row.version, has_changed ? new_version : number_in(c.at("version")));
    }
}

TEST(CounterRow, GoesOnWhereItsOwnerSays) {
    CounterRow row{40, 1000, 31, 7, 10, 100, true};
    advance(row, 500, new_version);
    EXPECT_EQ(row.last, 499);
    EXPECT_FALSE(row.awaits_advance);
    EXPECT_EQ(give_back(row, 38, 7, 100), CounterOutcome::refused);
    EXPECT_EQ(fetch(row, {0, 1, 7}, 100).first, 500);
    EXPECT_EQ(row.run_start, 500);
}

}  // namespace
}  // namespace idgen
