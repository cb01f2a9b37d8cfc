#include "core/horizon/durable_record.hpp"

#include <algorithm>

namespace idgen {

std::int64_t identity_of(std::uint32_t timeline, std::uint64_t system_identifier) noexcept {
    std::uint64_t hash = system_identifier + timeline * 0x9E3779B97F4A7C15u;
    hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9u;
    hash = (hash ^ hash >> 27) * 0x94D049BB133111EBu;
    hash ^= hash >> 31;
    return std::min(static_cast<std::int64_t>(hash | std::uint64_t{1} << 63), std::int64_t{-2});
}

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
