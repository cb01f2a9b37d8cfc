// The registry's side of a counter: its row, and what a call makes of it. The same rules stand in SQL in
// registry/install/35-counters.sql; test/vectors/counter.csv holds both to them.
//
// A fetch is one addition, and no number is remembered anywhere else: only the row guarantees that none is given twice.
// A lost answer is a gap. A server may give back what it has not used if nothing has changed since. The version shows
// that; by the value only, a give-back that comes late would take back the numbers of others. It is drawn at random at
// every change: one that is counted up would come again after the registry was put back to an older state.
//
// A name that is used again is another counter: it has another identity, by which a server leaves out what it holds of
// the one before, and begins above all that that one gave. So the row of a dropped counter stays.
#pragma once

#include <cstdint>

namespace idgen {

struct CounterRow {
    std::int64_t identity;   // random, drawn when the counter is made; 0: there never was one
    std::int64_t last;       // the last number that was given; one less than the first if none was
    std::int64_t largest;    // the last that there is
    std::int64_t run_start;  // the first of the numbers that may be given back with the version
    std::int64_t version;    // never 0
    std::int64_t block;      // a server gets at least that many at once
    std::int64_t max_block;  // and at most
    bool awaits_advance;     // gives none: the registry was put back to an older state
    bool is_dropped;         // gives none: only the numbers are remembered that it gave
};

// The row of a name that no counter has had.
constexpr CounterRow no_counter() noexcept {
    return {0, -1, -1, 0, 0, 1, 1, false, true};
}

enum class CounterOutcome : std::uint8_t {
    done,
    missing,         // there is no counter of that name
    awaits_advance,  // it gives none until its owner has said where it continues
    too_few,         // fewer are left than are needed
    too_long,        // more are needed than a server gets at once
    refused,         // of a give-back: the counter has changed since
    locked,          // another call works on it now: nothing was done
};

struct CounterFetch {
    std::int64_t count;  // as many as this; clipped to the bounds of the row
    std::int64_t least;  // or as few, at least 1
    std::int64_t since;  // the version that the last fetch gave; 0: none did
};

struct CounterAnswer {
    CounterOutcome outcome;
    std::int64_t first, last;  // the numbers that were given
    std::int64_t version;      // to give them back with
    std::int64_t block, max_block;
    std::int64_t identity, largest;
};

// Gives the next numbers. `new_version` is random, not 0, and is the row's if the row has changed.
CounterAnswer fetch(CounterRow &row, const CounterFetch &call, std::int64_t new_version) noexcept;

// Takes back the numbers from `first` on. The version is that of the last fetch.
CounterOutcome give_back(CounterRow &row, std::int64_t first, std::int64_t version, std::int64_t new_version) noexcept;

// The owner says where the counter continues.
void advance(CounterRow &row, std::int64_t next, std::int64_t new_version) noexcept;

// What a counter is made of.
struct NewCounter {
    std::int64_t first;  // -1: 1, or behind the last number of the one before
    std::int64_t largest;
    std::int64_t block, max_block;
};

// Makes a counter, where there is none or a dropped one. Refused: it would begin below a number that the one before
// gave, or end before it begins. Awaits advance: what that one gave is not known, and `first` is not given.
CounterOutcome create(CounterRow &row, const NewCounter &counter, std::int64_t identity,
                      std::int64_t new_version) noexcept;

void drop(CounterRow &row, std::int64_t new_version) noexcept;

}  // namespace idgen
