// Finds why a tick was refused, so that the clock is blamed only where it is to blame.
#pragma once

#include "pg/draw/wait.hpp"
#include "pg/report/report_draw.hpp"
#include "pg/state/source.hpp"

namespace idgen::pg {

// Raises, with the reason, if it is another than the clock. Returns if the clock was set back or stands
// still.
void report_if_clock_is_well(const Source &source, const Stopped &stopped, const Take &taken, const Wait &wait);

}  // namespace idgen::pg
