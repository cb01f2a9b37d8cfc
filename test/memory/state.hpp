// What the parts of the explorer share: the program that is explored, and how far it has come.
#pragma once

#include <setjmp.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "explorer.hpp"

namespace explorer {

constexpr int most_threads = 4, most_places = 32;
enum Order : int { relaxed, consume, acquire, release, both, sequential };

inline bool acquires(int order) {
    return order != relaxed && order != release;
}
inline bool releases(int order) {
    return order >= release;
}

// What a thread knows: of each atomic a value, of each thread a step that happened before.
struct View {
    std::int16_t at[most_places];
    std::uint32_t steps[most_threads];
};

struct Value {
    std::uint64_t bits;
    View view;        // released with it
    bool is_updated;  // the next in the modification order is an update that read it
};

struct Place {
    const void *address;
    std::vector<Value> values;
    std::vector<std::int16_t> order, rank;  // the modification order, and where a value stands in it
    int holder;                             // of a lock; -1: it is free
};

struct Operation {
    int place;  // -1: a fence
    bool writes, locks;
};

// A step that was taken: for what is said of sequentially consistent ones.
struct Event {
    int thread, place;
    std::int16_t read, written;  // -1: none
    bool is_sequential;
    std::uint32_t step;
    std::uint32_t before[most_threads],
        after[most_threads];  // the steps that happened before it, less and with its own acquiring
};

struct Thread {
    View now, to_acquire, released;
    Operation next;
    bool has_ended;
    jmp_buf state;
};

// A decision: which of so many values, or which of the threads that can go on, a bit each.
struct Decision {
    int chosen, count;
    unsigned enabled, resting;  // those that rest were chosen before, or what they do next was looked at before
};

inline std::vector<Place> places;
inline int place_count;
inline Thread all[most_threads];
inline std::vector<Event> events;
inline std::uint32_t execution;  // its number
inline std::vector<Decision> path;
inline std::size_t depth;
inline int thread_count, current = -1;  // the threads of the program; the one that runs
inline unsigned resting;
inline const char *failure;
inline bool is_inside;  // what runs is the explorer itself
inline jmp_buf scheduler;
inline Program *explored;
inline Weakening weak[2];

struct Inside {
    bool before = is_inside;
    Inside() { is_inside = true; }
    ~Inside() { is_inside = before; }
};

// What was asked to be weaker here; null: nothing.
inline const Weakening *weakening_of(Kind kind, const void *place) {
    for (const Weakening &each : weak) {
        bool is_thread = each.thread < 0 || each.thread == current;
        bool is_meant = is_thread && (kind == Kind::fence || each.place == place);
        if (each.place != nullptr && each.kind == kind && is_meant) return &each;
    }
    return nullptr;
}
inline bool is_weak(Kind kind, const void *place) {
    return weakening_of(kind, place) != nullptr;
}
inline bool is_left_out(Kind kind, const void *place) {
    const Weakening *found = weakening_of(kind, place);
    return found != nullptr && found->is_left_out;
}

inline int choose(int count) {
    if (depth == path.size()) path.push_back({0, count, 0, 0});
    return path[depth++].chosen;
}

// memory.cpp: the values of atomics, and plain memory.
void touch(const void *memory, std::size_t size, bool is_write);
void join(View &view, const View &other);
int place_of(const void *address, std::uint64_t bits);
void begin_step(int place, int order);
void end_step();
// A value that the thread may read, the newest first; with `to_store` one that a store may come behind.
std::int16_t pick(int number, bool to_store, const std::uint64_t *expected = nullptr);
// Reads a value: the thread reads none before it from now on.
std::uint64_t take_in(int number, std::int16_t id, int order);
// Puts a value into the modification order behind another one.
void put(int number, std::uint64_t bits, std::int16_t behind, int order, bool is_update);

// explorer.cpp: waits until it is this thread's turn to take its next step.
void await_turn(const Operation &operation);

// memory.cpp: whether the sequentially consistent operations so far can stand in one order. An execution in which they
// cannot does not happen.
bool is_sequential_order_possible();

}  // namespace explorer
