#include "explorer.hpp"

#include <setjmp.h>
#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace explorer {
namespace {

constexpr int most_threads = 4, most_places = 32;
constexpr long most_executions = 20000000;
enum Order : int { relaxed, consume, acquire, release, both, sequential };

bool acquires(int order) {
    return order != relaxed && order != release;
}
bool releases(int order) {
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

std::vector<Place> places;
int place_count;
Thread all[most_threads];
std::vector<Event> events;
std::vector<Decision> path;
std::size_t depth;
int thread_count, current = -1;
unsigned resting;
const char *failure;
bool is_inside;  // what runs is the explorer itself
jmp_buf scheduler;
Program *explored;
Weakening weak[2];
char stacks[most_threads][65536];

struct Inside {
    bool before = is_inside;
    Inside() { is_inside = true; }
    ~Inside() { is_inside = before; }
};

// What was asked to be weaker here; null: nothing.
const Weakening *weakening_of(Kind kind, const void *place) {
    for (const Weakening &each : weak) {
        bool is_meant = kind == Kind::fence ? each.thread == current : each.place == place;
        if (each.place != nullptr && each.kind == kind && is_meant) return &each;
    }
    return nullptr;
}
bool is_weak(Kind kind, const void *place) {
    return weakening_of(kind, place) != nullptr;
}
bool is_left_out(Kind kind, const void *place) {
    const Weakening *found = weakening_of(kind, place);
    return found != nullptr && found->is_left_out;
}

int choose(int count) {
    if (depth == path.size()) path.push_back({0, count, 0, 0});
    return path[depth++].chosen;
}

// Access to plain memory, by words of four bytes: the last write, and the last read of each thread.
struct Word {
    std::uintptr_t address;
    std::uint32_t execution, written, read[most_threads];
    int writer;
    std::uint8_t bytes;
};
constexpr std::size_t most_words = 8192;
Word words[most_words];
std::uint32_t execution;

Word &word_at(std::uintptr_t address) {
    std::size_t i = address / 4 * 2654435761U % most_words;
    while (words[i].execution == execution && words[i].address != address) i = (i + 1) % most_words;
    if (words[i].execution != execution) words[i] = {address, execution, 0, {}, -1, 0};
    return words[i];
}

void touch_word(std::uintptr_t address, std::uint8_t bytes, bool is_write) {
    Word &word = word_at(address);
    View &now = all[current].now;
    bool is_same = (word.bytes & bytes) != 0;
    if (word.writer >= 0 && is_same && word.written > now.steps[word.writer]) failure = "a data race";
    for (int t = 0; t < thread_count && is_write; t++)
        if (t != current && is_same && word.read[t] > now.steps[t]) failure = "a data race";
    word.bytes |= bytes;
    if (!is_write) word.read[current] = now.steps[current];
    if (is_write) word.writer = current, word.written = now.steps[current], word.bytes = bytes;
}

void touch(const void *memory, std::size_t size, bool is_write) {
    if (current < 0 || is_inside) return;
    Inside inside;
    auto first = reinterpret_cast<std::uintptr_t>(memory), end = first + size;
    for (std::uintptr_t address = first & ~std::uintptr_t{3}; address < end; address += 4) {
        unsigned bytes = 0;
        for (unsigned i = 0; i < 4; i++) bytes |= address + i >= first && address + i < end ? 1U << i : 0;
        touch_word(address, static_cast<std::uint8_t>(bytes), is_write);
    }
}

std::int16_t later(int place, std::int16_t a, std::int16_t b) {
    const auto &rank = places[static_cast<std::size_t>(place)].rank;
    return rank[static_cast<std::size_t>(a)] >= rank[static_cast<std::size_t>(b)] ? a : b;
}
void join(View &view, const View &other) {
    for (int i = 0; i < place_count; i++) view.at[i] = later(i, view.at[i], other.at[i]);
    for (int t = 0; t < thread_count; t++)
        if (other.steps[t] > view.steps[t]) view.steps[t] = other.steps[t];
}

int place_of(const void *address, std::uint64_t bits) {
    for (int i = 0; i < place_count; i++)
        if (places[static_cast<std::size_t>(i)].address == address) return i;
    if (place_count == most_places) std::abort();
    Place &place = places[static_cast<std::size_t>(place_count)];
    place.address = address;
    place.values.assign(1, Value{bits, View{}, false});
    place.order.assign(1, 0);
    place.rank.assign(1, 0);
    place.holder = -1;
    return place_count++;
}

// Waits until it is this thread's turn to take its next step.
void await_turn(const Operation &operation) {
    all[current].next = operation;
    if (_setjmp(all[current].state) == 0) _longjmp(scheduler, 1);
}

// The values that the thread may read, the newest first; with `to_store` those that a store may come behind.
int readable(const Place &place, int number, bool to_store, const std::uint64_t *expected, std::int16_t *found) {
    std::int16_t from = all[current].now.at[number];
    int count = 0;
    for (auto rank = static_cast<int>(place.order.size()) - 1; rank >= place.rank[static_cast<std::size_t>(from)];
         rank--) {
        std::int16_t id = place.order[static_cast<std::size_t>(rank)];
        const Value &value = place.values[static_cast<std::size_t>(id)];
        bool is_taken = to_store && value.is_updated && (expected == nullptr || value.bits == *expected);
        if (!is_taken) found[count++] = id;
    }
    return count;
}

std::int16_t pick(int number, bool to_store, const std::uint64_t *expected = nullptr) {
    std::int16_t found[64];
    int count = readable(places[static_cast<std::size_t>(number)], number, to_store, expected, found);
    return found[count == 1 ? 0 : choose(count)];
}

// Reads a value: the thread reads none before it from now on.
std::uint64_t take_in(int number, std::int16_t id, int order) {
    Thread &self = all[current];
    const Value &value = places[static_cast<std::size_t>(number)].values[static_cast<std::size_t>(id)];
    self.now.at[number] = later(number, self.now.at[number], id);
    join(acquires(order) ? self.now : self.to_acquire, value.view);
    events.back().read = id;
    return value.bits;
}

// Puts a value into the modification order behind another one.
void put(int number, std::uint64_t bits, std::int16_t behind, int order, bool is_update) {
    Thread &self = all[current];
    Place &place = places[static_cast<std::size_t>(number)];
    auto id = static_cast<std::int16_t>(place.values.size());
    View carried = place.values[static_cast<std::size_t>(behind)].view;
    place.values.push_back({bits, View{}, false});
    place.order.insert(place.order.begin() + place.rank[static_cast<std::size_t>(behind)] + 1, id);
    place.rank.resize(place.values.size());
    for (std::size_t i = 0; i < place.order.size(); i++)
        place.rank[static_cast<std::size_t>(place.order[i])] = static_cast<std::int16_t>(i);
    self.now.at[number] = later(number, self.now.at[number], id);
    Value &value = place.values.back();
    value.view = releases(order) ? self.now : self.released;
    value.view.at[number] = later(number, value.view.at[number], id);
    if (is_update) join(value.view, carried);
    if (is_update) place.values[static_cast<std::size_t>(behind)].is_updated = true;
    events.back().written = id;
}

// The last value of the order also stands in memory, for what looks at it when all threads have ended.
template <class T>
void show(int number, T *memory) {
    const Place &place = places[static_cast<std::size_t>(number)];
    auto bits = static_cast<T>(place.values[static_cast<std::size_t>(place.order.back())].bits);
    std::memcpy(memory, &bits, sizeof(bits));
}

void begin_step(int place, int order) {
    View &now = all[current].now;
    events.push_back({current, place, -1, -1, order == sequential, now.steps[current], {}, {}});
    std::memcpy(events.back().before, now.steps, sizeof(now.steps));
}
void end_step() {
    std::uint32_t *steps = all[current].now.steps;
    std::memcpy(events.back().after, steps, sizeof(events.back().after));
    steps[current]++;
}

template <class T>
T load(const volatile T *address, int order) {
    auto *memory = const_cast<T *>(address);
    if (current < 0) return *memory;
    Inside inside;
    if (is_weak(Kind::load, memory)) order = relaxed;
    int number = place_of(memory, static_cast<std::uint64_t>(*memory));
    await_turn({number, false, false});
    begin_step(number, order);
    auto value = static_cast<T>(take_in(number, pick(number, false), order));
    end_step();
    return value;
}

template <class T>
void store(volatile T *address, T value, int order) {
    auto *memory = const_cast<T *>(address);
    if (current < 0) {
        *memory = value;
        return;
    }
    Inside inside;
    if (is_weak(Kind::store, memory)) order = relaxed;
    int number = place_of(memory, static_cast<std::uint64_t>(*memory));
    await_turn({number, true, false});
    begin_step(number, order);
    put(number, static_cast<std::uint64_t>(value), pick(number, true), order, false);
    show(number, memory);
    end_step();
}

// Updates by change(before); with `expected` only if that is what it reads, else it reads another value.
template <class T, class Change>
T update(volatile T *address, int order, int order_of_failure, const T *expected, Change change) {
    auto *memory = const_cast<T *>(address);
    T before = *memory;
    if (current < 0) {
        if (expected == nullptr || before == *expected) *memory = change(before);
        return before;
    }
    Inside inside;
    if (is_weak(Kind::update, memory)) order = order_of_failure = relaxed;
    bool is_atomic = !is_left_out(Kind::update, memory);
    int number = place_of(memory, static_cast<std::uint64_t>(before));
    await_turn({number, true, false});
    begin_step(number, order);
    std::uint64_t wanted = expected == nullptr ? 0 : static_cast<std::uint64_t>(*expected);
    std::int16_t id = pick(number, is_atomic, expected == nullptr ? nullptr : &wanted);
    Value &read = places[static_cast<std::size_t>(number)].values[static_cast<std::size_t>(id)];
    bool succeeds = expected == nullptr || read.bits == wanted;
    before = static_cast<T>(take_in(number, id, succeeds ? order : order_of_failure));
    if (succeeds) put(number, static_cast<std::uint64_t>(change(before)), id, order, is_atomic);
    show(number, memory);
    end_step();
    return before;
}

void fence(int order) {
    if (current < 0) return;
    Inside inside;
    if (is_weak(Kind::fence, nullptr)) return;
    await_turn({-1, false, false});
    begin_step(-1, order);
    Thread &self = all[current];
    if (acquires(order)) join(self.now, self.to_acquire);
    if (releases(order)) self.released = self.now;
    end_step();
}

bool is_enabled(int thread) {
    const Thread &t = all[thread];
    if (t.has_ended) return false;
    return !t.next.locks || places[static_cast<std::size_t>(t.next.place)].holder < 0;
}

bool are_independent(const Operation &a, const Operation &b) {
    return a.place < 0 || a.place != b.place || (!a.writes && !b.writes);
}

// Which thread goes on; -1: none, or what follows was looked at in another order. A thread rests as long as nothing that
// the others do depends on its next step.
int next_thread() {
    unsigned enabled = 0;
    for (int t = 0; t < thread_count; t++) enabled |= is_enabled(t) ? 1U << t : 0;
    for (int t = 0; t < thread_count && enabled == 0; t++)
        if (!all[t].has_ended) failure = "a deadlock";
    if (depth == path.size()) {
        if ((enabled & ~resting) == 0) return -1;
        path.push_back({__builtin_ctz(enabled & ~resting), 0, enabled, resting});
    }
    const Decision &decision = path[depth++];
    resting = 0;
    for (int t = 0; t < thread_count; t++)
        if ((decision.resting >> t & 1) != 0 && are_independent(all[t].next, all[decision.chosen].next))
            resting |= 1U << t;
    return decision.chosen;
}

// Turns to the next path; false if all were taken.
bool turn_back() {
    for (; !path.empty(); path.pop_back()) {
        Decision &last = path.back();
        if (last.count != 0) {
            if (++last.chosen < last.count) return true;
            continue;
        }
        last.resting |= 1U << last.chosen;
        if ((last.enabled & ~last.resting) == 0) continue;
        last.chosen = __builtin_ctz(last.enabled & ~last.resting);
        return true;
    }
    return false;
}

// Where an event of a place stands among the others: a value is written, then read.
int position(const Event &event) {
    const auto &rank = places[static_cast<std::size_t>(event.place)].rank;
    bool writes = event.written >= 0;
    return 2 * rank[static_cast<std::size_t>(writes ? event.written : event.read)] + (writes ? 0 : 1);
}
bool happens_before(const Event &a, const Event &b) {
    return a.thread == b.thread ? a.step < b.step : b.after[a.thread] >= a.step;
}
bool is_fence(const Event &event) {
    return event.place < 0;
}
bool is_access(const Event &event) {
    return event.read >= 0 || event.written >= 0;
}

// Whether an event stands for a sequentially consistent one: itself, or such a fence before it or behind it.
bool stands_before(const Event &sequential_one, const Event &a) {
    return &sequential_one == &a || (is_fence(sequential_one) && happens_before(sequential_one, a));
}
bool stands_behind(const Event &sequential_one, const Event &b) {
    return &sequential_one == &b || (is_fence(sequential_one) && happens_before(b, sequential_one));
}

// Whether `a` has to come before `b` in the one order of all sequentially consistent operations.
bool must_precede(const Event &a, const Event &b) {
    if (a.thread == b.thread ? a.step < b.step : b.before[a.thread] > a.step) return true;
    for (const Event &x : events)
        for (const Event &y : events)
            if (is_access(x) && is_access(y) && x.place == y.place && position(x) < position(y) &&
                stands_before(a, x) && stands_behind(b, y))
                return true;
    return false;
}

// Whether there is such an order. An execution without one cannot happen.
bool is_sequential_order_possible() {
    std::vector<const Event *> left;
    for (const Event &event : events)
        if (event.is_sequential) left.push_back(&event);
    while (!left.empty()) {
        std::size_t first = 0;
        auto is_preceded = [&left](std::size_t i) {
            for (const Event *other : left)
                if (other != left[i] && must_precede(*other, *left[i])) return true;
            return false;
        };
        while (first < left.size() && is_preceded(first)) first++;
        if (first == left.size()) return false;
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(first));
    }
    return true;
}

void body() {
    is_inside = false;
    explored->run(current);
    is_inside = true;
    all[current].has_ended = true;
    _longjmp(scheduler, 1);
}

void start(int thread) {
    static ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = stacks[thread];
    context.uc_stack.ss_size = sizeof(stacks[thread]);
    makecontext(&context, body, 0);
    current = thread;
    if (_setjmp(scheduler) == 0) setcontext(&context);
}

void resume(int thread) {
    current = thread;
    if (_setjmp(scheduler) == 0) _longjmp(all[thread].state, 1);
}

void run_once() {
    execution++;
    place_count = 0;
    depth = 0;
    resting = 0;
    events.clear();
    current = -1;
    explored->begin();
    thread_count = explored->threads();
    for (int t = 0; t < thread_count; t++) {
        all[t].now = all[t].to_acquire = all[t].released = View{};
        all[t].now.steps[t] = 1;
        all[t].has_ended = false;
        start(t);
    }
    bool is_whole = true;
    while (failure == nullptr && is_whole) {
        int thread = next_thread();
        is_whole = thread >= 0;
        if (is_whole) resume(thread);
    }
    current = -1;
    bool have_ended = true;
    for (int t = 0; t < thread_count; t++) have_ended &= all[t].has_ended;
    if (failure == nullptr && have_ended && !explored->is_right()) failure = "a wrong outcome";
    if (failure != nullptr && !is_sequential_order_possible()) failure = nullptr;
}

}  // namespace

