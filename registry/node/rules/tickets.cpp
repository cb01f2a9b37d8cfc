#include "registry/node/rules/tickets.hpp"

#include <algorithm>

#include "core/require.hpp"

namespace idgen {
namespace {

// How long a block is to last.
constexpr std::int64_t shortest_use_ms = 2000, longest_use_ms = 20000;
// A block grows by no more at once.
constexpr int most_doublings = 3;

std::int64_t next_block(std::int64_t block, std::int64_t lasted_ms) noexcept {
    for (int i = 0; i < most_doublings && lasted_ms < shortest_use_ms && block <= INT64_MAX / 2; i++) {
        block *= 2;
        lasted_ms *= 2;
    }
    for (; lasted_ms > longest_use_ms && block > 1; lasted_ms /= 2) block /= 2;
    return block;
}

void remove(Tickets &tickets, HeldRange *range) noexcept {
    std::copy(range + 1, tickets.ranges + tickets.count, range);
    tickets.count--;
}

HeldRange *shortest(Tickets &tickets) noexcept {
    return std::min_element(tickets.ranges, tickets.ranges + tickets.count,
                            [](const HeldRange &a, const HeldRange &b) { return count_of(a) < count_of(b); });
}

}  // namespace

std::int64_t left_of(const Tickets &tickets) noexcept {
    std::int64_t left = 0;
    for (std::uint32_t i = 0; i < tickets.count; i++) left += count_of(tickets.ranges[i]);
    return left;
}

CounterFetch next_fetch(const Tickets &tickets, std::int64_t wish, std::int64_t now_ms) noexcept {
    if (wish > 0) return {0, wish, tickets.version};
    return {next_block(tickets.block, now_ms - tickets.began_ms), 1, tickets.version};
}

bool take_in(Tickets &tickets, const CounterFetch &call, const CounterAnswer &answer, std::int64_t now_ms) noexcept {
    IDGEN_REQUIRE(answer.outcome == CounterOutcome::done && answer.first <= answer.last);
    if (answer.identity != tickets.identity) leave_out(tickets);
    tickets.identity = answer.identity;
    tickets.largest = answer.largest;
    tickets.max_block = answer.max_block;
    if (answer.first < tickets.end) return false;
    HeldRange *end = tickets.ranges + tickets.count;
    HeldRange *before =
        std::find_if(tickets.ranges, end, [&](const HeldRange &range) { return range.last + 1 == answer.first; });
    if (before == end && tickets.count == most_ranges) {
        HeldRange *dropped = shortest(tickets);
        tickets.dropped += count_of(*dropped);
        remove(tickets, dropped);
        before = tickets.ranges + tickets.count;
    }
    if (before == tickets.ranges + tickets.count) {
        *before = {answer.first, answer.last};
        tickets.count++;
    } else {
        before->last = answer.last;
    }
    tickets.version = answer.version;
    tickets.end = answer.last + 1;
    if (call.least > 1) return true;
    tickets.block = std::clamp(std::max<std::int64_t>(call.count, 1), answer.block, answer.max_block);
    tickets.began_ms = now_ms;
    return true;
}

void leave_out(Tickets &tickets) noexcept {
    tickets.dropped += left_of(tickets);
    tickets.count = 0;
    tickets.version = tickets.end = tickets.identity = 0;
}

UnusedNumbers give_up(Tickets &tickets) noexcept {
    UnusedNumbers unused{0, 0};
    for (std::uint32_t i = 0; i < tickets.count; i++)
        if (tickets.ranges[i].last + 1 == tickets.end) unused = {tickets.ranges[i].next, tickets.version};
    // Given back, they may come again; and whether they were is not known if the answer is lost.
    if (unused.version != 0) tickets.end = unused.first;
    tickets.count = 0;
    tickets.version = 0;
    return unused;
}

void leave_to_copies(Tickets &tickets) noexcept {
    tickets.dropped += left_of(tickets);
    give_up(tickets);
}

}  // namespace idgen
