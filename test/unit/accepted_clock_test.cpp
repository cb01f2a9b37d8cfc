#include "core/durable/trusted_clock.hpp"

#include <gtest/gtest.h>

namespace idgen {
namespace {

constexpr BootId boot{3, 4}, other_boot{3, 5};
constexpr DurableRecord recorded{0, 0, 0, 0, 500, boot};

class AcceptedClockTest : public testing::Test {
   protected:
    AcceptedClockTest() { forget(clock); }
    AcceptedClock clock;
};

TEST_F(AcceptedClockTest, TheRecordOfThisBootComesBeforeTheServers) {
    EXPECT_EQ(accepted_for(clock, 0, bare_record(0, 0), boot), nothing_accepted);
    accept_up_to(clock, 700);
    EXPECT_EQ(accepted_for(clock, 0, bare_record(0, 0), boot), 700);
    EXPECT_EQ(accepted_for(clock, 0, recorded, boot), 500);
    EXPECT_EQ(accepted_for(clock, 0, recorded, other_boot), 700) << "another boot";
    EXPECT_EQ(accepted_for(clock, 0, recorded, {0, 0}), 700) << "the boot is not known";
}

TEST_F(AcceptedClockTest, WhatIsAcceptedOnlyRises) {
    accept_up_to(clock, 700);
    accept_up_to(clock, 600);
    EXPECT_EQ(clock.accepted_ms, 700);
    accept_up_to(clock, nothing_accepted);
    EXPECT_EQ(clock.accepted_ms, 700);
}

TEST_F(AcceptedClockTest, AConfirmationOverrulesBothUntilARecordReckonsWithIt) {
    accept_up_to(clock, 700);
    confirm(clock, 300);
    EXPECT_EQ(clock.accepted_ms, 300) << "also downward";
    EXPECT_EQ(accepted_for(clock, 0, recorded, boot), 300);
    EXPECT_EQ(accepted_for(clock, 1, recorded, boot), 500);
    forget(clock);
    EXPECT_EQ(accepted_for(clock, 1, recorded, boot), nothing_accepted) << "counts begin again at a start";
}

}  // namespace
}  // namespace idgen
