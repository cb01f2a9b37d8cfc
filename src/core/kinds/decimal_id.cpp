#include "core/kinds/decimal_id.hpp"

#include <algorithm>

namespace idgen {

bool unpack_decimal(std::int64_t id, DecimalParts &parts) noexcept {
    if (id < 0) return false;
    std::int64_t counter = id / 10000000000;
    parts.counter = static_cast<std::uint32_t>(counter);
    parts.generator = static_cast<std::uint32_t>(id / 100000 % 100000);
    parts.launch = static_cast<std::uint32_t>(id % 100000);
    return counter >= 1 && counter <= last_counter && parts.generator >= 1;
}

DurableRecord next_generator(const DurableRecord &page, std::int64_t known, std::int64_t identity) noexcept {
    bool is_ours = page.identity == identity && (known == 0 || page.value == known);
    return bare_record(std::max(page.value, known) + (is_ours ? 1 : generators_skipped), identity);
}

}  // namespace idgen
