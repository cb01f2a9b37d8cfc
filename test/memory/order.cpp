// The one order in which all sequentially consistent operations stand, by the rules of C++20.
#include "state.hpp"

namespace explorer {

namespace {

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

}  // namespace

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

}  // namespace explorer
