// The loop of all that is drawn: try, and where that did not succeed, do what the core says: renew a record,
// or wait asleep, or raise; then try again. Of IDs and timestamps (draw_steps.cpp) and of counters
// (decimal_draw.cpp).
#pragma once

#include "core/issue/draw_steps.hpp"
#include "pg/draw/wait.hpp"

namespace idgen::pg {

// `Drawing` has a `record` to renew and
//   Next try_once(const Wait &)         one try; what follows from it
//   Outcome renew()                     one try to renew the record
//   void wait_for_tick(Next, Wait &)    for all else, where it draws from ticks: sleeps, or raises
template <class Drawing>
void take_or_wait(Drawing &drawing) {
    Wait wait{};
    for (Next next; (next = drawing.try_once(wait)) != Next::issue;) {
        if (next == Next::renew)
            wait_for_renewal(drawing.renew(), Drawing::record, wait);
        else if constexpr (Drawing::has_ticks)
            drawing.wait_for_tick(next, wait);
    }
}

}  // namespace idgen::pg
