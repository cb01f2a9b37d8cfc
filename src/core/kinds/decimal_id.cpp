#include "core/kinds/decimal_id.hpp"

namespace idgen {

bool unpack_decimal(std::int64_t id, DecimalParts &parts) noexcept {
    if (id < 0) return false;
    std::int64_t counter = id / 10000000000;
    parts.counter = static_cast<std::uint32_t>(counter);
    parts.generator = static_cast<std::uint32_t>(id / 100000 % 100000);
    parts.launch = static_cast<std::uint32_t>(id % 100000);
    return counter >= 1 && counter <= last_counter && parts.generator >= 1;
}

}  // namespace idgen
