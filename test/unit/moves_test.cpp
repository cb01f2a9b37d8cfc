#include "core/draw/moves.hpp"

#include <gtest/gtest.h>

#include <string>

#include "shared_memory.hpp"

namespace idgen {
namespace {

constexpr std::int64_t t = 1767225600000;  // 2026-01-01
constexpr std::int64_t ours = 77, theirs = 78;
constexpr Layout layout{0, 1, 41, 0, 4, 2, 0, 0};

TEST(Moves, FirstHorizonLiesAboveClockAndCheckpoint) {
    constexpr struct {
        const char *what;
        std::int64_t now_ms, checkpoint_s, horizon_ms;
    } cases[] = {
        {"a checkpoint not known", 9500, 0, 10000},        {"a second that is over", 9500, 8, 10000},
        {"a second that is not: its end", 9500, 9, 10499}, {"its last ms", 9999, 9, 10499},
        {"a second to come: its end", 9500, 12, 13499},
    };
    for (const auto &c : cases) EXPECT_EQ(first_horizon_ms(c.now_ms, c.checkpoint_s, 500), c.horizon_ms) << c.what;
}

// A server that remembers what it was asked for, in which order.
struct AskedHost {
    TestDatabase &moved;
    TestDirectory &slots;
    RecordPage page;
    Renewal page_is = Renewal::granted;
    int standbys_wait = 2;
    bool remembers_it = true;
    std::string asked{};

    std::uint64_t told = 0;
    std::uint32_t leased = 99;
    std::int64_t leased_from_ms = 0;

    std::uint64_t machine() const { return told; }
    void leave_numbers() { asked += "leave "; }
    void lock_patiently() { asked += "lock "; }
    void unlock() { asked += "unlock "; }
    Renewal lock_page(RecordPage &read) {
        asked += "page ";
        read = page;
        return page_is;
    }
    std::uint64_t write_page(const RecordPage &written) {
        asked += "write ";
        page = written;
        return 7;
    }
    void unlock_page() { asked += "unlock_page "; }
    void flush(std::uint64_t lsn) { asked += lsn == 7 ? "flush " : "flush something else "; }
    bool is_acknowledged(std::uint64_t lsn) const { return lsn == 7 && standbys_wait == 0; }
    void wait_for_standbys() {
        asked += "wait ";
        standbys_wait--;
    }
    TestDatabase &database() { return moved; }
    template <class Visit>
    void in_directory(Visit visit) {
        asked += "directory(";
        visit(slots);
        asked += ") ";
    }
    std::int64_t clock_difference_ms() {
        asked += "clock ";
        return 42;
    }
    std::int64_t number_begins_ms(std::uint32_t number) const { return number == leased ? leased_from_ms : 0; }
    bool remembers() const { return remembers_it; }
    std::uint64_t write_first(const DurableRecord &record) {
        asked += "first ";
        page.record = record;
        return 7;
    }
};

class MovesTest : public testing::Test {
   protected:
    MovesTest() { forget(accepted); }

    // A slot that has come to the tick at `ms` after t.
    SlotReference<NoLock> slot_at(std::int64_t ms, std::uint32_t shard = 1) {
        Shortage shortage = Shortage::none;
        SlotRequest request{{key_of(layout), 11, shard}, layout, SlotUse::own, 4, t, 0};
        auto slot = memory.directory.obtain(database, request, shortage);
        slot.entry->slot.tick = t + ms;
        return slot;
    }
    // The same, of which it has made IDs.
    SlotReference<NoLock> made_at(std::int64_t ms, std::uint32_t shard = 1) {
        auto slot = slot_at(ms, shard);
        slot.entry->slot.sequence = 0;
        return slot;
    }
    void load(const DurableRecord &page) { admit_page(horizon, page, ours, server.clock, server.rules); }
    AdvanceMove advance(std::int64_t ms) const { return {server, t + ms}; }
    ResetMove reset(std::int64_t ms, bool is_forced = true) { return {server, accepted, t + ms, is_forced, {}, 0}; }
    ResetMove reset_to_last() { return {server, accepted, 0, false, {}, 0}; }
    ConfirmMove confirmation() const { return {server, 0}; }
    // What a move makes of a page.
    template <class Move>
    DurableRecord moved(Move move, const DurableRecord &page) {
        host.page.record = page;
        host.standbys_wait = 0;
        EXPECT_EQ(move_by_hand(host, move).renewal, Renewal::granted);
        return host.page.record;
    }

