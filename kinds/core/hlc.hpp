// A hybrid logical clock (Kulkarni et al. 2014): a timestamp near the time of day that rises with every event and past
// every timestamp that was received, so that cause sorts before effect.
//
//      | 48 bits unix ms | 16 bits logical |      one bigint, never negative: until the year 6429
//
// Its state is a slot: the last (ms, logical). An event is a draw from it: the clock's ms with logical 0 if that is
// later, else the last timestamp plus one; a receipt lies above the timestamp received, too. The logical part carries
// into the ms, ahead of the clock by at most max_lead. Floor and grant are those of every slot, so no timestamp comes
// again after a crash.
#pragma once

#include "core/require.hpp"
#include "core/slot/slot.hpp"
#include "core/slot/slot_index.hpp"

namespace idgen {

// Never change: timestamps are kept in columns.
constexpr Layout hlc_layout{0, 1, 48, 0, 0, 16, 0, 0};
constexpr Packing hlc_packing = packing_of(hlc_layout);
static_assert(hlc_packing.time_shift == 16 && hlc_packing.tick_end == std::int64_t{1} << 47, "on disk");

constexpr std::int64_t hlc_last_ms = hlc_packing.tick_end - 1;
constexpr std::int64_t hlc_last_logical = hlc_packing.sequence_last;

struct HlcParts {
    std::int64_t ms;
    std::int64_t logical;
};

// Why parts make no timestamp.
enum class HlcReason : std::uint8_t { none, time_out_of_range, logical_out_of_range };
constexpr HlcReason check_hlc(const HlcParts &parts) noexcept {
    if (parts.ms < 0 || parts.ms > hlc_last_ms) return HlcReason::time_out_of_range;
    bool is_logical = parts.logical >= 0 && parts.logical <= hlc_last_logical;
    return is_logical ? HlcReason::none : HlcReason::logical_out_of_range;
}

// Requires parts that check_hlc admits.
constexpr std::int64_t pack_hlc(const HlcParts &parts) noexcept {
    IDGEN_REQUIRE(check_hlc(parts) == HlcReason::none);
    return parts.ms << hlc_packing.time_shift | parts.logical;
}

// Requires hlc >= 0: every positive bigint is a timestamp.
constexpr HlcParts unpack_hlc(std::int64_t hlc) noexcept {
    IDGEN_REQUIRE(hlc >= 0);
    return {hlc >> hlc_packing.time_shift, hlc & hlc_last_logical};
}

// What a session remembers that has observed a timestamp: it draws above that.
constexpr DrawHistory observed_hlc(std::int64_t hlc) noexcept {
    HlcParts parts = unpack_hlc(hlc);
    return {parts.ms, clock_shard, static_cast<std::uint32_t>(parts.logical)};
}

}  // namespace idgen
