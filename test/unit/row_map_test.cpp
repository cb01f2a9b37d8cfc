#include "core/row_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace idgen {
namespace {

constexpr std::uint64_t row(std::uint64_t block, std::uint64_t number) {
    return block << 16 | number;
}

// The bytes of a map, at an odd address.
class Bytes {
   public:
    explicit Bytes(std::vector<RowMapEntry> entries) : count_(entries.size()) {
        sort_row_map(entries.data(), entries.size());
        bytes_ = "x";
        bytes_.append(reinterpret_cast<const char *>(entries.data()), entries.size() * sizeof(RowMapEntry));
    }
    // The ID, or -1.
    std::int64_t find(std::uint64_t row, std::int64_t time, std::size_t &next) const {
        std::int64_t id = -1;
        return find_row(bytes_.data() + 1, count_, row, time, next, id) ? id : -1;
    }

   private:
    std::string bytes_;
    std::size_t count_;
};

TEST(RowMap, FindsEveryRowInAnyOrder) {
    std::mt19937_64 random(3);
    std::map<std::uint64_t, RowMapEntry> known;
    while (known.size() < 500) {
        RowMapEntry entry{row(random() % 100, 1 + random() % 200), static_cast<std::int64_t>(random()),
                          static_cast<std::int64_t>(random() >> 1)};
        known[entry.row] = entry;
    }
    std::vector<RowMapEntry> entries;
    for (auto &[_, entry] : known) entries.push_back(entry);
    std::shuffle(entries.begin(), entries.end(), random);
    Bytes map(entries);
    std::size_t next = 0;
    for (const RowMapEntry &entry : entries) EXPECT_EQ(map.find(entry.row, entry.time, next), entry.id);
    for (auto &[_, entry] : known) EXPECT_EQ(map.find(entry.row, entry.time, next), entry.id);
    for (std::uint64_t block = 0; block < 101; block++)
        for (std::uint64_t number = 0; number < 202; number++)
            if (known.count(row(block, number)) == 0) {
                EXPECT_EQ(map.find(row(block, number), 0, next), -1);
            }
}

TEST(RowMap, NeedsTheSameTime) {
    Bytes map({{row(1, 1), 10, 100}, {row(1, 2), 20, 200}});
    std::size_t next = 0;
    EXPECT_EQ(map.find(row(1, 1), 11, next), -1);
    EXPECT_EQ(map.find(row(1, 2), 10, next), -1);
    EXPECT_EQ(map.find(row(1, 2), 20, next), 200);
}

TEST(RowMap, TakesAnyNext) {
    Bytes map({{row(1, 1), 10, 100}, {row(1, 2), 20, 200}});
    for (std::size_t next : {std::size_t{0}, std::size_t{1}, std::size_t{2}, ~std::size_t{0}}) {
        std::size_t hint = next;
        EXPECT_EQ(map.find(row(1, 1), 10, hint), 100);
        EXPECT_EQ(hint, 1u);
        hint = next;
        EXPECT_EQ(map.find(row(1, 2), 20, hint), 200);
        EXPECT_EQ(hint, 2u);
    }
    std::size_t next = 0;
    EXPECT_EQ(Bytes({}).find(row(0, 1), 0, next), -1);
}

std::vector<RowMapEntry> every(std::uint64_t step, std::uint64_t count) {
    std::vector<RowMapEntry> entries;
    for (std::uint64_t i = 0; i < count; i++)
        entries.push_back({row(i * step / 10, 1 + i * step % 10), 0, 0});
    return entries;
}

TEST(RowMap, IsDenseWhereAFourthOfTheRowsOrMoreIsMeant) {
    EXPECT_TRUE(is_dense(every(1, 100).data(), 100));
    EXPECT_TRUE(is_dense(every(3, 100).data(), 100));
    EXPECT_FALSE(is_dense(every(7, 100).data(), 100));
    std::vector<RowMapEntry> with_one_far = every(1, 100);
    with_one_far.push_back({row(1000, 1), 0, 0});
    EXPECT_FALSE(is_dense(with_one_far.data(), with_one_far.size()));
    EXPECT_TRUE(is_dense(every(1, 1).data(), 1));
    EXPECT_FALSE(is_dense(nullptr, 0));
    RowMapEntry ends[] = {{row(0, 1), 0, 0}, {row(0xFFFFFFFE, 0xFFFF), 0, 0}};
    EXPECT_FALSE(is_dense(ends, 2));
}

}  // namespace
}  // namespace idgen
