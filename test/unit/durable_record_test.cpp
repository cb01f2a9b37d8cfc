#include "core/horizon/durable_record.hpp"
#include "core/horizon/generators.hpp"

#include <gtest/gtest.h>

#include <set>

namespace idgen {
namespace {

TEST(DurableRecord, IdentityTellsHistoriesApart) {
    std::set<std::int64_t> seen;
    for (std::uint32_t timeline = 1; timeline < 100; timeline++)
        for (std::uint64_t system = 7000000000000000000; system < 7000000000000000100; system++)
            seen.insert(identity_of(timeline, system));
    EXPECT_EQ(seen.size(), 99u * 100u);
    EXPECT_LT(*seen.rbegin(), -1) << "a sequence that keeps it has logged no value ahead";
}

TEST(DurableRecord, ReadsTheKernelsBootId) {
    BootId boot = parse_random_id("2b0a5f9c-0123-4567-89ab-cdef01234567\n");
    EXPECT_EQ(boot.high, 0x2b0a5f9c01234567u);
    EXPECT_EQ(boot.low, 0x89abcdef01234567u);
    EXPECT_TRUE(parse_random_id("2B0A5F9C0123456789ABCDEF01234567") == boot)
        << "as etcd's and PostgreSQL's texts may be";
    for (const char *text : {"", "\n", "2b0a5f9c", "2b0a5f9c-0123-4567-89ab-cdef0123456",
                             "zb0a5f9c-0123-4567-89ab-cdef01234567", "2b0a5f9c-0123-4567-89ab-cdef012345678"})
        EXPECT_FALSE(is_known(parse_random_id(text))) << text;
}

TEST(DurableRecord, EqualInAllParts) {
    constexpr DurableRecord record{1, 2, 3, 4, 5, {6, 7}, 0};
    EXPECT_TRUE(record == record);
    for (DurableRecord other : {DurableRecord{9, 2, 3, 4, 5, {6, 7}, 0}, DurableRecord{1, 9, 3, 4, 5, {6, 7}, 0},
                                DurableRecord{1, 2, 9, 4, 5, {6, 7}, 0}, DurableRecord{1, 2, 3, 9, 5, {6, 7}, 0},
                                DurableRecord{1, 2, 3, 4, 9, {6, 7}, 0}, DurableRecord{1, 2, 3, 4, 5, {9, 7}, 0},
                                DurableRecord{1, 2, 3, 4, 5, {6, 9}, 0}, DurableRecord{1, 2, 3, 4, 5, {6, 7}, 9}})
        EXPECT_FALSE(record == other);
}

constexpr Owner here{700, fingerprint("5")}, elsewhere{800, fingerprint("5")}, changed{800, fingerprint("6")};

// The record after one of `before` that `owner` writes.
DurableRecord carried(const DurableRecord &before, const Owner &owner) {
    DurableRecord record = bare_record(1, 2);
    carry_owner(record, before, owner, {1, 2});
    return record;
}

TEST(Ownership, ACopyIsOneOfAnotherSystemWithTheSameShards) {
    DurableRecord record = carried(bare_record(0, 0), here);
    EXPECT_EQ(record.owner, 700);
    EXPECT_FALSE(is_copy(record, here));
    EXPECT_TRUE(is_copy(record, elsewhere));
    EXPECT_FALSE(is_copy(record, changed)) << "the setting is another";
    EXPECT_FALSE(is_copy(bare_record(0, 0), elsewhere)) << "of nobody";
}

TEST(Ownership, ACopyStaysOneUntilItsShardsAreChanged) {
    DurableRecord record = carried(carried(bare_record(0, 0), here), elsewhere);
    EXPECT_EQ(record.owner, 700);
    EXPECT_TRUE(is_copy(record, elsewhere));
    EXPECT_FALSE(is_copy(record, here)) << "nor is its origin";
    record = carried(record, changed);
    EXPECT_EQ(record.owner, 800);
    EXPECT_FALSE(is_copy(record, changed));
    record = carried(record, elsewhere);
    EXPECT_FALSE(is_copy(record, elsewhere)) << "back to the old shards, by somebody who knows";
}

TEST(Ownership, ARestoredDumpIsACopyOfItsOrigin) {
    DurableRecord restored = with_origin(bare_record(1, 0), 700, elsewhere);
    EXPECT_TRUE(is_copy(restored, elsewhere));
    EXPECT_TRUE(is_copy(carried(restored, elsewhere), elsewhere));
    EXPECT_FALSE(is_copy(with_origin(bare_record(1, 0), 0, elsewhere), elsewhere)) << "dumped here";
    DurableRecord known = carried(bare_record(1, 0), elsewhere);
    EXPECT_TRUE(with_origin(known, 700, elsewhere) == known) << "what the record says counts";
}

TEST(Ownership, ARecordIsInheritedUnlessItWasWrittenHere) {
    EXPECT_TRUE(is_inherited({1, 2, 700, 5, 0, {0, 0}, 0}, 3));
    EXPECT_TRUE(is_inherited(bare_record(1, 2), 3)) << "of CREATE EXTENSION";
    EXPECT_TRUE(is_inherited({1, 0, 700, 5, 0, {0, 0}, 0}, 3)) << "advanced in debt";
    EXPECT_FALSE(is_inherited({1, 3, 700, 5, 0, {0, 0}, 0}, 3)) << "written here";
    EXPECT_TRUE(is_inherited(bare_record(1, 0), 3)) << "restored, here or before the disk was copied";
}

TEST(Ownership, ASystemIdentifierSaysWhenItWasDrawn) {
    EXPECT_EQ(drawn_us(std::uint64_t{1700000000} << 32 | std::uint64_t{999999} << 12 | 0xFFF), 1700000000999999);
    EXPECT_EQ(drawn_us(~std::uint64_t{0}), 4294967295000000 + 0xFFFFF) << "to the year 2106";
}

TEST(Ownership, FingerprintsTellSettingsApart) {
    EXPECT_EQ(fingerprint(""), 0xCBF29CE484222325u);
    EXPECT_EQ(fingerprint("a"), 0xAF63DC4C8601EC8Cu);
    EXPECT_NE(fingerprint("5"), fingerprint("5 "));
    EXPECT_EQ(fingerprint("ar", fingerprint("foob")), fingerprint("foobar"));
    EXPECT_EQ(fingerprint("foobar"), 0x85944171F73967E8u);
}

constexpr std::int64_t ours = 77, theirs = 78;

TEST(DecimalCounter, CountsFromOneUntilItIsUsedUp) {
    DecimalCounter counter{};
    GeneratorCount count{};
    EXPECT_FALSE(counter.take(count)) << "no generator yet";
    counter.begin(5);
    EXPECT_TRUE(counter.take(count));
    EXPECT_EQ(count.counter, 1u);
    EXPECT_EQ(count.generator, 5u);

    counter.begin(6, last_counter - 2);
    EXPECT_TRUE(counter.take(count));
    EXPECT_EQ(count.counter, last_counter - 1);
    EXPECT_FALSE(counter.is_used_up());
    EXPECT_TRUE(counter.take(count));
    EXPECT_EQ(count.counter, last_counter);
    EXPECT_EQ(count.generator, 6u);
    EXPECT_TRUE(counter.is_used_up());
    for (int i = 0; i < 1000; i++) EXPECT_FALSE(counter.take(count));

    counter.begin(7);
    EXPECT_TRUE(counter.take(count));
    EXPECT_EQ(count.counter, 1u);
    EXPECT_EQ(count.generator, 7u);
    counter.forget();
    EXPECT_FALSE(counter.take(count));
}

// What a server knows that has taken that generator since it started; 0: none.
DurableState state_of(std::int64_t taken) {
    DurableState state{};
    if (taken != 0) note_written(state, bare_record(taken, ours), 1);
    return state;
}

TEST(DecimalGenerator, Next) {
    constexpr struct {
        const char *what;
        std::int64_t page, identity, known, next;
    } cases[] = {
        {"the first", 0, ours, 0, 1},
        {"after a restart", 7, ours, 0, 8},
        {"the counter is used up", 7, ours, 7, 8},
        {"a stranger's: some are skipped", 7, theirs, 0, 107},
        {"nobody's, as setval leaves it", 7, 0, 0, 107},
        {"set back by somebody", 3, 0, 7, 107},
        {"set back, our identity beside it", 3, ours, 7, 107},
        {"set forward by somebody", 50, ours, 7, 150},
        {"the last", 99998, ours, 0, 99999},
        {"none is left", 99999, ours, 99999, 100000},
        {"none is left to a stranger", 99950, theirs, 0, 100050},
    };
    for (const auto &c : cases) {
        DurableRecord next = next_generator(state_of(c.known), bare_record(c.page, c.identity), ours, 0, {1, 2});
        EXPECT_EQ(next.value, c.next) << c.what;
        EXPECT_EQ(next.identity, ours) << c.what;
    }
}

}  // namespace
}  // namespace idgen
