// A server's side of a counter: the numbers that it holds of one, and how many it asks for next. The numbers are only
// in memory: a crash leaves a gap.
//
// The next block is asked for when half of the last one is used, so that no draw waits for the network unless the
// registry is slower than the use. A block is to last some seconds: it grows with the rate and shrinks again, within
// the bounds that the counter's owner sets.
#pragma once

#include <cstdint>

#include "registry/node/rules/counter_row.hpp"

namespace idgen {

struct HeldRange {
    std::int64_t next, last;
};

constexpr std::int64_t count_of(const HeldRange &range) noexcept {
    return range.last - range.next + 1;
}

// More than one, since other servers take what lies between; the third is for a longer range.
constexpr std::uint32_t most_ranges = 4;

// All zero: it holds none, and knows nothing of the counter.
struct Tickets {
    std::int64_t identity;          // of the counter that they are of; 0: none has answered yet
    HeldRange ranges[most_ranges];  // none is empty; the first ones are used first
    std::uint32_t count;
    std::int64_t version;   // of the counter when the last range was given; 0: none was
    std::int64_t end;       // one more than the last number that was ever given to this server
    std::int64_t block;     // how many were asked for last, but for longer ranges; 0: none
    std::int64_t began_ms;  // when the last block came, by the clock that no step touches
    std::int64_t largest;   // the last number that the counter has
    std::int64_t max_block;
    std::int64_t dropped;  // numbers that were left out: there was no room for the rest of a range, the counter was
                           // dropped, or the machine was copied
};

// Takes `n` numbers in a row; false if it holds no range that long. Inline, because it is every draw.
inline bool take(Tickets &tickets, std::int64_t n, std::int64_t &first) noexcept {
    for (std::uint32_t i = 0; i < tickets.count; i++) {
        HeldRange &range = tickets.ranges[i];
        if (count_of(range) < n) continue;
        first = range.next;
        range.next += n;
        if (range.next <= range.last) return true;
        tickets.count--;
        for (; i < tickets.count; i++) tickets.ranges[i] = tickets.ranges[i + 1];
        return true;
    }
    return false;
}

std::int64_t left_of(const Tickets &tickets) noexcept;

// Whether the next block is to be asked for.
inline bool is_low(const Tickets &tickets) noexcept {
    if (tickets.count == 0) return true;
    return tickets.count == 1 && count_of(tickets.ranges[0]) <= tickets.block / 2;
}

// What to ask for next: a block, or one range of `wish` numbers, 0 for none.
CounterFetch next_fetch(const Tickets &tickets, std::int64_t wish, std::int64_t now_ms) noexcept;

// Takes in the numbers that a fetch gave. What is held of another counter, that had the name before, is left out. False
// if some of the numbers were given to this server before: the registry was put back to an older state, and they must
// not be used.
bool take_in(Tickets &tickets, const CounterFetch &call, const CounterAnswer &answer, std::int64_t now_ms) noexcept;

// Leaves out what is held: there is no such counter any more.
void leave_out(Tickets &tickets) noexcept;

// Gives up what is held: the first of the numbers that can be given back, with the version to do so. Version 0: none
// can.
struct UnusedNumbers {
    std::int64_t first, version;
};
UnusedNumbers give_up(Tickets &tickets) noexcept;

// Leaves out what is held because the machine was copied with its memory (horizon/machine.hpp): each copy has it. It is
// never given back; the machine of before may do so, and then some of it may come again.
void leave_to_copies(Tickets &tickets) noexcept;

}  // namespace idgen
