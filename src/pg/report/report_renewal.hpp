// What keeps the durable horizon from being renewed, or a generator from being taken; and what the clock of this
// machine is refused for.
#pragma once

#include "core/durable/renewal.hpp"
#include "pg/postgres.hpp"

namespace idgen::pg {

// What no waiting helps against, and what was waited for too long, which is `waited_ms`.
[[noreturn]] void report_refused(const Outcome &outcome, Record kind);
[[noreturn]] void report_not_renewed(Renewal renewal, Record kind, int64 waited_ms);

[[noreturn]] void report_clock_jumped(int64 jump_ms, int64 max_jump_ms);
[[noreturn]] void report_clock_not_synchronized();
void warn_clock_not_synchronized();
// It is synchronized, and may still be wrong by more than idgen.clock_error.
[[noreturn]] void report_clock_uncertain(int64 error_ms, int64 limit_ms);
void warn_clock_uncertain(int64 error_ms, int64 limit_ms);
void warn_clock_disrupted();

}  // namespace idgen::pg
