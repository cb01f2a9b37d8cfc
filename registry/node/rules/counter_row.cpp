#include "registry/node/rules/counter_row.hpp"

#include <algorithm>

#include "core/require.hpp"

namespace idgen {
namespace {

CounterOutcome outcome_of(const CounterRow &row, const CounterFetch &call, std::int64_t left) noexcept {
    if (row.is_dropped) return CounterOutcome::missing;
    if (row.awaits_advance) return CounterOutcome::awaits_advance;
    if (call.least > row.max_block) return CounterOutcome::too_long;
    return left < call.least ? CounterOutcome::too_few : CounterOutcome::done;
}

}  // namespace

CounterAnswer fetch(CounterRow &row, const CounterFetch &call, std::int64_t new_version) noexcept {
    IDGEN_REQUIRE(call.least >= 1 && new_version != 0 && row.block >= 1 && row.max_block >= row.block);
    std::int64_t left = row.largest - row.last;
    CounterAnswer answer{outcome_of(row, call, left), 0, 0, 0, row.block, row.max_block, row.identity, row.largest};
    if (answer.outcome != CounterOutcome::done) return answer;
    std::int64_t wanted = std::max(call.least, std::clamp(call.count, row.block, row.max_block));
    bool goes_on = call.since != 0 && row.version == call.since;
    if (!goes_on) row.run_start = row.last + 1;
    answer.first = row.last + 1;
    row.last += std::min(wanted, left);
    row.version = new_version;
    answer.last = row.last;
    answer.version = new_version;
    return answer;
}

CounterOutcome give_back(CounterRow &row, std::int64_t first, std::int64_t version, std::int64_t new_version) noexcept {
    IDGEN_REQUIRE(new_version != 0);
    if (row.is_dropped) return CounterOutcome::missing;
    if (row.awaits_advance) return CounterOutcome::awaits_advance;
    if (row.version != version || first < row.run_start || first > row.last) return CounterOutcome::refused;
    row.last = first - 1;
    row.run_start = first;
    row.version = new_version;
    return CounterOutcome::done;
}

void advance(CounterRow &row, std::int64_t next, std::int64_t new_version) noexcept {
    IDGEN_REQUIRE(next > row.last && new_version != 0);
    row.last = next - 1;
    row.run_start = next;
    row.version = new_version;
    row.awaits_advance = false;
}

CounterOutcome create(CounterRow &row, const NewCounter &counter, std::int64_t identity,
                      std::int64_t new_version) noexcept {
    IDGEN_REQUIRE(row.is_dropped && identity != 0 && new_version != 0);
    if (counter.first < 0 && row.awaits_advance) return CounterOutcome::awaits_advance;
    std::int64_t first = counter.first < 0 ? std::max<std::int64_t>(row.last + 1, 1) : counter.first;
    if (first <= row.last || first > counter.largest) return CounterOutcome::refused;
    row = {identity, first - 1, counter.largest, first, new_version, counter.block, counter.max_block, false, false};
    return CounterOutcome::done;
}

void drop(CounterRow &row, std::int64_t new_version) noexcept {
    row.is_dropped = true;
    row.version = new_version;
}

}  // namespace idgen
