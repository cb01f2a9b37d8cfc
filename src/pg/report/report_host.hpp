// What the server or the machine fails to give.
#pragma once

#include "pg/report/location.hpp"

namespace idgen::pg {

[[noreturn]] void report_not_loaded(Location at = Location::here());
// A warning: a setting that is set, though the server did not load the library when it started.
void tell_needs_preload(const char *setting, Location at = Location::here());
// A script of a later version than this library, which is of the version `library`.
[[noreturn]] void report_older_library(const char *library, const char *wanted, Location at = Location::here());
[[noreturn]] void report_recovery(Location at = Location::here());
// The server's main process is gone; ends the session.
[[noreturn]] void report_postmaster_dead(Location at = Location::here());
// The server's source of random bytes failed.
[[noreturn]] void report_no_entropy(Location at = Location::here());
[[noreturn]] void report_cipher_failed(Location at = Location::here());

}  // namespace idgen::pg
