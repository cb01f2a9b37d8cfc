#include "kinds/core/vclock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "support.hpp"

namespace idgen {

// Its name is GoogleTest's.
inline void PrintTo(VclockOrder order, std::ostream *out) {
    constexpr const char *words[] = {"equal", "before", "after", "concurrent"};
    *out << words[static_cast<int>(order)];
}

namespace {

using Counters = std::map<std::string, std::int64_t>;

// The entries of counters, in their order, without zeros.
class Clock {
   public:
    explicit Clock(const Counters &counters) {
        for (const auto &[node, counter] : counters)
            if (counter > 0) entries_.push_back({node, counter});
        std::stable_sort(entries_.begin(), entries_.end(),
                         [](const VclockEntry &a, const VclockEntry &b) { return a.node.size() < b.node.size(); });
    }
    Vclock view() const { return {entries_.data(), entries_.size()}; }

   private:
    std::vector<VclockEntry> entries_;
};

Counters merged(const Counters &a, const Counters &b) {
    Clock left(a), right(b);
    std::vector<VclockEntry> out(left.view().size + right.view().size);
    out.resize(merge(left.view(), right.view(), out.data()));
    Counters counters;
    for (const VclockEntry &entry : out) EXPECT_TRUE(counters.emplace(entry.node, entry.counter).second);
    return counters;
}

VclockOrder order_of(const Counters &a, const Counters &b) {
    return compare(Clock(a).view(), Clock(b).view());
}

TEST(Vclock, Order) {
    EXPECT_EQ(order_of({}, {}), VclockOrder::equal);
    EXPECT_EQ(order_of({{"a", 1}}, {{"a", 1}}), VclockOrder::equal);
    EXPECT_EQ(order_of({}, {{"a", 1}}), VclockOrder::before);
    EXPECT_EQ(order_of({{"a", 1}}, {{"a", 2}}), VclockOrder::before);
    EXPECT_EQ(order_of({{"a", 1}}, {{"a", 1}, {"b", 1}}), VclockOrder::before);
    EXPECT_EQ(order_of({{"a", 2}, {"b", 1}}, {{"a", 1}, {"b", 1}}), VclockOrder::after);
    EXPECT_EQ(order_of({{"a", 2}}, {{"b", 1}}), VclockOrder::concurrent);
    EXPECT_EQ(order_of({{"a", 2}, {"b", 1}}, {{"a", 1}, {"b", 2}}), VclockOrder::concurrent);
    // By size, then by bytes
    EXPECT_EQ(order_of({{"aa", 1}, {"b", 1}}, {{"b", 1}}), VclockOrder::after);
    EXPECT_EQ(order_of({{"a", 1}, {"aa", 1}, {"b", 1}}, {{"aa", 1}, {"ab", 1}, {"b", 1}}), VclockOrder::concurrent);
}

TEST(Vclock, MergeTakesTheLarger) {
    EXPECT_EQ(merged({}, {}), Counters{});
    EXPECT_EQ(merged({{"a", 2}, {"b", 1}}, {{"a", 1}, {"b", 2}, {"cc", INT64_MAX}}),
              (Counters{{"a", 2}, {"b", 2}, {"cc", INT64_MAX}}));
}

// Against plain maps: any clocks of few nodes.
TEST(Vclock, AgreesWithTheDefinition) {
    Random random(92);
    const std::string names[] = {"a", "b", "aa", "ab", "b1", ""};
    auto some = [&] {
        Counters counters;
        for (const std::string &name : names)
            if (random.once_in(2)) counters[name] = random.between(0, 2);
        return counters;
    };
    for (int i = 0; i < 20000; i++) {
        Counters a = some(), b = some(), larger;
        bool is_less = false, is_more = false;
        for (const std::string &name : names) {
            std::int64_t in_a = a.count(name) ? a[name] : 0, in_b = b.count(name) ? b[name] : 0;
            is_less |= in_a < in_b;
            is_more |= in_a > in_b;
            if (std::max(in_a, in_b) > 0) larger[name] = std::max(in_a, in_b);
        }
        ASSERT_EQ(merged(a, b), larger);
        ASSERT_EQ(order_of(a, b), is_less && is_more ? VclockOrder::concurrent
                                  : is_less          ? VclockOrder::before
                                  : is_more          ? VclockOrder::after
                                                     : VclockOrder::equal);
    }
}

TEST(Vclock, CountsWritesInOrder) {
    std::vector<VclockEntry> entries(4);
    std::size_t size = 0;
    for (const char *node : {"bb", "a", "aa", "c", "aa"}) ASSERT_TRUE(count_write(entries.data(), size, node));
    ASSERT_EQ(size, 4u);
    std::string text;
    for (const VclockEntry &entry : entries)
        text += std::string(entry.node) + ' ' + std::to_string(entry.counter) + ' ';
    EXPECT_EQ(text, "a 1 c 1 aa 2 bb 1 ");
}

TEST(Vclock, CounterEnds) {
    VclockEntry entries[2] = {{"a", INT64_MAX - 1}, {}};
    std::size_t size = 1;
    EXPECT_TRUE(count_write(entries, size, "a"));
    EXPECT_EQ(entries[0].counter, INT64_MAX);
    EXPECT_FALSE(count_write(entries, size, "a"));
    EXPECT_TRUE(count_write(entries, size, "b"));
}

}  // namespace
}  // namespace idgen
