// The granted horizon: no ID whose tick starts at or after it is handed out. It moves a window at a
// time, so what must be checked or made durable before IDs are issued is done once a window.
#pragma once

#include <algorithm>
#include <cstdint>

namespace idgen {

// Where the horizon goes when a tick that starts at `start_ms` needs it. All in unix ms.
constexpr std::int64_t renewed_horizon(std::int64_t now_ms, std::int64_t floor_ms, std::int64_t start_ms,
                                       std::int64_t window_ms) noexcept {
    return std::max({now_ms, floor_ms, start_ms}) + window_ms;
}

}  // namespace idgen