Finding explore(Program &program, const Weakening &weaker, const Weakening &also) {
    if (places.empty()) places.resize(most_places);
    explored = &program;
    weak[0] = weaker;
    weak[1] = also;
    path.clear();
    failure = nullptr;
    is_inside = false;
    long executions = 0;
    bool is_left = true;
    while (failure == nullptr && is_left && executions < most_executions) {
        run_once();
        executions++;
        is_left = failure == nullptr && turn_back();
    }
    return {failure, executions, !is_left};
}

void Lock::lock() noexcept {
    if (current < 0 || (is_left_out(Kind::lock, this))) return;
    Inside inside;
    int number = place_of(this, 0);
    await_turn({number, true, true});
    begin_step(number, relaxed);
    Place &place = places[static_cast<std::size_t>(number)];
    place.holder = current;
    if (!is_weak(Kind::lock, this)) join(all[current].now, place.values[0].view);
    end_step();
}

void Lock::unlock() noexcept {
    if (current < 0 || (is_left_out(Kind::lock, this))) return;
    Inside inside;
    int number = place_of(this, 0);
    await_turn({number, true, false});
    begin_step(number, relaxed);
    Place &place = places[static_cast<std::size_t>(number)];
    place.holder = -1;
    place.values[0].view = all[current].now;
    end_step();
}

}  // namespace explorer

