// PostgreSQL's timestamptz (microseconds from 2000-01-01) and the core's instants (unix ms).
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

constexpr int64 pg_epoch_unix_ms = int64{POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE} * (SECS_PER_DAY * int64{1000});

constexpr TimestampTz to_timestamptz(int64 unix_ms) noexcept {
    return (unix_ms - pg_epoch_unix_ms) * 1000;
}

// The millisecond that contains a finite instant.
constexpr int64 to_unix_ms(TimestampTz at) noexcept {
    int64 ms = at / 1000;
    return (at % 1000 < 0 ? ms - 1 : ms) + pg_epoch_unix_ms;
}

}  // namespace idgen::pg
