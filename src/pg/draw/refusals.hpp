// Why a draw gives no ID, but for what a renewal and shards from a registry have to say (report/report_renewal.hpp,
// draw/wait.hpp).
#pragma once

#include "core/horizon/horizon.hpp"
#include "core/layout/layout.hpp"
#include "pg/draw/wait.hpp"
#include "pg/report/words.hpp"
#include "pg/state/source.hpp"

namespace idgen::pg {

// What `next` says is an error, after the last try and a wait of so long. `known`: what can have put the tick ahead.
Refusal refusal_of_draw(const Source &source, Next next, const Limits &limits, const Take &taken, int64 waited_ms,
                        const AheadView &known);

// Notes what a database knows of that, where the clock stands so far from the time since the boot.
void note_horizon(AheadView &known, const Horizon &horizon, const AcceptedClock &accepted, const BootId &boot,
                  int64 difference_ms) noexcept;

// Raises it, for this session's own draw.
[[noreturn]] void refuse_draw(const Source &source, Next next, const Limits &limits, const Take &taken,
                              const Wait &wait);

// Raises if a maker with that layout draws from a group of Citus that may be another server's. A registry knows, so with
// one this asks nothing.
//
// Citus promotes a clone before it gives it a group. Until that commits, the clone has the group of its origin, which
// goes on making IDs. What each says of itself is the same, but for the horizon: the origin's was written by the
// origin, the clone's by another than the clone. A server that has truly replaced its primary looks like a clone while
// one is registered.
void require_own_group(const Layout &layout);

}  // namespace idgen::pg
