// Why a draw gives no ID: all errors that a draw raises of its own, but for those of a renewal and of numbers from a
// registry (report/report_renewal.hpp, draw/number_wait.hpp).
#pragma once

#include "pg/draw/wait.hpp"
#include "pg/report/words.hpp"
#include "pg/state/source.hpp"

namespace idgen::pg {

// What `next` of the core says is an error, after the last try and the wait before it.
[[noreturn]] void refuse_draw(const Source &source, Next next, const Limits &limits, const Take &taken,
                              const Wait &wait);

// The ID that was observed would put the next one further ahead of the clock than settings ever allow.
[[noreturn]] void report_observed_ahead(const Layout &layout, int64 id, int64 lead_us, const WaitLimits &limits);

// What was observed is not an ID of the layout.
[[noreturn]] void report_no_id_of(const Layout &layout, int64 id);

}  // namespace idgen::pg