    SharedMemory memory{4};
    TestDatabase &database = *memory.directory.enter(11, 1, false);
    Horizon &horizon = database.horizon;
    AcceptedClock accepted;
    ServerView server{ours, {t, 0}, 0, {3, 4}, 0, {1001}, 0, false, false, false, {1000, 300, 500}, {60000, 3000}};
    AskedHost host{database, memory.directory, {bare_record(t + 500, ours), {}}};
};

TEST_F(MovesTest, AreMadeInThatOrder) {
    EXPECT_EQ(move_by_hand(host, advance(2000)).renewal, Renewal::granted);
    EXPECT_EQ(host.asked, "lock page write unlock_page flush directory() unlock wait wait ");
    host.asked = {};
    move_by_hand(host, reset(100));
    EXPECT_EQ(host.asked, "lock directory() page write unlock_page flush clock directory() unlock ")
        << "the standbys have it";
    host.asked = {};
    move_by_hand(host, confirmation());
    EXPECT_EQ(host.asked, "lock page write unlock_page flush unlock ");
}

TEST_F(MovesTest, AreNotMadeByWhatWasKnownBeforeTheMachineWasCopied) {
    load(bare_record(t + 500, ours));
    host.told = 1;
    EXPECT_EQ(move_by_hand(host, advance(2000)).renewal, Renewal::busy) << "look at the server again";
    EXPECT_EQ(host.asked, "lock unlock ");
    EXPECT_EQ(horizon.machine, 0u);
    host.asked = {};
    server.machine = 1;
    server.identity = ours + 1;
    EXPECT_EQ(move_by_hand(host, advance(2000)).renewal, Renewal::granted);
    EXPECT_EQ(host.asked, "leave lock page write unlock_page flush directory() unlock wait wait ");
    EXPECT_EQ(horizon.machine, 1u);
    EXPECT_EQ(host.page.record.identity, 0) << "what is owed is not paid yet";
}

TEST_F(MovesTest, AConfirmationIsOfThisMachineGeneratorsToo) {
    server.owner.machine = server.owner.began = 6;
    DurableRecord page = bare_record(t + 500, ours);
    page.machine = 5;
    page.boot = server.boot;
    EXPECT_EQ(moved(confirmation(), page).machine, 6u);
    host.asked = {};
    page.value = 8;
    host.page.record = page;
    EXPECT_EQ(confirm_generators(host, server, server.machine).renewal, Renewal::granted);
    EXPECT_EQ(host.asked, "lock page write unlock_page flush unlock ");
    EXPECT_EQ(host.page.record.machine, 6u);
    host.asked = {};
    confirm_generators(host, server, server.machine);
    EXPECT_EQ(host.asked, "lock page unlock_page unlock ") << "nothing is to be confirmed";
}

TEST_F(MovesTest, AreRefusedWithNothingWrittenAndNothingLocked) {
    host.page_is = Renewal::newer_record;
    EXPECT_EQ(move_by_hand(host, advance(2000)).renewal, Renewal::newer_record);
    EXPECT_EQ(host.asked, "lock page unlock ");
    host.page_is = Renewal::granted;
    host.page.record = bare_record(5, ours);
    host.asked = {};
    Outcome outcome = move_by_hand(host, advance(2000));
    EXPECT_EQ(outcome.renewal, Renewal::out_of_bounds);
    EXPECT_EQ(outcome.detail, 5);
    EXPECT_EQ(host.asked, "lock page unlock_page unlock ");
    EXPECT_EQ(horizon.floor_ms, 0);
}

TEST_F(MovesTest, ARecordIsCreatedInThatOrder) {
    slot_at(700);
    create_horizon(host, t + 300, {1, false});
    EXPECT_EQ(host.asked, "lock directory() unlock first flush ");
    EXPECT_EQ(host.page.record, bare_record(t + 701, 1));
    host.asked = {};
    database.generators.record = {bare_record(8, ours), 0, 0, true};
    create_generators(host, 1);
    EXPECT_EQ(host.asked, "lock unlock first flush ");
    EXPECT_EQ(host.page.record, bare_record(8, ours));
    host.asked = {};
    host.remembers_it = false;
    create_horizon(host, t + 300, {1, false});
    EXPECT_EQ(host.asked, "first flush ");
    EXPECT_EQ(host.page.record, bare_record(t + 300, 1));
}

TEST_F(MovesTest, AHorizonBeginsAboveWhatIsKnown) {
    slot_at(700);
    horizon.granted_ms = t + 900;
    EXPECT_EQ(begin_horizon(memory.directory, database, t + 300, {1, false}), bare_record(t + 701, 1));
    EXPECT_EQ(horizon.granted_ms, 0);
    EXPECT_EQ(horizon.floor_ms, t + 701);
    EXPECT_EQ(begin_horizon(memory.directory, database, t + 5000, {1, false}), bare_record(t + 5000, 1));
}

TEST_F(MovesTest, AHorizonBeginsNoLowerThanReadersMayStillBeTold) {
    slot_at(700);
    horizon.durable_ms = t + 900;
    EXPECT_EQ(begin_horizon(memory.directory, database, t + 300, {1, false}), bare_record(t + 900, 1));
    EXPECT_EQ(horizon.floor_ms, t + 701);
}

// A successor does not know what the servers before it made.
TEST_F(MovesTest, ASuccessorOwesAWaitUnlessItHasSeenTheRecord) {
    create_horizon(host, t + 300, {ours, true});
    EXPECT_EQ(host.page.record.identity, 0);
    load(bare_record(t + 300, ours));
    create_horizon(host, t + 300, {ours, true});
    EXPECT_EQ(host.page.record.identity, ours);
    create_horizon(host, t + 300, {ours, true});
    EXPECT_EQ(host.page.record.identity, 0) << "created twice, and nothing drawn between";
    host.remembers_it = false;
    create_horizon(host, t + 300, {ours, true});
    EXPECT_EQ(host.page.record.identity, 0);
}

// Other copies of the machine may have made more than is known here.
TEST_F(MovesTest, AMachineThatWasCopiedSinceOwesAWaitToo) {
    load(bare_record(t + 300, ours));
    database.generators.record = {bare_record(8, ours), 0, 0, true};
    host.told = 1;
    create_horizon(host, t + 300, {ours, false});
    EXPECT_EQ(host.page.record.identity, 0);
    create_generators(host, theirs);
    EXPECT_EQ(host.page.record, bare_record(8, ours)) << "of the machine of before";
    note_machine(horizon, 1);
    create_horizon(host, t + 300, {ours, false});
    EXPECT_EQ(host.page.record.identity, 0) << "noted, and not loaded since";
    load(bare_record(t + 300, ours));
    create_horizon(host, t + 300, {ours, false});
    EXPECT_EQ(host.page.record.identity, ours);
}

TEST_F(MovesTest, AnAdvanceMovesFloorRecordAndSlots) {
    auto low = slot_at(100), high = slot_at(2500, 2);
    horizon.granted_ms = t + 900;
    DurableRecord record = moved(advance(2000), bare_record(t + 500, ours));
    EXPECT_EQ(record.value, t + 2000);
    EXPECT_EQ(record.identity, ours);
    EXPECT_EQ(record.owner, 1001);
    EXPECT_EQ(horizon.floor_ms, t + 2000);
    EXPECT_EQ(horizon.granted_ms, 0);
    EXPECT_EQ(horizon.advanced_ms, t + 2000);
    EXPECT_EQ(low.entry->slot.tick, t + 1999);
    EXPECT_EQ(high.entry->slot.tick, t + 2500);
    EXPECT_EQ(horizon.record.known, record);
}

TEST_F(MovesTest, AnAdvanceBelowTheHorizonLowersNothing) {
    EXPECT_EQ(moved(advance(-5000), bare_record(t + 500, ours)).value, t + 500);
    EXPECT_EQ(horizon.floor_ms, t + 500);
}

TEST_F(MovesTest, AnAdvanceIsNobodysWhileADebtIsNotPaid) {
    EXPECT_EQ(moved(advance(2000), bare_record(t + 500, theirs)).identity, 0);
}

TEST_F(MovesTest, AMoveDoesNotProveThatItIsNoClone) {
    server.has_clone = true;
    EXPECT_EQ(moved(reset(0), bare_record(t + 500, theirs)).identity, 0);
    EXPECT_EQ(moved(reset(0), bare_record(t + 500, ours)).identity, ours);
    DurableRecord page = bare_record(t + 500, 0);  // what it wrote while a clone was registered
    note_advanced(horizon, page);
    EXPECT_EQ(moved(advance(0), page).identity, 0);
    note_advanced(horizon, page);
    server.has_clone = false;
    EXPECT_EQ(moved(advance(0), page).identity, ours);
}

TEST_F(MovesTest, AMoveKeepsACopyACopy) {
    DurableRecord page = bare_record(t + 500, ours);
    page.owner = 2002;
    EXPECT_EQ(moved(advance(0), page).owner, 2002);
    EXPECT_EQ(moved(reset(0), page).owner, 2002);
    page.identity = theirs;
    page = moved(reset(0), page);
    EXPECT_EQ(page.identity, theirs) << "a copy that is refused stays so";
    EXPECT_EQ(moved(advance(0), page).identity, theirs) << "also once nothing is owed";
    server.admits_copy = server.admits_inherited = true;
    EXPECT_EQ(moved(reset(0), page).identity, ours);
    EXPECT_EQ(moved(confirmation(), page).owner, 1001);
    EXPECT_EQ(moved(confirmation(), page).value, page.value);
}

TEST_F(MovesTest, AResetLowersFloorRecordAndSlotsAndConfirmsTheClock) {
    load(bare_record(t + 90000, theirs));
    auto slot = slot_at(90000);
    horizon.advanced_ms = t + 90000;
    EXPECT_EQ(moved(reset(100), horizon.record.known).value, t + 100);
    EXPECT_EQ(horizon.floor_ms, t + 100);
    EXPECT_EQ(horizon.advanced_ms, 0);
    EXPECT_FALSE(horizon.is_indebted);
    EXPECT_EQ(slot.entry->slot.tick, t + 99);
    EXPECT_EQ(database.resets, 1u);
    EXPECT_EQ(accepted.confirmed_ms, 42);
}

// Why a reset is refused, and where IDs begin again if it is not.
TEST_F(MovesTest, AResetIsRefusedBelowWhatMayHaveBeenMade) {
    auto refusal = [this](ResetMove move) {
        Outcome outcome = move_by_hand(host, move);
        EXPECT_EQ(outcome.renewal, Renewal::not_above);
        EXPECT_EQ(database.resets, 0u);
        EXPECT_EQ(horizon.granted_ms, 0) << "nothing is handed out after the look";
        return move.limit;
    };
    host.page.record = bare_record(t + 10, ours);
    load(host.page.record);
    made_at(100);
    horizon.granted_ms = t + 900;
    ResetLimit limit = refusal(reset(100, false));
    EXPECT_EQ(limit.bound, ResetBound::made);
    EXPECT_EQ(limit.until_ms, t + 101);
    horizon.settled_ms = t + 200;
    EXPECT_EQ(refusal(reset(150, false)).bound, ResetBound::settled);
    horizon.is_indebted = true;
    horizon.debt_boot_ms = t + 300;
    EXPECT_EQ(refusal(reset(250, false)).bound, ResetBound::owed);
    horizon.is_indebted = false;
    EXPECT_EQ(refusal(reset(250, false)).bound, ResetBound::owed) << "paid, and nothing made since";
    horizon.debt_boot_ms = 0;
    host.page.record = bare_record(t + 400, theirs);
    EXPECT_EQ(refusal(reset(350, false)).bound, ResetBound::owed) << "by a stranger's record";
    horizon.is_indebted = false;
    horizon.debt_boot_ms = 0;
    EXPECT_EQ(refusal(reset(350, false)).bound, ResetBound::found);
    EXPECT_EQ(refusal(reset_to_last()).until_ms, t + 400);
    host.page.record = bare_record(5, ours);
    EXPECT_EQ(refusal(reset(5000, false)).bound, ResetBound::unknown);
    EXPECT_EQ(moved(reset(5000), bare_record(5, ours)).value, t + 5000) << "unless it is forced";
}

TEST_F(MovesTest, AResetWithoutInstantGoesAboveTheClockAndAllThatWasMade) {
    load(bare_record(t - 500, ours));
    EXPECT_EQ(moved(reset_to_last(), horizon.record.known).value, t + 1) << "the clock";
    auto slot = made_at(100);
    EXPECT_EQ(moved(reset_to_last(), horizon.record.known).value, t + 101) << "a slot";
    EXPECT_EQ(slot.entry->slot.tick, t + 100);
    moved(advance(5000), horizon.record.known);
    EXPECT_EQ(slot.entry->slot.tick, t + 4999);
    EXPECT_EQ(moved(reset_to_last(), horizon.record.known).value, t + 101) << "not where it was moved to by hand";
    EXPECT_EQ(slot.entry->slot.tick, t + 100);
    horizon.settled_ms = t + 200;
    EXPECT_EQ(moved(reset_to_last(), horizon.record.known).value, t + 200) << "what readers have read";
}

TEST_F(MovesTest, AResetAsksAgainWhatReadersHaveReadBeforeItIsWritten) {
    load(bare_record(t - 500, ours));
    for (bool is_chosen : {true, false}) {
        horizon.settled_ms = 0;
        horizon.durable_ms = t + 900;
        ResetMove move = is_chosen ? reset_to_last() : reset(150, false);
        move.begin(host);
        horizon.settled_ms = t + 200;
        PageVerdict verdict = move.plan(horizon, horizon.record.known);
        ASSERT_TRUE(verdict.is_to_write);
        move.agree(host, horizon.record.known, verdict);
        EXPECT_EQ(verdict.is_to_write, is_chosen);
        if (is_chosen)
            EXPECT_EQ(verdict.record.value, t + 200);
        else
            EXPECT_EQ(move.limit.bound, ResetBound::settled);
        EXPECT_EQ(horizon.durable_ms, is_chosen ? t + 200 : t + 900) << "readers go no further meanwhile";
    }
}

TEST_F(MovesTest, AResetWaitsForWhatIsOwedAndRemembersIt) {
    host.page.record = bare_record(t - 500, theirs);
    for (const ResetMove &move : {reset_to_last(), reset(90000, false)}) {
        ResetMove tried = move;
        EXPECT_EQ(move_by_hand(host, tried).renewal, Renewal::not_above);
        EXPECT_EQ(tried.limit.bound, ResetBound::owed);
    }
    horizon.is_indebted = false;
    std::int64_t owed_ms = horizon.debt_boot_ms;
    EXPECT_GT(owed_ms, t);
    EXPECT_EQ(moved(reset_to_last(), horizon.record.known).value, owed_ms) << "paid, and nothing made since";
    EXPECT_EQ(moved(reset_to_last(), horizon.record.known).value, owed_ms);
    moved(reset(50), horizon.record.known);
    EXPECT_EQ(moved(reset_to_last(), horizon.record.known).value, t + 50) << "unless it was denied by force";
}

TEST_F(MovesTest, AResetRemembersSlotsThatWereGivenBack) {
    load(bare_record(t - 500, ours));
    made_at(100, 1);
    Shortage shortage = Shortage::none;
    SlotRequest request{{key_of(layout), 11, 2}, layout, SlotUse::own, 1, t + 1000, 0};
    ASSERT_NE(memory.directory.obtain(database, request, shortage).entry, nullptr);
    EXPECT_EQ(database.made_ms, t + 101);
    EXPECT_EQ(moved(reset_to_last(), horizon.record.known).value, t + 101);
    moved(reset(50), horizon.record.known);
    EXPECT_EQ(database.made_ms, t + 50) << "what was denied by force stays so";
}

TEST_F(MovesTest, OnlyForceLowersASlotBelowItsLastId) {
    load(bare_record(t - 500, ours));
    auto slot = made_at(100);
    auto keeps = [](std::uint32_t) { return std::int64_t{0}; };
    memory.directory.lower_slots(database, t + 50, false, keeps);
    EXPECT_EQ(slot.entry->slot.tick, t + 100);
    memory.directory.lower_slots(database, t + 50, true, keeps);
    EXPECT_EQ(slot.entry->slot.tick, t + 49);
}

TEST_F(MovesTest, AResetLeavesANumberAboveWhereTheRegistryGaveIt) {
    load(bare_record(t - 500, ours));
    auto leased = made_at(100, 1), other = made_at(100, 2);
    host.leased = 1;
    host.leased_from_ms = t + 70;
    moved(reset(50), horizon.record.known);
    EXPECT_EQ(leased.entry->slot.tick, t + 69);
    EXPECT_EQ(other.entry->slot.tick, t + 49);
}

TEST_F(MovesTest, OnlyAResetDropsWhatIsSettled) {
    host.page.pairs.add({50, until_end(t)});
    database.pairs.add({50, until_end(t)}, 0);
    moved(advance(2000), bare_record(t + 500, ours));
    moved(confirmation(), bare_record(t + 2000, ours));
    EXPECT_EQ(host.page.pairs.newest(), until_end(t));
    EXPECT_EQ(database.pairs.find(51), until_end(t));
    moved(reset(100), bare_record(t + 2000, ours));
    EXPECT_EQ(host.page.pairs.newest(), none_settled);
    EXPECT_EQ(database.pairs.find(51), none_settled);
}

TEST_F(MovesTest, AConfirmationIsExpectedOnlyWhereThePageWas) {
    DurableRecord page = bare_record(t + 500, ours), confirmed = moved(confirmation(), page);
    EXPECT_FALSE(horizon.record.is_loaded);
    load(page);
    moved(confirmation(), page);
    EXPECT_EQ(horizon.record.known, confirmed);
    note_written(horizon, bare_record(t + 700, ours), 5);
    confirmed = horizon.record.known;
    moved(confirmation(), bare_record(t + 900, ours));
    EXPECT_EQ(horizon.record.known, confirmed) << "somebody else changed the page";
    EXPECT_EQ(horizon.pending_lsn, 0u) << "and what was on its way there is not";
}

// The origin went on while the copy was refused.
TEST_F(MovesTest, AConfirmationDropsWhatIsOnItsWay) {
    load(host.page.record);
    note_written(horizon, bare_record(t + 1500, ours), 5);
    DurableRecord page = horizon.record.known;
    EXPECT_EQ(moved(confirmation(), page).value, page.value);
    EXPECT_EQ(horizon.record.known, host.page.record);
    EXPECT_EQ(horizon.record.pending, 0);
    EXPECT_EQ(horizon.granted_ms, 0);
}

TEST_F(MovesTest, AConfirmedCopyOwesWhatItsOriginCanHaveMadeUntilThen) {
    DurableRecord page = bare_record(t + 500, theirs);
    load(page);
    EXPECT_EQ(horizon.floor_ms, t + 1301);
    server.clock.now_ms += 60000;
    load(moved(confirmation(), page));
    EXPECT_EQ(horizon.floor_ms, t + 61301);
}

TEST_F(MovesTest, AMoveLooksAgainIfTheMachineWasCopied) {
    load(host.page.record);
    horizon.granted_ms = t + 900;
    host.told = 1;
    host.standbys_wait = 0;
    EXPECT_EQ(move_by_hand(host, advance(2000)).renewal, Renewal::busy);
    EXPECT_EQ(host.asked, "lock unlock ");
    EXPECT_EQ(horizon.granted_ms, t + 900);
    server.machine = 1;
    server.identity = theirs;
    host.asked = {};
    EXPECT_EQ(move_by_hand(host, advance(2000)).renewal, Renewal::granted);
    EXPECT_EQ(host.asked, "leave lock page write unlock_page flush directory() unlock ");
    EXPECT_EQ(host.page.record.identity, 0) << "the wait for what other copies made is not over";
}

// A call that was on its way when the machine was copied goes on in each copy.
TEST_F(MovesTest, AConfirmationIsOfTheMachineInWhichItWasCalled) {
    DurableRecord page = bare_record(t + 500, ours);
    page.machine = 7;
    page.boot = server.boot;
    host.page.record = page;
    host.standbys_wait = 0;
    server.machine = host.told = 1;
    server.owner.machine = server.owner.began = 8;
    EXPECT_EQ(move_by_hand(host, ConfirmMove{server, 0}).renewal, Renewal::resumed);
    EXPECT_EQ(confirm_generators(host, server, 0).renewal, Renewal::resumed);
    EXPECT_EQ(host.page.record, page);
    EXPECT_EQ(confirm_generators(host, server, 1).renewal, Renewal::granted);
    EXPECT_EQ(host.page.record.machine, 8u);
    host.page.record = page;
    EXPECT_EQ(move_by_hand(host, ConfirmMove{server, 1}).renewal, Renewal::granted);
    EXPECT_EQ(host.page.record.machine, 8u);
}

// A call in a database that is not a copy confirms nothing that anybody asked.
TEST_F(MovesTest, AConfirmationKnowsWhetherItWasAskedFor) {
    auto is_needed = [this](const DurableRecord &page) {
        ConfirmMove move = confirmation();
        EXPECT_TRUE(move.plan(horizon, page).is_to_write);
        return move.is_needed;
    };
    DurableRecord page = bare_record(t + 500, ours);
    EXPECT_FALSE(is_needed(page));
    server.foreign_origin = 7;
    EXPECT_TRUE(is_needed(page)) << "restored from a dump";
    server.foreign_origin = 0;
    page.owner = server.owner.system_identifier;
    EXPECT_FALSE(is_needed(page));
    page.owner++;
    EXPECT_TRUE(is_needed(page)) << "of another server";
    page.owner--;
    server.has_clone = true;
    EXPECT_FALSE(is_needed(page)) << "its own record";
    page.identity = theirs;
    EXPECT_TRUE(is_needed(page)) << "maybe the clone";
    server.has_clone = false;
    page.machine = 7;
    page.boot = server.boot;
    server.owner.machine = server.owner.began = 8;
    EXPECT_TRUE(is_needed(page)) << "of another machine";
}

TEST(Moves, FarAheadIsMoreThanAnHour) {
    constexpr std::int64_t hour_ms = 3600000;
    EXPECT_FALSE(is_far_ahead(5000 + hour_ms, 5000));
    EXPECT_TRUE(is_far_ahead(5001 + hour_ms, 5000));
    EXPECT_FALSE(is_far_ahead(0, 5000));
}

}  // namespace
}  // namespace idgen
