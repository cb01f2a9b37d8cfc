// What the server keeps beside its horizon: which machine it is, and the records that are made durable before they are used.
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "core/horizon/durable_record.hpp"
#include "core/horizon/generators.hpp"
#include "core/horizon/machine.hpp"

namespace idgen {
namespace {

MachinePage page_of(std::uint64_t flags) {
    MachinePage page{};
    std::memcpy(&page.magic, "VCLK", 4);
    page.size = 4096;
    page.version = 1;
    page.flags = flags;
    return page;
}

TEST(Machine, APageTellsWhatItsFlagsAndItsSizeSay) {
    MachinePage whole = page_of(1 << 8 | 1);
    EXPECT_EQ(told_by(whole, 4096), MachineTold::generation);
    EXPECT_EQ(told_by(whole, 112), MachineTold::generation);
    EXPECT_EQ(told_by(whole, 111), MachineTold::disruptions) << "the file ends before the generation";
    EXPECT_EQ(told_by(whole, 32), MachineTold::disruptions);
    EXPECT_EQ(told_by(whole, 31), MachineTold::no_page);
    EXPECT_EQ(told_by(page_of(1 << 7), 4096), MachineTold::disruptions) << "another flag";
    MachinePage old = whole;
    old.size = 104;
    EXPECT_EQ(told_by(old, 4096), MachineTold::disruptions) << "of before there was a generation";
    MachinePage other = whole;
    other.version = 2;
    EXPECT_EQ(told_by(other, 4096), MachineTold::no_page);
    std::memcpy(&other.magic, "KLCV", 4);
    other.version = 1;
    EXPECT_EQ(told_by(other, 4096), MachineTold::no_page);
}

TEST(Machine, OnlyRootAndTheServerMayWriteAFileThatStandsForThePage) {
    constexpr std::uint32_t root = 0, user = 101, group = 104, other = 1000, nobody = 65534;
    auto stranger = [](std::uint32_t owner, std::uint32_t of_group, std::uint32_t mode) {
        return stranger_of({owner, of_group, mode | 0100000, true, true, false}, user, group);
    };
    EXPECT_EQ(stranger(root, other, 0644), PageWriter::none);
    EXPECT_EQ(stranger(user, other, 0755), PageWriter::none);
    EXPECT_EQ(stranger(user, root, 0660), PageWriter::none);
    EXPECT_EQ(stranger(root, group, 0664), PageWriter::none);
    EXPECT_EQ(stranger(root, other, 0660), PageWriter::group);
    EXPECT_EQ(stranger(root, user, 0660), PageWriter::group) << "a user's number is not a group's";
    EXPECT_EQ(stranger(group, group, 0600), PageWriter::owner) << "nor the other way round";
    EXPECT_EQ(stranger(user, group, 0602), PageWriter::all);
    EXPECT_EQ(stranger(root, root, 0666), PageWriter::all);
    EXPECT_EQ(stranger(other, group, 0400), PageWriter::owner) << "an owner can change the mode";
    EXPECT_EQ(stranger(nobody, root, 0444), PageWriter::owner);
}

TEST(Machine, AStrangerWhomTheNamespaceLacksMayOwnAFileThatIsMountedToBeRead) {
    constexpr std::uint32_t nobody = 65534;
    auto stranger = [](PageFile file) { return stranger_of(file, 101, 104); };
    EXPECT_EQ(stranger({nobody, nobody, 0664, false, false, true}), PageWriter::none);
    EXPECT_EQ(stranger({nobody, nobody, 0664, false, false, false}), PageWriter::owner);
    EXPECT_EQ(stranger({nobody, nobody, 0644, true, false, true}), PageWriter::owner) << "a user of that name";
    EXPECT_EQ(stranger({0, nobody, 0664, true, true, true}), PageWriter::group);
    EXPECT_EQ(stranger({0, nobody, 0664, true, false, false}), PageWriter::group);
    EXPECT_EQ(stranger({nobody, nobody, 0646, false, false, true}), PageWriter::all);
    EXPECT_EQ(stranger_of({nobody, nobody, 0600, false, false, false}, nobody, nobody), PageWriter::owner)
        << "the server's own user is one that the namespace lacks";
}

TEST(Machine, EachGenerationHasANameThatIsNotThatOfNone) {
    std::set<std::uint64_t> names{0};
    for (std::uint64_t generation = 0; generation < 1000; generation++) {
        names.insert(machine_name(MachineTold::generation, generation));
        names.insert(machine_name(MachineTold::generation, generation << 32 | 1));
        EXPECT_EQ(machine_name(MachineTold::disruptions, generation), 0u);
    }
    EXPECT_EQ(names.size(), 2000u) << "0 and 1 are among both";
}

TEST(Machine, AServerHasAnotherIdentityInEach) {
    std::int64_t identity = identity_of(1, 7000000000000000001);
    std::set<std::int64_t> identities{identity};
    for (std::uint64_t generation = 0; generation < 1000; generation++)
        identities.insert(identity_in(identity, machine_name(MachineTold::generation, generation)));
    EXPECT_EQ(identities.size(), 1001u);
    EXPECT_LT(*identities.rbegin(), -1) << "a sequence that keeps it has logged no value ahead";
    EXPECT_EQ(identity_in(identity, 0), identity) << "nothing is told";
    EXPECT_NE(identity_in(identity_of(2, 7000000000000000001), 5), identity_in(identity, 5));
}

constexpr BootId boot{1, 2}, other_boot{1, 3};

TEST(Machine, ARecordIsOfTheOriginOfACopyUntilThatIsConfirmedOrBooted) {
    DurableRecord record = bare_record(1, 2);
    record.machine = 5;
    record.boot = boot;
    constexpr Owner copy{1, 6, 6}, same{1, 5, 5}, untold{1, 0, 0}, running{1, 6, 5}, confirmed{1, 5, 4};
    EXPECT_TRUE(is_copied_machine(record, copy, boot));
    EXPECT_FALSE(is_copied_machine(record, same, boot));
    EXPECT_FALSE(is_copied_machine(record, copy, other_boot)) << "the host may count from the beginning";
    EXPECT_FALSE(is_copied_machine(record, untold, boot)) << "nothing is told now";
    EXPECT_TRUE(is_copied_machine(record, running, other_boot))
        << "no ID was made since the boot, and then it was copied";
    EXPECT_FALSE(is_copied_machine(record, confirmed, boot)) << "copied, and confirmed since";
    record.boot = {0, 0};
    EXPECT_TRUE(is_copied_machine(record, copy, boot)) << "which boot it was is not known";
    record.machine = 0;
    EXPECT_FALSE(is_copied_machine(record, copy, boot)) << "nothing was told then";
    EXPECT_TRUE(is_copied_machine(record, running, boot)) << "no ID was made before it was copied";
}

TEST(Machine, ACopyWritesTheMachineOfItsOriginUntilItIsConfirmed) {
    DurableRecord before = bare_record(1, 2), record = before;
    before.machine = 5;
    before.boot = boot;
    carry_owner(record, before, {1, 6, 6}, boot);
    EXPECT_EQ(record.machine, 5u);
    carry_owner(record, before, {1, 6, 6}, other_boot);
    EXPECT_EQ(record.machine, 6u);
    carry_owner(record, before, {1, 0, 0}, boot);
    EXPECT_EQ(record.machine, 5u) << "nothing is told for a while";
}

TEST(Machine, TheNextGeneratorIsOfThisMachineAndFarFromThatOfBefore) {
    DurableRecord page = bare_record(7, identity_in(-9, 5));
    DurableRecord next = next_generator({}, page, identity_in(-9, 6), 6, boot);
    EXPECT_EQ(next.value, 7 + generators_skipped);
    EXPECT_EQ(next.machine, 6u);
    EXPECT_TRUE(next.boot == boot);
    EXPECT_EQ(next_generator({}, next, identity_in(-9, 6), 6, boot).value, next.value + 1);
}

TEST(Machine, AGeneratorInUseIsForgottenInAnother) {
    Generators generators{};
    note_machine(generators, 0);
    generators.counter.begin(3);
    note_machine(generators, 0);
    EXPECT_FALSE(generators.counter.is_used_up());
    generators.record = {bare_record(3, 2), 4, 5, true};
    note_machine(generators, 1);
    EXPECT_TRUE(generators.counter.is_used_up());
    EXPECT_EQ(generators.record.pending, 0);
    EXPECT_EQ(last_taken(generators), 3) << "the extension may be created again";
    EXPECT_EQ(generators.machine, 1u);
}

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

constexpr Owner here{700}, elsewhere{800};

// The record after one of `before` that `owner` writes.
DurableRecord carried(const DurableRecord &before, const Owner &owner) {
    DurableRecord record = bare_record(1, 2);
    carry_owner(record, before, owner, {1, 2});
    return record;
}

TEST(Ownership, ACopyIsOneOfAnotherSystemAndStaysOne) {
    DurableRecord record = carried(bare_record(0, 0), here);
    EXPECT_EQ(record.owner, 700);
    EXPECT_FALSE(is_copy(record, here));
    EXPECT_TRUE(is_copy(record, elsewhere));
    EXPECT_FALSE(is_copy(bare_record(0, 0), elsewhere)) << "of nobody";
    record = carried(record, elsewhere);
    EXPECT_EQ(record.owner, 700);
    EXPECT_TRUE(is_copy(record, elsewhere));
    EXPECT_FALSE(is_copy(record, here)) << "nor is its origin";
}

TEST(Ownership, ARestoredDumpIsACopyOfItsOrigin) {
    DurableRecord restored = with_origin(bare_record(1, 0), 700);
    EXPECT_TRUE(is_copy(restored, elsewhere));
    EXPECT_TRUE(is_copy(carried(restored, elsewhere), elsewhere));
    EXPECT_FALSE(is_copy(with_origin(bare_record(1, 0), 0), elsewhere)) << "dumped here";
    DurableRecord known = carried(bare_record(1, 0), elsewhere);
    EXPECT_TRUE(with_origin(known, 700) == known) << "what the record says counts";
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
