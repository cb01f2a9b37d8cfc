#include "core/kinds/hlc.hpp"

#include <algorithm>

namespace idgen {

Reason check_hlc(const HlcParts &parts) noexcept {
    if (parts.ms < 0) return Reason::time_before_epoch;
    if (parts.ms > hlc_last_ms) return Reason::time_past_end;
    bool is_logical = parts.logical >= 0 && parts.logical <= hlc_last_logical;
    return is_logical ? Reason::none : Reason::sequence_out_of_range;
}

Take take_hlc(Slot &slot, const Limits &limits, const Place &above) noexcept {
    Limits carrying = limits;
    carrying.may_borrow = true;
    std::int64_t base = std::max({limits.now_ms, limits.floor_ms, std::int64_t{0}});
    return take(slot, hlc_packing, carrying, base, 0, above, 1);
}

}  // namespace idgen
