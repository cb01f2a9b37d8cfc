#include "core/horizon/generators.hpp"

#include <algorithm>

namespace idgen {

DurableRecord next_generator(const DurableState &state, const DurableRecord &page, std::int64_t identity,
                             std::uint64_t machine, const BootId &boot) noexcept {
    std::int64_t taken = state.is_loaded ? state.known.value : 0;
    bool is_ours = page.identity == identity && (!state.is_loaded || page.value == taken);
    DurableRecord next = bare_record(std::max(page.value, taken) + (is_ours ? 1 : generators_skipped), identity);
    next.machine = machine == 0 ? page.machine : machine;
    next.boot = boot;
    return next;
}

}  // namespace idgen
