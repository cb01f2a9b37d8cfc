#include "registry/node/rules/number_choice.hpp"

#include <algorithm>

#include "core/require.hpp"

namespace idgen {
namespace {

// Looks at the numbers one by one, in any order.
struct Search {
    std::int64_t latest_ms;  // an R that is near enough
    NumberChoice best;
    std::int64_t best_horizon_ms;

    // True if the number can be claimed at once.
    bool offer(std::int64_t number, std::int64_t horizon_ms) noexcept {
        bool is_near = horizon_ms <= latest_ms;
        if (!is_near && best.kind == ChoiceKind::wait && horizon_ms >= best_horizon_ms) return false;
        best = {is_near ? ChoiceKind::claim : ChoiceKind::wait, number, is_near ? 0 : horizon_ms - latest_ms};
        best_horizon_ms = horizon_ms;
        return is_near;
    }
};

bool may_ask(const OwnNumbers &own, const LeaseRecord &record, const NumberRange &range) noexcept {
    return is_own(record, record.registry, own.identity) && record.number >= range.first && record.number <= range.last;
}

// True if an own number can be claimed at once.
bool offer_own(Search &search, const OwnNumbers &own, const NumberList &list, const NumberRange &range) noexcept {
    for (std::size_t i = 0; i < own.count; i++) {
        const LeaseRecord &record = own.records[i];
        if (may_ask(own, record, range) && search.offer(record.number, listed_number(list, record.number).horizon_ms))
            return true;
    }
    return false;
}

GrantedHorizon *row_of(GrantedHorizons &granted, std::int64_t number) noexcept {
    for (GrantedHorizon &row : granted.rows)
        if (row.horizon_ms != 0 && row.number == number) return &row;
    return nullptr;
}

}  // namespace

ListedNumber listed_number(const NumberList &list, std::int64_t number) noexcept {
    std::size_t low = 0, high = list.count;
    while (low < high) {
        std::size_t middle = low + (high - low) / 2;
        if (list.rows[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    IDGEN_REQUIRE(low == 0 || list.rows[low - 1].number < number);
    IDGEN_REQUIRE(low == list.count || list.rows[low].number >= number);
    bool is_there = low < list.count && list.rows[low].number == number;
    return is_there ? list.rows[low] : ListedNumber{number, list.floor_ms, true};
}

NumberChoice choose_number(const OwnNumbers &own, const NumberList &list, const NumberRange &range, std::uint64_t start,
                           std::int64_t now_ms, std::int64_t max_lead_ms) noexcept {
    Search search{now_ms + max_lead_ms, {ChoiceKind::none, 0, 0}, 0};
    if (offer_own(search, own, list, range)) return search.best;
    std::int64_t count = range.last - range.first + 1;
    auto skipped = static_cast<std::int64_t>(start % static_cast<std::uint64_t>(count));
    for (std::int64_t i = 0; i < count; i++) {
        std::int64_t number = range.first + (skipped + i) % count;
        ListedNumber row = listed_number(list, number);
        if (row.is_free && search.offer(number, row.horizon_ms)) return search.best;
    }
    return search.best;
}

std::int64_t granted_ms(const GrantedHorizons &granted, std::int64_t number) noexcept {
    for (const GrantedHorizon &row : granted.rows)
        if (row.horizon_ms != 0 && row.number == number) return row.horizon_ms;
    return 0;
}

void note_granted(GrantedHorizons &granted, std::int64_t number, std::int64_t horizon_ms) noexcept {
    if (GrantedHorizon *row = row_of(granted, number)) {
        row->horizon_ms = std::max(row->horizon_ms, horizon_ms);
        return;
    }
    GrantedHorizon *smallest = granted.rows;
    for (GrantedHorizon &row : granted.rows)
        if (row.horizon_ms < smallest->horizon_ms) smallest = &row;
    if (horizon_ms > smallest->horizon_ms) *smallest = {number, horizon_ms};
}

void note_lowered(GrantedHorizons &granted, std::int64_t number, std::int64_t horizon_ms) noexcept {
    GrantedHorizon *row = row_of(granted, number);
    if (row != nullptr) row->horizon_ms = std::min(row->horizon_ms, horizon_ms);
}

OlderRegistry find_older(const GrantedHorizons &granted, const NumberList &list, const NumberRange &range) noexcept {
    OlderRegistry older{};
    for (const GrantedHorizon &row : granted.rows) {
        if (row.number < range.first || row.number > range.last || row.horizon_ms <= older.granted_ms) continue;
        std::int64_t known_ms = listed_number(list, row.number).horizon_ms;
        if (known_ms < row.horizon_ms) older = {row.number, row.horizon_ms, known_ms};
    }
    return older;
}

}  // namespace idgen
