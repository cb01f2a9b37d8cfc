#include "kinds/core/nanoid.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "support.hpp"
#include "vectors.hpp"

namespace idgen {
namespace {

using Bytes = std::vector<std::uint8_t>;

// What a source gives that begins with the same bytes for each block, as the published test has it.
Bytes block_of(const std::string &sequence, std::size_t size) {
    std::istringstream words(sequence);
    Bytes all;
    for (int byte; words >> byte;) all.push_back(static_cast<std::uint8_t>(byte));
    Bytes block;
    for (std::size_t i = 0; i < size; i++) block.push_back(all[i % all.size()]);
    return block;
}

// On the heap, so that a sanitizer sees what goes past the ends.
Bytes picked(std::size_t symbols, const Bytes &random, std::size_t wanted) {
    std::unique_ptr<std::uint8_t[]> picks(new std::uint8_t[wanted]);
    std::size_t count = pick_symbols(symbols, random.data(), random.size(), picks.get(), wanted);
    EXPECT_LE(count, wanted);
    return Bytes(picks.get(), picks.get() + count);
}

Bytes every_byte() {
    Bytes bytes(256);
    for (std::size_t i = 0; i < 256; i++) bytes[i] = static_cast<std::uint8_t>(i);
    return bytes;
}

TEST(NanoId, PublishedExactly) {
    for (const Row &row : rows_where("nanoid.csv", "class", "published-exact")) {
        const std::string &alphabet = row.at("alphabet");
        auto size = static_cast<std::size_t>(number(row.at("size")));
        std::string text;
        while (text.size() < size) {
            std::size_t wanted = size - text.size();
            Bytes block = block_of(row.at("random"), nanoid_block(alphabet.size(), wanted));
            for (std::uint8_t pick : picked(alphabet.size(), block, wanted)) text += alphabet[pick];
        }
        EXPECT_EQ(text, row.at("text")) << alphabet;
    }
}

// Each symbol is picked by as many of the 256 bytes as any other, and as many as there can be.
TEST(NanoId, EveryAlphabetIsEven) {
    for (std::size_t symbols = 1; symbols <= nanoid_most_symbols; symbols++) {
        std::array<int, 256> times{};
        for (std::uint8_t pick : picked(symbols, every_byte(), 256)) times[pick]++;
        for (std::size_t i = 0; i < 256; i++)
            ASSERT_EQ(times[i], i < symbols ? static_cast<int>(256 / symbols) : 0) << symbols << ' ' << i;
    }
}

// The published rule: ceil(1.6 * 256 * wanted / cutoff), or as many as wanted.
TEST(NanoId, SizeOfABlock) {
    EXPECT_EQ(nanoid_block(5, 4), 7U);
    EXPECT_EQ(nanoid_block(4, 4), 4U);
    EXPECT_EQ(nanoid_block(64, 21), 21U);
    EXPECT_EQ(nanoid_block(1, 21), 21U);
    EXPECT_EQ(nanoid_block(129, 5), 16U);
    for (std::size_t symbols = 1; symbols <= nanoid_most_symbols; symbols++)
        for (std::size_t wanted = 1; wanted < 100; wanted++) {
            ASSERT_GE(nanoid_block(symbols, wanted), wanted);
            ASSERT_LE(nanoid_block(symbols, wanted), nanoid_block(129, wanted)) << symbols;
        }
}

// A block gives what it has, from its end, and no more than is wanted.
TEST(NanoId, PicksFromTheEnd) {
    EXPECT_EQ(picked(64, {0, 1, 2, 67}, 3), (Bytes{3, 2, 1}));
    EXPECT_EQ(picked(64, {0, 1}, 3), (Bytes{1, 0}));
    EXPECT_EQ(picked(100, {199, 200, 255, 7, 100}, 9), (Bytes{0, 7, 99}));
    EXPECT_EQ(picked(100, {1, 2, 3, 200}, 2), (Bytes{3, 2}));
    EXPECT_EQ(picked(255, {255, 255}, 2), Bytes{});
    EXPECT_EQ(picked(10, {}, 2), Bytes{});
}

}  // namespace
}  // namespace idgen
