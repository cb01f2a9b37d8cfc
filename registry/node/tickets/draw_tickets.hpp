// Draws numbers of a counter from what this server holds, and waits for the keeper if that is not enough.
#pragma once

#include "registry/node/tickets/shared_tickets.hpp"

namespace idgen::lease {

// The name in UTF-8. Raises if it is empty or too long, or has a control character.
CounterName counter_name(std::string_view text);

// Takes `n` numbers in a row; gives the first. Waits, asleep, for idgen.max_wait at most, and not if the registry was
// asked and has never answered; raises if there is none.
// The reference is of this counter, or empty.
int64 draw_tickets(SharedTickets *tickets, const CounterName &name, CounterReference &reference, int64 n);

}  // namespace idgen::lease
