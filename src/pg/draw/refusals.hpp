// Why a draw gives no ID, but for what a renewal and shards from a registry have to say (report/report_renewal.hpp,
// draw/wait.hpp).
#pragma once

#include "core/horizon/horizon.hpp"
#include "pg/draw/wait.hpp"
#include "pg/report/refusal.hpp"
#include "pg/report/words.hpp"
#include "pg/state/source.hpp"

namespace idgen::pg {

// What `next` of the core says is an error, after the last try and a wait of so long. `known`: what can have put the tick
// ahead of the clock.
Refusal refusal_of_draw(const Source &source, Next next, const Limits &limits, const Take &taken, int64 waited_ms,
                        const AheadView &known);

// Notes what a database knows of that, where the clock stands so far from the time since the boot.
void note_horizon(AheadView &known, const Horizon &horizon, const AcceptedClock &accepted, const BootId &boot,
                  int64 difference_ms) noexcept;

// Raises it, for this session's own draw.
[[noreturn]] void refuse_draw(const Source &source, Next next, const Limits &limits, const Take &taken,
                              const Wait &wait);

// The ID that was observed would put the next one further ahead of the clock than settings ever allow.
[[noreturn]] void report_observed_ahead(const Layout &layout, int64 id, int64 lead_us, const WaitLimits &limits);

// What was observed is not an ID of the layout.
[[noreturn]] void report_no_id_of(const Layout &layout, int64 id);

}  // namespace idgen::pg
