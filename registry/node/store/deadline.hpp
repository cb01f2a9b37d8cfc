// How long a call waits for its answer, and what ends it before: a signal that ends the process or cancels the
// statement, or a copy of the machine, in which the answer may be another copy's. Waiting raises no error; it resets the
// latch of the process, which ends if its server is dead.
#pragma once

#include "pg/postgres.hpp"

#include "pg/host/clock.hpp"
#include "pg/host/machine.hpp"

namespace idgen::lease {

struct Deadline {
    int64 ends_ms;   // of the monotonic clock
    uint64 machine;  // in which the call began
    bool is_last;    // signals do not end it
};

inline Deadline deadline_in(int64 ms) noexcept {
    return {pg::monotonic_ms() + ms, pg::machine(), false};
}

// For what is owed to others when a call is given up, even if it is because of a signal. A moment.
inline Deadline last_deadline_in(int64 ms) noexcept {
    return {pg::monotonic_ms() + ms, pg::machine(), true};
}

// What is left, ms; 0: nothing.
inline int64 left_ms(const Deadline &deadline) noexcept {
    int64 left = deadline.ends_ms - pg::monotonic_ms();
    return left > 0 ? left : 0;
}

// Whether a signal wants this process, or its statement, to end.
inline bool is_told_to_end() noexcept {
    return QueryCancelPending || ProcDiePending || ShutdownRequestPending;
}

// Each gives null, or why the call must end, as a sentence of a trouble.

// Looks once, without sleeping.
const char *must_end(const Deadline &deadline);

// Sleeps that long, or until the deadline.
const char *sleep_within(int64 ms, const Deadline &deadline);

// Sleeps until the socket can be read or written, as WL_SOCKET_READABLE and WL_SOCKET_WRITEABLE say.
const char *wait_for_socket(pgsocket socket, int events, const Deadline &deadline);

}  // namespace idgen::lease