// What the compiler calls.
using namespace explorer;

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_atomic_thread_fence(int order) {
    fence(order);
}
void __tsan_atomic_signal_fence(int) {}
void *__real_memcpy(void *to, const void *from, std::size_t size);
void *__real_memmove(void *to, const void *from, std::size_t size);
void *__wrap_memmove(void *to, const void *from, std::size_t size) {
    touch(from, size, false);
    touch(to, size, true);
    return __real_memmove(to, from, size);
}
void *__real_memset(void *to, int byte, std::size_t size);
void *__wrap_memcpy(void *to, const void *from, std::size_t size) {
    touch(from, size, false);
    touch(to, size, true);
    return __real_memcpy(to, from, size);
}
void *__wrap_memset(void *to, int byte, std::size_t size) {
    touch(to, size, true);
    return __real_memset(to, byte, size);
}
void __tsan_vptr_read(void **) {}
void __tsan_vptr_update(void **, void *) {}

#define EXPLORER_PLAIN(size)                               \
    void __tsan_read##size(const void *memory) {           \
        touch(memory, size, false);                        \
    }                                                      \
    void __tsan_write##size(void *memory) {                \
        touch(memory, size, true);                         \
    }                                                      \
    void __tsan_unaligned_read##size(const void *memory) { \
        touch(memory, size, false);                        \
    }                                                      \
    void __tsan_unaligned_write##size(void *memory) {      \
        touch(memory, size, true);                         \
    }
