#include "core/durable/generators.hpp"

#include <algorithm>

namespace idgen {

DurableRecord next_generator(const DurableState &state, const DurableRecord &page, std::int64_t identity) noexcept {
    std::int64_t taken = state.is_loaded ? state.known.value : 0;
    bool is_ours = page.identity == identity && (!state.is_loaded || page.value == taken);
    return bare_record(std::max(page.value, taken) + (is_ours ? 1 : generators_skipped), identity);
}

}  // namespace idgen
