#include "core/lease/counter_row.hpp"

#include <algorithm>

#include "core/require.hpp"

namespace idgen {

CounterAnswer fetch(CounterRow &row, const CounterFetch &call, std::int64_t new_version) noexcept {
    IDGEN_REQUIRE(call.least >= 1 && new_version != 0 && row.block >= 1 && row.max_block >= row.block);
    std::int64_t left = row.largest - row.last;
    CounterAnswer answer{CounterOutcome::done, 0, 0, 0, row.block, row.max_block};
    if (row.awaits_advance) answer.outcome = CounterOutcome::awaits_advance;
    if (!row.awaits_advance && left < call.least) answer.outcome = CounterOutcome::too_few;
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

}  // namespace idgen
