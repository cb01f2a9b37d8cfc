#include "core/horizon/renewal.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/draw/renewal_order.hpp"

namespace idgen {
namespace {

constexpr std::int64_t t = 1767225600000;  // 2026-01-01
constexpr std::int64_t ours = 77, theirs = 78, boot_ms = t - 1000000;
constexpr std::int64_t owed = 1301;  // where a server begins that finds another's record
constexpr BootId boot{3, 4};
constexpr Owner owner{1001};

class RenewalTest : public testing::Test {
   protected:
    RenewalTest() { forget(accepted); }

    // A clock that is `ms` after t.
    ServerView at(std::int64_t ms) const {
        return {ours, {t + ms, boot_ms}, 0, boot, 0, owner, 0, false, false, false, {1000, 300, 500}, {60000, 3000}};
    }
    // The next record, or whatever the renewal says instead.
    PageVerdict judge(const DurableRecord &page, std::int64_t start_ms) {
        HorizonRenewal renewal{horizon, accepted, server, t + start_ms};
        return renewal.judge(page);
    }
    // The same at the time when what is owed from t on can be paid.
    PageVerdict judge_later(const DurableRecord &page) {
        server.clock.now_ms += owed;
        PageVerdict verdict = judge(page, owed);
        server.clock.now_ms -= owed;
        return verdict;
    }
    // Loads a page of this server's, so that the next look may write.
    void load(const DurableRecord &page) { EXPECT_FALSE(judge(page, 0).is_to_write); }

