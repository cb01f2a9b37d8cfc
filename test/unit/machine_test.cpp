#include "core/horizon/machine.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "core/horizon/durable_record.hpp"
#include "core/horizon/generators.hpp"

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
