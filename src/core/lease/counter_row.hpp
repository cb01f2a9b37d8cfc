// The registry's side of a counter: its row, and what a call makes of it. The same rules stand in SQL in
// sql/registry/35-counters.sql; test/vectors/counter.csv holds both to them.
//
// A fetch is one addition, and no number is remembered anywhere else: only the row guarantees that none is given twice.
// A lost answer is a gap. A server may give back what it has not used if nothing has changed since. The version shows
// that; by the value only, a give-back that comes late would take back the numbers of others. It is drawn at random at
// every change: one that is counted up would come again after the registry was put back to an older state.
#pragma once

#include <cstdint>

namespace idgen {

struct CounterRow {
    std::int64_t last;       // the last number that was given; one less than the first if none was
    std::int64_t largest;    // the last that there is
    std::int64_t run_start;  // the first of the numbers that may be given back with the version
    std::int64_t version;    // never 0
    std::int64_t block;      // a server gets at least that many at once
    std::int64_t max_block;  // and at most, unless one range is to be longer
    bool awaits_advance;     // gives none: the registry was put back to an older state
};

enum class CounterOutcome : std::uint8_t {
    done,
    missing,         // there is no counter of that name
    awaits_advance,  // it gives none until its owner has said where it continues
    too_few,         // fewer are left than are needed
    refused,         // of a give-back: the counter has changed since
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
};

// Gives the next numbers. `new_version` is random, not 0, and is the row's if the row has changed.
CounterAnswer fetch(CounterRow &row, const CounterFetch &call, std::int64_t new_version) noexcept;

// Takes back the numbers from `first` on. The version is that of the last fetch.
CounterOutcome give_back(CounterRow &row, std::int64_t first, std::int64_t version, std::int64_t new_version) noexcept;

// The owner says where the counter continues.
void advance(CounterRow &row, std::int64_t next, std::int64_t new_version) noexcept;

}  // namespace idgen