    Horizon horizon{};
    AcceptedClock accepted;
    ServerView server = at(0);
    DurableRecord page{t + 500, ours, owner.system_identifier, 0, boot_ms, boot, 0};
};

TEST_F(RenewalTest, LoadsThenWritesThenGrants) {
    HorizonRenewal renewal{horizon, accepted, server, t + 500};
    EXPECT_EQ(renewal.begin(), RenewalStep::read_page);
    PageVerdict loaded = renewal.judge(page);
    EXPECT_FALSE(loaded.is_to_write);
    EXPECT_EQ(loaded.outcome.renewal, Renewal::granted) << "try again, the floor rose";
    EXPECT_TRUE(renewal.has_loaded);
    EXPECT_EQ(horizon.floor_ms, t + 500);
    PageVerdict verdict = renewal.judge(page);
    ASSERT_TRUE(verdict.is_to_write);
    EXPECT_FALSE(renewal.has_loaded);
    EXPECT_EQ(verdict.record.value, t + 1500);
    EXPECT_EQ(verdict.record.identity, ours);
    EXPECT_EQ(verdict.record.owner, owner.system_identifier);
    EXPECT_EQ(verdict.record.accepted_clock_ms, boot_ms);
    EXPECT_EQ(horizon.granted_ms, 0);
    renewal.note_written(verdict.record, 9);
    EXPECT_EQ(horizon.granted_ms, 0) << "written is not flushed";
    EXPECT_EQ(renewal.state().lsn, 9u);
    EXPECT_EQ(renewal.begin(), RenewalStep::look_again);
    renewal.grant();
    EXPECT_EQ(horizon.granted_ms, t + 1500);
    EXPECT_EQ(renewal.begin(), RenewalStep::done) << "half of the window is left";
}

TEST_F(RenewalTest, ARecordIsOnItsWayUntilItIsFlushedOrNeeded) {
    load(page);
    auto flushed_to = [](std::uint64_t to) { return [to](std::uint64_t lsn) { return lsn <= to; }; };
    horizon.granted_ms = t + 1000;
    EXPECT_FALSE(is_on_its_way(horizon, t + 500, 1000, flushed_to(8))) << "there is none";
    note_written(horizon, {t + 1500, ours, 0, 0, 0, {0, 0}, 0}, 9);
    EXPECT_TRUE(is_on_its_way(horizon, t + 500, 1000, flushed_to(8)));
    EXPECT_FALSE(is_on_its_way(horizon, t + 500, 1000, flushed_to(9)));
    EXPECT_TRUE(is_on_its_way(horizon, t + 874, 1000, flushed_to(8)));
    EXPECT_FALSE(is_on_its_way(horizon, t + 875, 1000, flushed_to(8))) << "an eighth of the window is left";
    EXPECT_TRUE((HorizonRenewal{horizon, accepted, server, t + 874}.is_ahead()));
    EXPECT_FALSE((HorizonRenewal{horizon, accepted, server, t + 875}.is_ahead()));
}

TEST_F(RenewalTest, APendingRecordTooLowIsNotWaitedFor) {
    load(page);
    note_written(horizon, {t + 1500, ours, 0, 0, 0, {0, 0}, 0}, 9);
    EXPECT_EQ((HorizonRenewal{horizon, accepted, server, t + 1499}.begin()), RenewalStep::look_again);
    EXPECT_EQ((HorizonRenewal{horizon, accepted, server, t + 1500}.begin()), RenewalStep::read_page);
}

TEST_F(RenewalTest, ADebtIsPaidByTheClockAsItIsNow) {
    page.identity = theirs;
    load(page);
    EXPECT_EQ(horizon.floor_ms, t + owed);
    server = at(owed - server.rules.max_lead_ms - 1);
    EXPECT_FALSE(judge(page, owed).is_to_write) << "a clock that stood further ahead admitted the tick";
    EXPECT_TRUE(horizon.is_indebted);
    server = at(owed - server.rules.max_lead_ms);
    EXPECT_TRUE(judge(page, owed).is_to_write);
}

TEST_F(RenewalTest, WhatIsRefused) {
    EXPECT_EQ(judge(bare_record(5, ours), 0).outcome.renewal, Renewal::out_of_bounds);
    EXPECT_EQ(judge(bare_record(5, ours), 0).outcome.detail, 5);
    EXPECT_EQ(horizon.floor_ms, 0) << "nothing is loaded from it";
    load(page);
    EXPECT_EQ(judge(page, 499).outcome.renewal, Renewal::granted) << "a tick below the floor: try again";
    EXPECT_FALSE(judge(page, 499).is_to_write);
    server = at(90000);
    server.clock.difference_ms += 90000;
    PageVerdict jumped = judge(page, 90000);
    EXPECT_EQ(jumped.outcome.renewal, Renewal::clock_jumped);
    EXPECT_EQ(jumped.outcome.detail, 90000);
    confirm(accepted, boot_ms + 90000);
    EXPECT_TRUE(judge(page, 90000).is_to_write) << "somebody said that it is right";
}

TEST_F(RenewalTest, ACopyIsRefusedUntilItIsAdmitted) {
    page.owner = 2002;
    load(page);
    EXPECT_EQ(judge(page, 500).outcome.renewal, Renewal::copied);
    EXPECT_EQ(judge(page, 500).outcome.detail, 2002);
    server.admits_copy = true;
    EXPECT_EQ(judge(page, 500).record.owner, 2002) << "and stays one";
}

TEST_F(RenewalTest, ACopiedMachineIsRefusedUntilItIsAdmitted) {
    page.machine = 5;
    server.owner.machine = server.owner.began = 6;
    server.admits_copy = server.admits_inherited = true;
    load(page);
    EXPECT_EQ(judge(page, 500).outcome.renewal, Renewal::resumed);
    server.admits_resumed = true;
    EXPECT_EQ(judge(page, 500).record.machine, 5u) << "and stays one";
    server.admits_resumed = false;
    server.boot = {77, 78};
    EXPECT_EQ(judge(page, 500).record.machine, 6u) << "booted";
}

TEST_F(RenewalTest, AGeneratorOfACopiedMachineIsRefused) {
    Generators generators{};
    page = bare_record(3, ours);
    page.machine = 5;
    page.boot = boot;
    server.owner.machine = server.owner.began = 6;
    GeneratorRenewal renewal{generators, server};
    EXPECT_EQ(renewal.judge(page).outcome.renewal, Renewal::resumed);
    server.admits_resumed = true;
    EXPECT_EQ(renewal.judge(page).record.machine, 6u);
}

// After pg_createsubscriber, by default.
TEST_F(RenewalTest, ACopyThatCameWithTheDiskIsRefusedOnItsOwn) {
    page.owner = 2002;
    page.identity = theirs;
    server.admits_copy = true;
    load(page);
    EXPECT_EQ(judge_later(page).outcome.renewal, Renewal::converted);
    EXPECT_EQ(judge_later(page).outcome.detail, 2002);
    server.admits_inherited = true;
    EXPECT_TRUE(judge_later(page).is_to_write);
}

TEST_F(RenewalTest, ACopyThatThisServerHasAdmittedGoesOn) {
    server.admits_copy = true;
    page.owner = 2002;
    load(page);
    EXPECT_TRUE(judge(page, 500).is_to_write) << "written here";
    server.foreign_origin = 2002;
    forget(horizon);
    load(bare_record(t + 500, 0));
    EXPECT_EQ(judge_later(bare_record(t + 500, 0)).outcome.renewal, Renewal::converted) << "a restored dump";
    forget(horizon);
    load(bare_record(t + 500, theirs));
    EXPECT_EQ(judge_later(bare_record(t + 500, theirs)).outcome.renewal, Renewal::converted)
        << "of an extension that made no ID before the disk was copied";
}

// With a registry, which it may leave again.
TEST_F(RenewalTest, ACopyWhoseShardsAreTheRegistrysConfirmsNothing) {
    page.owner = 2002;
    page.identity = theirs;
    server.admits_copy = server.has_registry = true;
    load(page);
    DurableRecord written = judge_later(page).record;
    EXPECT_EQ(written.identity, theirs);
    note_written(horizon, written, 1);
    note_flushed(horizon);
    server = at(5000);
    server.admits_copy = true;
    EXPECT_EQ(judge(written, 5000).outcome.renewal, Renewal::converted);
}

TEST_F(RenewalTest, ARecordWithoutAnOwnerHasTheDatabasesOrigin) {
    page.owner = 0;
    server.foreign_origin = 2002;
    load(page);
    EXPECT_EQ(judge(page, 500).outcome.renewal, Renewal::copied);
    server.foreign_origin = 0;
    EXPECT_TRUE(judge(page, 500).is_to_write);
}

TEST_F(RenewalTest, WhatMayBeACloneProvesNothing) {
    page.identity = theirs;
    load(page);
    server = at(5000);
    server.has_clone = true;
    PageVerdict verdict = judge(page, 5000);
    ASSERT_TRUE(verdict.is_to_write);
    EXPECT_EQ(verdict.record.identity, 0);
    note_written(horizon, verdict.record, 1);
    note_flushed(horizon);
    EXPECT_EQ(judge(verdict.record, 7000).record.identity, 0) << "nor does what it wrote itself";
    server.has_clone = false;
    EXPECT_EQ(judge(verdict.record, 7000).record.identity, ours);
}

TEST_F(RenewalTest, AnOriginStaysItselfBesideItsClone) {
    load(page);
    server.has_clone = true;
    EXPECT_EQ(judge(page, 500).record.identity, ours);
}

TEST_F(RenewalTest, TheConfirmationsAreThoseBeforeTheClockWasRead) {
    server.confirmations = 2;
    HorizonRenewal renewal{horizon, accepted, server, t + 500};
    renewal.note_written(page, 1);
    EXPECT_EQ(horizon.confirmations, 2u);
}

TEST(GeneratorRenewal, TakesTheNextOnceItIsGranted) {
    Generators generators{};
    ServerView server{};
    server.identity = ours;
    GeneratorRenewal renewal{generators, server};
    EXPECT_EQ(renewal.begin(), RenewalStep::read_page);
    PageVerdict verdict = renewal.judge(bare_record(7, ours));
    ASSERT_TRUE(verdict.is_to_write);
    EXPECT_EQ(verdict.record.value, 8);
    renewal.note_written(verdict.record, 4);
    EXPECT_EQ(renewal.begin(), RenewalStep::look_again);
    EXPECT_TRUE(generators.counter.is_used_up()) << "flushed is not acknowledged";
    renewal.grant();
    EXPECT_EQ(renewal.begin(), RenewalStep::done);
    GeneratorCount count{};
    EXPECT_TRUE(generators.counter.take(count));
    EXPECT_EQ(count.generator, 8u);
    EXPECT_EQ(last_taken(generators), 8);
}

TEST(GeneratorRenewal, NoneIsLeft) {
    Generators generators{};
    ServerView server{};
    server.identity = ours;
    GeneratorRenewal renewal{generators, server};
    EXPECT_EQ(renewal.judge(bare_record(last_generator, ours)).outcome.renewal, Renewal::out_of_bounds);
    EXPECT_EQ(renewal.judge(bare_record(-1, ours)).outcome.renewal, Renewal::out_of_bounds);
    EXPECT_EQ(renewal.judge(bare_record(99950, theirs)).outcome.detail, 99950);
}

// A server that remembers what it was asked for, in which order.
struct OrderedHost {
    RecordPage page;
    std::uint64_t told = 0;
    std::string asked{};

