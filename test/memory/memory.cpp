// The values that atomics have had, and who may read which; races in plain memory; and the one order in which all
// sequentially consistent operations stand.
#include <cstdlib>
#include <cstring>

#include "state.hpp"

namespace explorer {

namespace {

// Access to plain memory, by words of four bytes: the last write, and the last read of each thread.
struct Word {
    std::uintptr_t address;
    std::uint32_t execution, written, read[most_threads];
    int writer;
    std::uint8_t bytes;
};
constexpr std::size_t most_words = 8192;
Word words[most_words];

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

std::int16_t later(int place, std::int16_t a, std::int16_t b) {
    const auto &rank = places[static_cast<std::size_t>(place)].rank;
    return rank[static_cast<std::size_t>(a)] >= rank[static_cast<std::size_t>(b)] ? a : b;
}

// The values that the thread may read, the newest first.
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

}  // namespace

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

std::int16_t pick(int number, bool to_store, const std::uint64_t *expected) {
    std::int16_t found[64];
    int count = readable(places[static_cast<std::size_t>(number)], number, to_store, expected, found);
    return found[count == 1 ? 0 : choose(count)];
}

std::uint64_t take_in(int number, std::int16_t id, int order) {
    Thread &self = all[current];
    const Value &value = places[static_cast<std::size_t>(number)].values[static_cast<std::size_t>(id)];
    self.now.at[number] = later(number, self.now.at[number], id);
    join(acquires(order) ? self.now : self.to_acquire, value.view);
    events.back().read = id;
    return value.bits;
}

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

// The order of the sequentially consistent operations, by the rules of C++20.
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
