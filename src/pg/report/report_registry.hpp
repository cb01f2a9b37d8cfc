// A registry of numbers that cannot be asked, or refuses.
#pragma once

#include "pg/report/location.hpp"

namespace idgen::pg {

// Why a registry did not answer.
enum class RegistryFault : uint8 {
    silent,
    foreign,
    denied,
};

// `sentence` says what went wrong, without a period, and holds no password.
[[noreturn]] void report_registry(RegistryFault fault, const char *sentence, Location at = Location::here());
[[noreturn]] void report_no_registry(Location at = Location::here());
[[noreturn]] void report_registry_address(const char *sentence, Location at = Location::here());
[[noreturn]] void report_negative_number(int64 number, Location at = Location::here());
// An interval that an argument cannot be; `rule` is a sentence.
[[noreturn]] void report_interval(const char *argument, const char *rule, Location at = Location::here());
[[noreturn]] void report_registry_superuser(const char *function, Location at = Location::here());
void warn_not_advanced(Location at = Location::here());
// `database` is idgen.lease_database; empty where that is unset.
[[noreturn]] void report_not_lease_database(const char *database, Location at = Location::here());

}  // namespace idgen::pg
