#include "core/kinds/hlc.hpp"

#include <algorithm>

namespace idgen {

HlcReason check_hlc(const HlcParts &parts) noexcept {
    if (parts.ms < 0 || parts.ms > hlc_last_ms) return HlcReason::time_out_of_range;
    bool is_logical = parts.logical >= 0 && parts.logical <= hlc_last_logical;
    return is_logical ? HlcReason::none : HlcReason::logical_out_of_range;
}

Take take_hlc(Slot &slot, const Limits &limits, const Place &above) noexcept {
    Limits carrying = limits;
    carrying.may_borrow = true;
    std::int64_t base = std::max({limits.now_ms, limits.floor_ms, std::int64_t{0}});
    return take(slot, hlc_packing, carrying, base, 0, above, 1);
}

}  // namespace idgen