EXPLORER_PLAIN(1)
EXPLORER_PLAIN(2)
EXPLORER_PLAIN(4)
EXPLORER_PLAIN(8)
EXPLORER_PLAIN(16)

#define EXPLORER_ATOMIC(bits, T)                                                                               \
    T __tsan_atomic##bits##_load(const volatile T *at, int order) {                                            \
        return load(at, order);                                                                                \
    }                                                                                                          \
    void __tsan_atomic##bits##_store(volatile T *at, T value, int order) {                                     \
        store(at, value, order);                                                                               \
    }                                                                                                          \
    T __tsan_atomic##bits##_exchange(volatile T *at, T value, int order) {                                     \
        return update<T>(at, order, order, nullptr, [value](T) { return value; });                             \
    }                                                                                                          \
    T __tsan_atomic##bits##_fetch_add(volatile T *at, T by, int order) {                                       \
        return update<T>(at, order, order, nullptr, [by](T before) { return T(before + by); });                \
    }                                                                                                          \
    T __tsan_atomic##bits##_compare_exchange_val(volatile T *at, T expected, T value, int order, int failed) { \
        return update<T>(at, order, failed, &expected, [value](T) { return value; });                          \
    }
EXPLORER_ATOMIC(8, std::uint8_t)
EXPLORER_ATOMIC(32, std::uint32_t)
EXPLORER_ATOMIC(64, std::uint64_t)
}