    std::uint64_t machine() const { return told; }
    void leave_numbers() { asked += "leave "; }
    bool try_lock() {
        asked += "lock ";
        return true;
    }
    void unlock() { asked += "unlock "; }
    Renewal lock_page(RecordPage &read) {
        asked += "page ";
        read = page;
        return Renewal::granted;
    }
    std::uint64_t lsn() const { return 6; }
    std::uint64_t write_page(const RecordPage &written) {
        asked += "write ";
        page = written;
        return 7;
    }
    void note_write(const DurableRecord &) {}
    void unlock_page() {}
    bool is_flushed(std::uint64_t) const { return true; }
    void flush(std::uint64_t) {}
    void flush_later(std::uint64_t) {}
    bool is_acknowledged(std::uint64_t) const { return true; }
    void note_granted() {}
};

TEST_F(RenewalTest, ARenewalIsOfTheMachineAsItIsUnderTheLock) {
    Generators generators{};
    OrderedHost host{{bare_record(8, ours), {}}};
    CounterRenewal renewal{{generators, server}};
    host.told = 1;
    EXPECT_EQ(renew(host, renewal).renewal, Renewal::busy);
    EXPECT_EQ(host.asked, "lock unlock ");
    server.machine = 1;
    host.asked = {};
    EXPECT_EQ(renew(host, renewal).renewal, Renewal::granted);
    EXPECT_EQ(host.asked, "leave lock page write unlock ");
    EXPECT_EQ(generators.machine, 1u);
    EXPECT_EQ(host.page.record.value, 9);
}

// What was written for the machine of before is granted to no copy of it.
TEST_F(RenewalTest, APendingRecordIsOfItsMachine) {
    struct {
        Horizon &horizon;
        const ServerView &server;
        std::string begun{};

        std::uint64_t machine() const { return horizon.machine; }
        RenewalStep begin() {
            begun += "begun ";
            return RenewalStep::done;
        }
        DurableState state() const { return horizon.record; }
        bool is_ahead() const { return false; }
        void note_flushed() {}
        void grant(OrderedHost &) {}
    } renewal{horizon, server};
    OrderedHost host{};
    Outcome outcome{};
    horizon.pending_lsn = 7;
    EXPECT_TRUE(renew_by_pending(host, renewal, outcome));
    EXPECT_EQ(renewal.begun, "begun ");
    host.told = 1;
    EXPECT_FALSE(renew_by_pending(host, renewal, outcome)) << "copied since the session looked";
    server.machine = 1;
    EXPECT_FALSE(renew_by_pending(host, renewal, outcome)) << "or before, and nobody noted it";
    horizon.machine = 1;
    EXPECT_TRUE(renew_by_pending(host, renewal, outcome));
    EXPECT_EQ(renewal.begun, "begun begun ");
}

TEST(Stall, CountsForAMinuteAfterTheLastRequest) {
    constexpr std::int64_t begin_ms = (std::int64_t{1} << 32) - 10'000;
    std::uint64_t stall = extended_stall(extended_stall(0, begin_ms), begin_ms + 15'148);
    EXPECT_EQ(stall_ms(0, begin_ms), 0U);
    EXPECT_EQ(stall_ms(stall, begin_ms + 15'148), 15'148U);
    EXPECT_EQ(stall_ms(stall, begin_ms + 75'148), 15'148U);
    EXPECT_EQ(stall_ms(stall, begin_ms + 75'149), 0U);
}

TEST(Patience, AfterEachOutcome) {
    constexpr struct {
        Renewal renewal;
        std::int64_t waited_ms, max_wait_ms;
        Patience patience;
    } cases[] = {
        {Renewal::granted, 9999, 0, Patience::go_on},
        {Renewal::busy, 999, 0, Patience::wait},
        {Renewal::busy, 1000, 0, Patience::exhausted},
        {Renewal::busy, 4999, 5000, Patience::wait},
        {Renewal::locked, 0, 0, Patience::exhausted},
        {Renewal::not_acknowledged, 4999, 5000, Patience::wait},
        {Renewal::not_acknowledged, 5000, 5000, Patience::exhausted},
        {Renewal::no_record, 0, 5000, Patience::refused},
        {Renewal::clock_jumped, 0, 5000, Patience::refused},
        {Renewal::copied, 0, 5000, Patience::refused},
    };
    for (const auto &c : cases)
        EXPECT_EQ(patience_after(c.renewal, c.waited_ms, c.max_wait_ms), c.patience)
            << static_cast<int>(c.renewal) << ' ' << c.waited_ms;
}

}  // namespace
}  // namespace idgen
