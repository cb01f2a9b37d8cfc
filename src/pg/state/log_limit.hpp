// Keeps the log readable: one message a minute for each cause, whichever session sees it.
#pragma once

#include "pg/state/shared_state.hpp"

namespace idgen::pg {

// Whether it is this session's turn to tell the log. True at most once a minute on the whole server.
bool may_log(SharedState *state, Cause cause) noexcept;

}  // namespace idgen::pg
