#include "registry/node/rules/number_choice.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace idgen {
namespace {

constexpr std::int64_t now = 1795000000000, lead = 1000, identity = 77, past = now - 5000, far = now + 9000;
constexpr RegistryIdentity registry{1, 2};
constexpr NumberRange range{2, 6};

NumberChoice choose(const LeaseRecord &record, const std::vector<ListedNumber> &rows, std::int64_t floor_ms = 0,
                    std::uint64_t start = 0) {
    return choose_number({&record, 1, identity}, {rows.data(), rows.size(), floor_ms}, range, start, now, lead);
}

// A record with a number of its own.
LeaseRecord owner_of(std::int64_t number, std::int64_t by = identity) {
    return accepted(propose(no_number(registry, by), registry, by, number, 21));
}

void expect(const NumberChoice &choice, ChoiceKind kind, std::int64_t number, std::int64_t wait_ms = 0) {
    EXPECT_EQ(choice.kind, kind);
    EXPECT_EQ(choice.number, number);
    EXPECT_EQ(choice.wait_ms, wait_ms);
}

const LeaseRecord nobody = no_number(registry, identity);

TEST(NumberChoice, TheSmallestThatIsFree) {
    expect(choose(nobody, {}), ChoiceKind::claim, 2);
    expect(choose(nobody, {{0, past, true}, {2, past, false}, {4, past, true}}), ChoiceKind::claim, 3);
    expect(choose(nobody, {{2, past, false}, {3, past, true}}), ChoiceKind::claim, 3);
    expect(choose(nobody, {{2, past, false}, {3, past, false}, {4, past, false}, {5, past, false}}), ChoiceKind::claim,
           6);
}

TEST(NumberChoice, AFreeOneFromAnywhere) {
    std::vector<ListedNumber> rows = {{3, past, false}, {5, far, true}, {6, past, false}};
    for (std::uint64_t round : {std::uint64_t{0}, std::uint64_t{5}, std::uint64_t{5} << 60}) {
        expect(choose(nobody, rows, 0, round), ChoiceKind::claim, 2);
        expect(choose(nobody, rows, 0, round + 1), ChoiceKind::claim, 4);
        expect(choose(nobody, rows, 0, round + 2), ChoiceKind::claim, 4);
        expect(choose(nobody, rows, 0, round + 3), ChoiceKind::claim, 2);
    }
    expect(choose(nobody, {}, 0, UINT64_MAX), ChoiceKind::claim,
           range.first + static_cast<std::int64_t>(UINT64_MAX % 5));
    expect(choose(owner_of(4), rows, 0, 1), ChoiceKind::claim, 4);
    expect(choose(owner_of(4), {{4, past, false}}, 0, 3), ChoiceKind::claim, 4);
}

TEST(NumberChoice, TheOwnAgain) {
    expect(choose(owner_of(4), {{4, past, false}}), ChoiceKind::claim, 4);
    expect(choose(owner_of(4), {}), ChoiceKind::claim, 4);
    expect(choose(owner_of(4, identity + 1), {{4, past, false}}), ChoiceKind::claim, 2);
    expect(choose(owner_of(9), {{9, past, false}}), ChoiceKind::claim, 2);
}

NumberChoice choose_of(const std::vector<LeaseRecord> &records, const std::vector<ListedNumber> &rows) {
    return choose_number({records.data(), records.size(), identity}, {rows.data(), rows.size(), 0}, range, 0, now,
                         lead);
}

// A copy of the disk may use the others, and raise their R.
TEST(NumberChoice, OfSeveralOwnTheLastClaimedWhateverItsHorizon) {
    std::vector<ListedNumber> rows = {{3, past, false}, {4, past + 1, false}, {5, past - 1, false}};
    expect(choose_of({owner_of(5), owner_of(4), owner_of(3)}, rows), ChoiceKind::claim, 5);
    expect(choose_of({owner_of(9), nobody, owner_of(3), owner_of(4)}, rows), ChoiceKind::claim, 3);
    rows[1].horizon_ms = far;
    expect(choose_of({owner_of(4), owner_of(5), owner_of(3)}, rows), ChoiceKind::claim, 5);
}

TEST(NumberChoice, ElseWaitsForTheNearestOwn) {
    std::vector<ListedNumber> rows;
    for (std::int64_t number = 2; number <= 6; number++) rows.push_back({number, far + number, false});
    expect(choose_of({owner_of(5), owner_of(3), owner_of(4)}, rows), ChoiceKind::wait, 3, far + 3 - now - lead);
    rows[4].is_free = true;
    rows[4].horizon_ms = past;
    expect(choose_of({owner_of(3), owner_of(5)}, rows), ChoiceKind::claim, 6);
}

TEST(NumberChoice, NoneThatIsTooFarAhead) {
    expect(choose(nobody, {{2, now + lead, true}}), ChoiceKind::claim, 2);
    expect(choose(nobody, {{2, now + lead + 1, true}}), ChoiceKind::claim, 3);
    expect(choose(owner_of(4), {{4, far, false}}), ChoiceKind::claim, 2);
}

TEST(NumberChoice, ElseWaitsForTheSmallestHorizon) {
    std::vector<ListedNumber> rows = {
        {2, past, false}, {3, far + 5, true}, {4, far, true}, {5, past, false}, {6, far + 1, true}};
    expect(choose(nobody, rows), ChoiceKind::wait, 4, far - now - lead);
    rows[2].is_free = false;
    expect(choose(nobody, rows), ChoiceKind::wait, 6, far + 1 - now - lead);
    expect(choose(owner_of(4), rows), ChoiceKind::wait, 4, far - now - lead);
    expect(choose(nobody, {}, far), ChoiceKind::wait, 2, far - now - lead);
}

TEST(NumberChoice, NoneWhereAllAreHeld) {
    std::vector<ListedNumber> rows;
    for (std::int64_t number = 2; number <= 6; number++) rows.push_back({number, past, false});
    expect(choose(nobody, rows), ChoiceKind::none, 0);
}

constexpr NumberRange all{0, 8191};

OlderRegistry older_than(const GrantedHorizons &granted, const std::initializer_list<ListedNumber> &rows,
                         std::int64_t floor_ms = 0, const NumberRange &range = all) {
    return find_older(granted, {rows.begin(), rows.size(), floor_ms}, range);
}

TEST(GrantedHorizons, TheHighestOfANumber) {
    GrantedHorizons granted{};
    EXPECT_EQ(granted_ms(granted, 0), 0);
    note_granted(granted, 0, now);
    note_granted(granted, 5, now + 9);
    note_granted(granted, 0, now + 3);
    note_granted(granted, 0, now + 1);
    EXPECT_EQ(granted_ms(granted, 0), now + 3);
    EXPECT_EQ(granted_ms(granted, 5), now + 9);
    EXPECT_EQ(granted_ms(granted, 4), 0);
}

TEST(GrantedHorizons, LoweredByTheServerItself) {
    GrantedHorizons granted{};
    note_granted(granted, 5, now + 9);
    note_lowered(granted, 5, now + 2);
    EXPECT_EQ(granted_ms(granted, 5), now + 2);
    note_lowered(granted, 5, now + 4);
    EXPECT_EQ(granted_ms(granted, 5), now + 2);
    note_lowered(granted, 6, now);
    EXPECT_EQ(granted_ms(granted, 6), 0);
}

TEST(GrantedHorizons, TheSmallestIsForgotten) {
    GrantedHorizons granted{};
    for (std::size_t i = 0; i < most_granted; i++)
        note_granted(granted, static_cast<std::int64_t>(i), now + static_cast<std::int64_t>(i));
    note_granted(granted, 500, now - 1);
    EXPECT_EQ(granted_ms(granted, 500), 0);
    EXPECT_EQ(granted_ms(granted, 0), now);
    note_granted(granted, 501, now + 7);
    EXPECT_EQ(granted_ms(granted, 501), now + 7);
    EXPECT_EQ(granted_ms(granted, 0), 0);
    EXPECT_EQ(granted_ms(granted, 1), now + 1);
}

TEST(GrantedHorizons, ARegistryThatKnowsLess) {
    GrantedHorizons granted{};
    EXPECT_EQ(older_than(granted, {{5, now, true}}).granted_ms, 0);
    note_granted(granted, 5, now + 9);
    EXPECT_EQ(older_than(granted, {{5, now + 9, false}}).granted_ms, 0);
    EXPECT_EQ(older_than(granted, {}, now + 9).granted_ms, 0);
    OlderRegistry older = older_than(granted, {{4, now, true}, {5, now + 8, false}});
    EXPECT_EQ(older.number, 5);
    EXPECT_EQ(older.granted_ms, now + 9);
    EXPECT_EQ(older.known_ms, now + 8);
    EXPECT_EQ(older_than(granted, {{4, now + 20, true}}, now).known_ms, now);
}

TEST(GrantedHorizons, TheHighestOfSeveral) {
    GrantedHorizons granted{};
    for (std::int64_t number : {3, 7, 5}) note_granted(granted, number, now + number);
    EXPECT_EQ(older_than(granted, {}).number, 7);
    EXPECT_EQ(older_than(granted, {{7, now + 7, true}}).number, 5);
}

TEST(GrantedHorizons, NothingIsSaidOfANumberThatIsNotListed) {
    GrantedHorizons granted{};
    note_granted(granted, 5, now);
    EXPECT_EQ(older_than(granted, {}, 0, {6, 9}).granted_ms, 0);
    EXPECT_EQ(older_than(granted, {}, 0, {0, 4}).granted_ms, 0);
    EXPECT_EQ(older_than(granted, {}, 0, {5, 5}).granted_ms, now);
}

}  // namespace
}  // namespace idgen
