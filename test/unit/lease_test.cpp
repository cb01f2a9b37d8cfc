// What is known of a number that a registry lends, and the page that keeps it.
#include <gtest/gtest.h>

#include "registry/node/rules/lease.hpp"
#include "registry/node/rules/lease_record.hpp"

namespace idgen {
namespace {

constexpr std::int64_t now = 1795000000000, boot = 1790000000000, identity = 77;
constexpr RegistryIdentity registry{1, 2}, another{1, 3};
constexpr LeaseRules rules{60000, 600000, 1000};
constexpr ClockReading clock_at(std::int64_t ms) {
    return {now + ms, boot};
}

struct Leases : testing::Test {
    Leases() noexcept { begin_life(lease, 99); }

    // Takes number 5 as the registry answers.
    LeaseNews claim(const CallAnswer &answer) {
        record = propose(record, registry, identity, 5, 21);
        LeaseCall call = ask_claim(lease, record, clock_at(0));
        return take_in(lease, record, call, answer, clock_at(0), rules);
    }
    LeaseNews answer(const LeaseCall &call, const CallAnswer &answer, std::int64_t at = 0) {
        return take_in(lease, record, call, answer, clock_at(at), rules);
    }

    Lease lease;
    LeaseRecord record = no_number(registry, identity);
};

TEST(LeaseRecord, KeepsAProposalUntilItIsAccepted) {
    LeaseRecord record = propose(no_number(registry, identity), registry, identity, 5, 21);
    EXPECT_TRUE(is_own(record, registry, identity));
    EXPECT_EQ(record.accepted, 0);
    EXPECT_EQ(record.proposed, 21);
    record = propose(record, registry, identity, 5, 22);
    EXPECT_EQ(record.proposed, 21) << "not yet accepted";
    record = propose(accepted(record), registry, identity, 5, 22);
    EXPECT_EQ(record.accepted, 21);
    EXPECT_EQ(record.proposed, 22);
}

TEST(LeaseRecord, ProvesNothingToAnotherServerOrRegistryOrForAnotherNumber) {
    LeaseRecord record = accepted(propose(no_number(registry, identity), registry, identity, 5, 21));
    EXPECT_FALSE(is_own(record, registry, identity + 1)) << "promoted";
    EXPECT_FALSE(is_own(record, another, identity));
    EXPECT_FALSE(is_own(no_number(registry, identity), registry, identity)) << "number 0 is no number";
    EXPECT_EQ(propose(record, registry, identity + 1, 5, 22).accepted, 0);
    EXPECT_EQ(propose(record, another, identity, 5, 22).accepted, 0);
    EXPECT_EQ(propose(record, registry, identity, 6, 22).accepted, 0);
    EXPECT_EQ(propose(record, registry, identity, 6, 22).proposed, 22);
}

TEST_F(Leases, NothingIsGrantedWithoutANumber) {
    EXPECT_FALSE(is_held(lease));
    EXPECT_EQ(cap_of(lease, 5), 0);
    EXPECT_FALSE(is_extension_due(lease, clock_at(0), rules));
}

TEST_F(Leases, ANumberBeginsAtItsHorizon) {
    EXPECT_EQ(claim({CallOutcome::granted, now + 1000}), LeaseNews::claimed);
    EXPECT_TRUE(is_held(lease));
    EXPECT_EQ(lease.number.load(), 5);
    EXPECT_EQ(lease.incarnation, 21);
    EXPECT_EQ(lease.claimed_ms.load(), now + 1000) << "the floor";
    EXPECT_EQ(cap_of(lease, 5), 0) << "nothing before the slots are at the floor: the first extension opens issue";
    EXPECT_EQ(record.accepted, 21);
    EXPECT_EQ(record.proposed, 0);
    EXPECT_TRUE(is_extension_due(lease, clock_at(0), rules));
}

// Each copy of a machine has the number, its life, and the call that is on its way.
TEST_F(Leases, ACopiedMachineLeavesNumberLifeAndCall) {
    claim({CallOutcome::granted, now});
    LeaseCall call = ask_extend(lease, clock_at(0), rules);
    answer(call, {CallOutcome::granted, call.to_ms});
    call = ask_extend(lease, clock_at(1000), rules);
    lease.cap_ms = 0;
    leave(lease, 100);
    EXPECT_FALSE(is_held(lease));
    EXPECT_FALSE(is_waiting(lease));
    EXPECT_EQ(lease.life, 100);
    EXPECT_EQ(next_errand(lease, LeaseFor::pool, clock_at(1000), rules), Errand::drain) << "whoever took the cap away";
    EXPECT_EQ(answer(call, {CallOutcome::granted, call.to_ms}), LeaseNews::none);
    EXPECT_EQ(lease.cap_ms, 0);
    note_drained(lease);
    EXPECT_EQ(next_errand(lease, LeaseFor::pool, clock_at(1000), rules), Errand::choose);
}

TEST_F(Leases, ANumberTooFarAheadOrHeldIsLeft) {
    EXPECT_EQ(claim({CallOutcome::granted, now + 1001}), LeaseNews::left);
    EXPECT_FALSE(is_held(lease));
    EXPECT_FALSE(is_own(record, registry, identity)) << "the next claim is of another";
    LeaseCall stop = lease.pending;
    EXPECT_EQ(stop, (LeaseCall{CallKind::stop, 5, 21, 0, 99, now + 1001, now + 1001})) << "given up";
    EXPECT_EQ(next_errand(lease, LeaseFor::pool, clock_at(0), rules), Errand::repeat);
    EXPECT_EQ(take_in(lease, record, stop, {CallOutcome::granted, now + 1001}, clock_at(0), rules), LeaseNews::none);
    EXPECT_EQ(next_errand(lease, LeaseFor::pool, clock_at(0), rules), Errand::choose);
    EXPECT_EQ(claim({CallOutcome::refused, 0}), LeaseNews::missed);
    EXPECT_FALSE(is_own(record, registry, identity));
    EXPECT_EQ(cap_of(lease, 5), 0);
}

TEST_F(Leases, CapsTheIdsOfItsNumber) {
    claim({CallOutcome::granted, 0});
    LeaseCall call = ask_extend(lease, clock_at(0), rules);
    EXPECT_EQ(call.from_ms, 0);
    EXPECT_EQ(call.to_ms, now + 60000);
    EXPECT_EQ(call.life, 99);
    EXPECT_EQ(cap_of(lease, 5), 0) << "not before the answer";
    EXPECT_EQ(answer(call, {CallOutcome::granted, now + 60000}), LeaseNews::extended);
    EXPECT_EQ(cap_of(lease, 5), now + 60000);
    EXPECT_EQ(cap_of(lease, 6), 0) << "of a slot whose number is another";
}

TEST_F(Leases, AsksAgainUntilItIsAnswered) {
    claim({CallOutcome::granted, 0});
    LeaseCall call = ask_extend(lease, clock_at(0), rules);
    EXPECT_TRUE(ask_extend(lease, clock_at(9000), rules) == call);
    EXPECT_TRUE(ask_stop(lease, now, clock_at(9000)) == call) << "R is not known";
    EXPECT_TRUE(ask_claim(lease, record, clock_at(9000)) == call);
    LeaseCall other = call;
    other.to_ms++;
    EXPECT_EQ(answer(other, {CallOutcome::refused, 0}), LeaseNews::none) << "not on its way";
    EXPECT_EQ(answer(call, {CallOutcome::granted, call.to_ms}), LeaseNews::extended);
    EXPECT_EQ(answer(call, {CallOutcome::refused, 0}), LeaseNews::none) << "answered already";
    EXPECT_TRUE(is_held(lease));
}

TEST_F(Leases, RaisesWhenHalfOfTheWindowOrAThirdOfTheLeaseIsUsed) {
    claim({CallOutcome::granted, 0});
    answer(ask_extend(lease, clock_at(0), rules), {CallOutcome::granted, 0});
    EXPECT_FALSE(is_extension_due(lease, clock_at(29999), rules));
    EXPECT_TRUE(is_extension_due(lease, clock_at(30000), rules));
    ClockReading set_back{now - 3600000, boot - 3600000 - 199999};
    EXPECT_FALSE(is_extension_due(lease, set_back, rules)) << "200 s are not yet past, whatever the clock says";
    set_back.difference_ms--;
    EXPECT_TRUE(is_extension_due(lease, set_back, rules));
    EXPECT_FALSE(is_extension_due(lease, set_back, {60000, 0, 1000})) << "a lease that never ends";
    EXPECT_EQ(ask_extend(lease, set_back, rules).to_ms, now + 60000) << "R never goes down";
}

TEST_F(Leases, TheLeaseCountsFromBeforeTheCallWasFirstSent) {
    claim({CallOutcome::granted, 0});
    LeaseCall call = ask_extend(lease, clock_at(1000), rules);
    ask_extend(lease, clock_at(150000), rules);
    answer(call, {CallOutcome::granted, 0}, 160000);
    EXPECT_EQ(lease.granted_boot_ms, now - boot + 1000);
}

TEST_F(Leases, ARefusedRaiseLosesTheNumberAtOnce) {
    claim({CallOutcome::granted, 0});
    answer(ask_extend(lease, clock_at(0), rules), {CallOutcome::granted, 0});
    LeaseCall call = ask_extend(lease, clock_at(30000), rules);
    EXPECT_EQ(answer(call, {CallOutcome::refused, now + 99000}), LeaseNews::lost);
    EXPECT_FALSE(is_held(lease));
    EXPECT_EQ(cap_of(lease, 5), 0);
    EXPECT_EQ(next_errand(lease, LeaseFor::pool, clock_at(0), rules), Errand::drain)
        << "sessions may still take below the cap";
    note_drained(lease);
    EXPECT_EQ(next_errand(lease, LeaseFor::pool, clock_at(0), rules), Errand::choose);
    EXPECT_TRUE(is_own(record, registry, identity)) << "it asks for the same first";
    LeaseCall again = ask_claim(lease, propose(record, registry, identity, 5, 22), clock_at(0));
    EXPECT_EQ(again.incarnation, 21);
    EXPECT_EQ(again.proposed, 22);
}

TEST_F(Leases, AClockTooFarAheadKeepsTheNumber) {
    claim({CallOutcome::granted, 0});
    answer(ask_extend(lease, clock_at(0), rules), {CallOutcome::granted, 0});
    LeaseCall call = ask_extend(lease, clock_at(90000000), rules);
    EXPECT_EQ(answer(call, {CallOutcome::too_far, now + 60000}), LeaseNews::too_far);
    EXPECT_EQ(cap_of(lease, 5), now + 60000);
    EXPECT_EQ(ask_extend(lease, clock_at(30000), rules).to_ms, now + 90000) << "by the clock as it is then";
}

TEST_F(Leases, OneErrandFollowsFromWhatIsHeld) {
    auto errand = [this](LeaseFor purpose, std::int64_t at = 0) {
        return next_errand(lease, purpose, clock_at(at), rules);
    };
    EXPECT_EQ(errand(LeaseFor::nothing), Errand::none);
    EXPECT_EQ(errand(LeaseFor::pool), Errand::choose);
    EXPECT_EQ(errand(LeaseFor::number), Errand::claim);
    record = propose(record, registry, identity, 5, 21);
    ask_claim(lease, record, clock_at(0));
    EXPECT_EQ(errand(LeaseFor::pool), Errand::repeat);
    claim({CallOutcome::granted, 0});
    EXPECT_EQ(errand(LeaseFor::pool), Errand::extend);
    answer(ask_extend(lease, clock_at(0), rules), {CallOutcome::granted, 0});
    EXPECT_EQ(errand(LeaseFor::pool), Errand::none);
    EXPECT_EQ(errand(LeaseFor::pool, 30000), Errand::extend);
    end_issue(lease);
    EXPECT_EQ(errand(LeaseFor::pool, 30000), Errand::drain);
    note_drained(lease);
    EXPECT_EQ(errand(LeaseFor::pool, 30000), Errand::stop);
    answer(ask_stop(lease, 0, clock_at(0)), {CallOutcome::granted, 0});
    EXPECT_EQ(errand(LeaseFor::pool), Errand::none) << "it has ended";
}

TEST_F(Leases, ANumberIsLeftIfItsRowIsLockedAndItsIdsEndSoon) {
    constexpr LeaseFor pool = LeaseFor::pool, by_hand = LeaseFor::number;
    EXPECT_FALSE(should_replace(lease, pool, clock_at(0), rules)) << "nothing is asked for";
    LeaseCall call = ask_claim(lease, record = propose(record, registry, identity, 5, 21), clock_at(0));
    EXPECT_TRUE(should_replace(lease, pool, clock_at(0), rules));
    EXPECT_FALSE(should_replace(lease, by_hand, clock_at(0), rules)) << "there is no other";
    answer(call, {CallOutcome::granted, 0, now, 0});
    call = ask_extend(lease, clock_at(0), rules);
    EXPECT_TRUE(should_replace(lease, pool, clock_at(0), rules)) << "issue has not begun";
    answer(call, {CallOutcome::granted, now + 60000, now, 0});
    ask_extend(lease, clock_at(40000), rules);
    EXPECT_FALSE(should_replace(lease, pool, clock_at(44999), rules));
    EXPECT_TRUE(should_replace(lease, pool, clock_at(45000), rules));
    EXPECT_FALSE(should_replace(lease, by_hand, clock_at(60000), rules));
    answer(lease.pending, {CallOutcome::granted, now + 100000, now, 0});
    end_issue(lease);
    note_drained(lease);
    ask_stop(lease, 0, clock_at(60000));
    EXPECT_FALSE(should_replace(lease, pool, clock_at(60000), rules)) << "R is still to be lowered";
}

TEST_F(Leases, AnEndIsOverOnceItsLeaseHasDrained) {
    claim({CallOutcome::granted, 0});
    answer(ask_extend(lease, clock_at(0), rules), {CallOutcome::granted, 0});
    answer(ask_extend(lease, clock_at(0), rules), {CallOutcome::refused, 0});
    end_issue(lease);
    EXPECT_EQ(next_errand(lease, LeaseFor::pool, clock_at(0), rules), Errand::drain);
    EXPECT_FALSE(has_ended(lease)) << "its entry would be used for another number";
    note_drained(lease);
    EXPECT_TRUE(has_ended(lease));
}

TEST_F(Leases, ACapThatNeverOpenedLeavesNothingToDrain) {
    claim({CallOutcome::granted, 0});
    answer(ask_extend(lease, clock_at(0), rules), {CallOutcome::refused, 0});
    EXPECT_EQ(next_errand(lease, LeaseFor::pool, clock_at(0), rules), Errand::choose);
}

TEST_F(Leases, ACopiedMachineLeavesNumberAndLifeAndTheCallThatIsOnItsWay) {
    claim({CallOutcome::granted, 0});
    answer(ask_extend(lease, clock_at(0), rules), {CallOutcome::granted, 0});
    LeaseCall call = ask_extend(lease, clock_at(30000), rules);
    leave(lease, 101);
    EXPECT_FALSE(is_held(lease));
    EXPECT_EQ(cap_of(lease, 5), 0);
    EXPECT_EQ(lease.life, 101);
    EXPECT_EQ(saved(lease).incarnation, 0) << "nor is it left to the next start";
    EXPECT_EQ(answer(call, {CallOutcome::granted, call.to_ms}), LeaseNews::none) << "it may be another copy's answer";
    EXPECT_EQ(cap_of(lease, 5), 0);
    EXPECT_EQ(next_errand(lease, LeaseFor::pool, clock_at(0), rules), Errand::drain)
        << "a session that read the cap may still take below it";
    note_drained(lease);
    EXPECT_EQ(next_errand(lease, LeaseFor::pool, clock_at(0), rules), Errand::choose);
    EXPECT_EQ(next_errand(lease, LeaseFor::number, clock_at(0), rules), Errand::claim);
    EXPECT_EQ(lease.number.load(), 5) << "the one that was given by hand";
}

TEST_F(Leases, ACopiedMachineThatEndsNeverStopsItsNumber) {
    claim({CallOutcome::granted, 0});
    answer(ask_extend(lease, clock_at(0), rules), {CallOutcome::granted, 0});
    end_issue(lease);
    leave(lease, 101);
    note_drained(lease);
    EXPECT_EQ(next_errand(lease, LeaseFor::pool, clock_at(0), rules), Errand::none);
    EXPECT_TRUE(has_ended(lease));
}

TEST_F(Leases, ANumberByHandIsKeptHoweverFarAheadItBegins) {
    record = propose(record, registry, identity, 5, 21);
    LeaseCall call = ask_claim(lease, record, clock_at(0));
    LeaseRules kept = rules_for(rules, LeaseFor::number);
    EXPECT_EQ(take_in(lease, record, call, {CallOutcome::granted, now + 3600000}, clock_at(0), kept),
              LeaseNews::claimed);
    EXPECT_EQ(rules_for(rules, LeaseFor::pool).max_lead_ms, rules.max_lead_ms);
}

TEST_F(Leases, AnEndLowersTheHorizonToWhatCanHaveBeenUsed) {
    constexpr struct {
        const char *what;
        std::int64_t used_ms, to_ms;
    } cases[] = {
        {"the largest horizon of its databases", now + 700, now + 700},
        {"above R: R", now + 99000, now + 60000},
        {"no database used it: where it was claimed", 0, now + 500},
    };
    for (const auto &c : cases) {
        SCOPED_TRACE(c.what);
        begin_life(lease, 99);
        record = no_number(registry, identity);
        claim({CallOutcome::granted, now + 500});
        answer(ask_extend(lease, clock_at(0), rules), {CallOutcome::granted, 0});
        end_issue(lease);
        EXPECT_EQ(cap_of(lease, 5), 0);
        EXPECT_FALSE(is_extension_due(lease, clock_at(900000), rules));
        note_drained(lease);
        LeaseCall call = ask_stop(lease, c.used_ms, clock_at(0));
        EXPECT_EQ(call.from_ms, now + 60000);
        EXPECT_EQ(call.to_ms, c.to_ms);
        EXPECT_EQ(answer(call, {CallOutcome::granted, c.to_ms}), LeaseNews::stopped);
        EXPECT_FALSE(is_held(lease));
    }
}

TEST_F(Leases, AnAnswerThatComesAfterTheEndGrantsNothing) {
    claim({CallOutcome::granted, 0});
    LeaseCall call = ask_extend(lease, clock_at(0), rules);
    end_issue(lease);
    EXPECT_EQ(answer(call, {CallOutcome::granted, call.to_ms}), LeaseNews::extended);
    EXPECT_EQ(cap_of(lease, 5), 0);
    EXPECT_EQ(ask_stop(lease, now, clock_at(0)).from_ms, call.to_ms);
}

LeaseRecord record_for(std::int64_t number, std::int64_t accepted, std::int64_t proposed) {
    return {registry, number, accepted, proposed, identity};
}

struct LeasePages : testing::Test {
    LeasePage page{registry, identity, 0, 0, 0, {}};
};

TEST_F(LeasePages, RemembersEachNumberOnce) {
    EXPECT_TRUE(remember(page, record_for(5, 0, 21)));
    EXPECT_TRUE(remember(page, record_for(0, 31, 0)));
    EXPECT_TRUE(remember(page, record_for(5, 21, 22)));
    ASSERT_EQ(page.count, 2U);
    EXPECT_EQ(size_of(page), 32U + 2 * 24);
    LeaseRecord five = record_of(page, 1);
    EXPECT_TRUE(is_own(five, registry, identity));
    EXPECT_EQ(five.number, 5);
    EXPECT_EQ(five.accepted, 21);
    EXPECT_EQ(five.proposed, 22);
    EXPECT_EQ(record_of(page, 0).number, 0) << "the last one is in the last row";
}

TEST_F(LeasePages, ForgetsOneNumberAndKeepsTheOrder) {
    for (std::int64_t number : {5, 6, 7}) remember(page, record_for(number, number * 10, 0));
    remove_number(page, 5);
    remove_number(page, 8);
    ASSERT_EQ(page.count, 2U);
    EXPECT_EQ(record_of(page, 0).number, 6);
    EXPECT_EQ(record_of(page, 1).number, 7);
    EXPECT_EQ(record_of(page, 1).accepted, 70);
}

TEST_F(LeasePages, IsFullAtItsEndAndStillTakesWhatItKnows) {
    for (std::int64_t number = 0; number < most_remembered; number++)
        EXPECT_TRUE(remember(page, record_for(number, 1, 0)));
    EXPECT_FALSE(remember(page, record_for(most_remembered, 1, 0)));
    EXPECT_TRUE(remember(page, record_for(most_remembered - 1, 2, 0)));
    EXPECT_EQ(size_of(page), sizeof(page));
    remove_number(page, 3);
    EXPECT_TRUE(remember(page, record_for(most_remembered, 1, 0)));
}

TEST_F(LeasePages, AnotherIdentityKnowsTheRegistryAlone) {
    remember(page, record_for(5, 21, 0));
    adopt(page, identity);
    EXPECT_EQ(page.count, 1U);
    adopt(page, identity + 1);
    EXPECT_EQ(page.count, 0U);
    EXPECT_EQ(page.identity, identity + 1);
    EXPECT_TRUE(page.registry == registry);
}

TEST_F(LeasePages, KnowTheHighestHorizonWhoeverWroteThem) {
    EXPECT_EQ(granted_ms(page), 0);
    constexpr std::int64_t horizon = 1767225600001;
    remember_granted(page, horizon);
    EXPECT_GE(granted_ms(page), horizon);
    EXPECT_LT(granted_ms(page), horizon + 16384);
    LeasePage before = page;
    remember_granted(page, horizon - 100000);
    EXPECT_TRUE(before == page) << "never down";
    adopt(page, identity + 1);
    EXPECT_EQ(granted_ms(page), granted_ms(before));
    remember_granted(page, std::int64_t{7258118400000});
    EXPECT_GE(granted_ms(page), 7258118400000) << "the year 2200";
    EXPECT_EQ(page.is_copied, 0u);
    remember_granted(page, INT64_MAX);
    EXPECT_GT(granted_ms(page), 7258118400000);
}

TEST_F(LeasePages, AreEqualByWhatTheyRemember) {
    LeasePage other = page;
    EXPECT_TRUE(page == other);
    other.rows[3] = {1, 2, 3};
    EXPECT_TRUE(page == other) << "behind the end";
    remember(other, record_for(5, 21, 0));
    EXPECT_FALSE(page == other);
    remember(page, record_for(5, 22, 0));
    EXPECT_FALSE(page == other);
    other = LeasePage{};
    EXPECT_FALSE((LeasePage{registry, 0, 0, 0, 0, {}} == other));
}

}  // namespace
}  // namespace idgen
