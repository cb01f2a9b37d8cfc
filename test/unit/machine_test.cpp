#include "core/durable/machine.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "core/durable/durable_record.hpp"

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
    constexpr Owner copy{1, 2, 6, 6}, same{1, 2, 5, 5}, untold{1, 2, 0, 0}, running{1, 2, 6, 5}, confirmed{1, 2, 5, 4};
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
    carry_owner(record, before, {1, 2, 6, 6}, boot);
    EXPECT_EQ(record.machine, 5u);
    carry_owner(record, before, {1, 3, 6, 6}, boot);
    EXPECT_EQ(record.machine, 5u) << "other shards are no word";
    carry_owner(record, before, {1, 2, 6, 6}, other_boot);
    EXPECT_EQ(record.machine, 6u);
    carry_owner(record, before, {1, 2, 0, 0}, boot);
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

}  // namespace
}  // namespace idgen
