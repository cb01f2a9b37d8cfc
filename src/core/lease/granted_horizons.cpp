#include "core/lease/granted_horizons.hpp"

#include <algorithm>

namespace idgen {
namespace {

GrantedHorizon *row_of(GrantedHorizons &granted, std::int64_t number) noexcept {
    for (GrantedHorizon &row : granted.rows)
        if (row.horizon_ms != 0 && row.number == number) return &row;
    return nullptr;
}

}  // namespace

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
