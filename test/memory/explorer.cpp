// Every order of the steps of a program: what was chosen is a path, and the next path differs in its last choice.
#include "explorer.hpp"

#include <setjmp.h>
#include <ucontext.h>

#include "state.hpp"

namespace explorer {

namespace {

constexpr long most_executions = 20000000;
char stacks[most_threads][65536];

bool is_enabled(int thread) {
    const Thread &t = all[thread];
    if (t.has_ended) return false;
    return !t.next.locks || places[static_cast<std::size_t>(t.next.place)].holder < 0;
}

bool are_independent(const Operation &a, const Operation &b) {
    return a.place < 0 || a.place != b.place || (!a.writes && !b.writes);
}

// Which thread goes on; -1: none, or what follows was looked at in another order. A thread rests as long as nothing
// that the others do depends on its next step.
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

void await_turn(const Operation &operation) {
    all[current].next = operation;
    if (_setjmp(all[current].state) == 0) _longjmp(scheduler, 1);
}

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

}  // namespace explorer
