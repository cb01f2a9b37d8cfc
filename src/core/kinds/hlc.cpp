#include "core/kinds/hlc.hpp"

namespace idgen {

HlcReason check_hlc(const HlcParts &parts) noexcept {
    if (parts.ms < 0 || parts.ms > hlc_last_ms) return HlcReason::time_out_of_range;
    bool is_logical = parts.logical >= 0 && parts.logical <= hlc_last_logical;
    return is_logical ? HlcReason::none : HlcReason::logical_out_of_range;
}

}  // namespace idgen
