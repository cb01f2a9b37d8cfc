// The explorer's own test: small programs of which it is known which outcomes the memory model of C++ allows. Each must
// be reached, or must not.
#include <atomic>

#include "explorer.hpp"

namespace {

using std::memory_order;
constexpr memory_order relaxed = std::memory_order_relaxed, acquire = std::memory_order_acquire,
                       release = std::memory_order_release, sequential = std::memory_order_seq_cst;

std::atomic<int> x, y;
int plain;
int seen[4];
explorer::Lock mutex;

struct Litmus : explorer::Program {
    using Body = void (*)(int);
    using Outcome = bool (*)();
    const char *what;
    int count;
    Body body;
    Outcome outcome;
    bool is_allowed;

    Litmus(const char *name, int of_threads, bool allowed, Body does, Outcome ends)
        : what(name), count(of_threads), body(does), outcome(ends), is_allowed(allowed) {}
    int threads() const override { return count; }
    void begin() override {
        x = y = plain = 0;
        for (int &value : seen) value = 0;
    }
    void run(int thread) override { body(thread); }
    bool is_right() override { return !outcome(); }
};

template <memory_order stores, memory_order loads>
void message(int thread) {
    if (thread == 0) {
        x.store(1, relaxed);
        y.store(1, stores);
        return;
    }
    seen[0] = y.load(loads);
    seen[1] = x.load(relaxed);
}
void message_by_fences(int thread) {
    if (thread == 0) {
        x.store(1, relaxed);
        std::atomic_thread_fence(release);
        y.store(1, relaxed);
        return;
    }
    seen[0] = y.load(relaxed);
    std::atomic_thread_fence(acquire);
    seen[1] = x.load(relaxed);
}
bool is_message_lost() {
    return seen[0] == 1 && seen[1] == 0;
}

template <memory_order stores, memory_order loads>
void store_and_load(int thread) {
    (thread == 0 ? x : y).store(1, stores);
    seen[thread] = (thread == 0 ? y : x).load(loads);
}
void store_and_load_by_fences(int thread) {
    (thread == 0 ? x : y).store(1, relaxed);
    std::atomic_thread_fence(sequential);
    seen[thread] = (thread == 0 ? y : x).load(relaxed);
}
bool miss_each_other() {
    return seen[0] == 0 && seen[1] == 0;
}

template <memory_order loads>
void readers_of_two(int thread) {
    if (thread < 2) return (thread == 0 ? x : y).store(1, loads == sequential ? sequential : release);
    std::atomic<int> &first = thread == 2 ? x : y, &second = thread == 2 ? y : x;
    int a = first.load(loads), b = second.load(loads);
    seen[thread] = a == 1 && b == 0;
}
bool disagree() {
    return seen[2] == 1 && seen[3] == 1;
}

void read_twice(int thread) {
    if (thread == 0) return x.store(1, relaxed);
    int a = x.load(relaxed), b = x.load(relaxed);
    seen[thread] = a == 1 && b == 0;
}

template <memory_order stores>
void store_both(int thread) {
    (thread == 0 ? x : y).store(1, stores);
    (thread == 0 ? y : x).store(2, stores);
}
bool do_both_come_first() {
    return x.load(relaxed) == 1 && y.load(relaxed) == 1;
}

template <memory_order stores, memory_order loads>
void message_by_two(int thread) {
    if (thread == 0) return x.store(1, stores);
    if (thread == 1) {
        if (x.load(loads) == 1) y.store(1, stores);
        return;
    }
    seen[0] = y.load(loads);
    seen[1] = x.load(relaxed);
}

void message_by_update(int thread) {
    if (thread == 0) {
        x.store(1, relaxed);
        y.store(1, release);
    } else if (thread == 1) {
        y.fetch_add(1, relaxed);
    } else {
        seen[0] = y.load(acquire) == 2 ? 1 : 0;
        seen[1] = x.load(relaxed);
    }
}

template <memory_order order>
void count_up(int) {
    x.fetch_add(1, order);
}
void count_up_in_two_steps(int) {
    x.store(x.load(sequential) + 1, sequential);
}
bool is_one_lost() {
    return x.load(relaxed) != 2;
}

void exchange_once(int thread) {
    int expected = 0;
    seen[thread] = x.compare_exchange_strong(expected, thread + 1, relaxed) ? 1 : 0;
}
bool do_both_succeed() {
    return seen[0] + seen[1] != 1;
}

void count_unlocked(int) {
    plain++;
}
void count_locked(int) {
    mutex.lock();
    plain++;
    mutex.unlock();
}
bool is_plain_lost() {
    return plain != 2;
}

template <memory_order stores, memory_order loads>
void plain_message(int thread) {
    if (thread == 0) {
        plain = 1;
        y.store(1, stores);
    } else if (y.load(loads) == 1) {
        seen[0] = plain;
    }
}
bool never() {
    return false;
}

void load_before_store(int thread) {
    seen[thread] = (thread == 0 ? x : y).load(relaxed);
    (thread == 0 ? y : x).store(1, relaxed);
}
bool do_both_read_ahead() {
    return seen[0] == 1 && seen[1] == 1;
}

}  // namespace

void explore_litmus() {
    Litmus all[] = {
        {"a message, relaxed", 2, true, message<relaxed, relaxed>, is_message_lost},
        {"a message, its store relaxed", 2, true, message<relaxed, acquire>, is_message_lost},
        {"a message, its load relaxed", 2, true, message<release, relaxed>, is_message_lost},
        {"a message, released and acquired", 2, false, message<release, acquire>, is_message_lost},
        {"a message between fences", 2, false, message_by_fences, is_message_lost},
        {"a message passed on, relaxed", 3, true, message_by_two<relaxed, relaxed>, is_message_lost},
        {"a message passed on", 3, false, message_by_two<release, acquire>, is_message_lost},
        {"a message passed on by an update", 3, false, message_by_update, is_message_lost},
        {"plain memory, its message relaxed", 2, true, plain_message<relaxed, relaxed>, never},
        {"plain memory, its message acquired", 2, false, plain_message<release, acquire>, never},
        {"store and load, acquired", 2, true, store_and_load<release, acquire>, miss_each_other},
        {"store and load, sequential", 2, false, store_and_load<sequential, sequential>, miss_each_other},
        {"store and load between fences", 2, false, store_and_load_by_fences, miss_each_other},
        {"two readers of two stores, acquired", 4, true, readers_of_two<acquire>, disagree},
        {"two readers of two stores, sequential", 4, false, readers_of_two<sequential>, disagree},
        {"one place read twice", 2, false, read_twice, [] { return seen[1] == 1; }},
        {"two stores each, relaxed", 2, true, store_both<relaxed>, do_both_come_first},
        {"two stores each, released", 2, true, store_both<release>, do_both_come_first},
        {"two stores each, sequential", 2, false, store_both<sequential>, do_both_come_first},
        {"a count, relaxed", 2, false, count_up<relaxed>, is_one_lost},
        {"a count in two steps", 2, true, count_up_in_two_steps, is_one_lost},
        {"an exchange of both", 2, false, exchange_once, do_both_succeed},
        {"a plain count", 2, true, count_unlocked, is_plain_lost},
        {"a plain count under a lock", 2, false, count_locked, is_plain_lost},
        // Allowed by C++, and left out here.
        {"load buffering", 2, false, load_before_store, do_both_read_ahead},
    };
    for (Litmus &litmus : all) report("litmus", litmus.what, explorer::explore(litmus), litmus.is_allowed);
}
