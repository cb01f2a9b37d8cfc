// How long a shard has been out of IDs: a run of full ticks, each found not long after the one before.
// Times are ms of a clock that no step touches, modulo 2^32.
#pragma once

#include <cstdint>
#include <type_traits>

namespace idgen {

struct FullRun {
    std::uint32_t began_ms;
    std::uint32_t last_ms;  // both 0: no full tick yet
};
static_assert(sizeof(FullRun) == 8 && std::is_trivial_v<FullRun>, "lives in shared memory");

// Two full ticks further apart than this, and than two ticks, belong to two runs.
constexpr std::uint32_t longest_gap_ms = 100;

// Notes a full tick and gives the length of its run so far, in ms.
inline std::uint32_t note_full(FullRun &run, std::int64_t now_ms, std::int64_t unit_ms) noexcept {
    auto now = static_cast<std::uint32_t>(now_ms);
    auto two_ticks = static_cast<std::uint32_t>(2 * unit_ms);
    std::uint32_t gap = two_ticks > longest_gap_ms ? two_ticks : longest_gap_ms;
    bool is_first = run.began_ms == 0 && run.last_ms == 0;
    if (is_first || now - run.last_ms > gap) run.began_ms = now;
    run.last_ms = now;
    return now - run.began_ms;
}

}  // namespace idgen
