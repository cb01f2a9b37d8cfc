// Refusals of TypeIDs.
#pragma once

#include "core/text/digits.hpp"
#include "pg/report/location.hpp"

namespace idgen::pg {

// A text that is no TypeID, a prefix that none can have, and a type that is no value of one.
[[noreturn]] void report_typeid(const TextError &error, std::string_view text, Location at = Location::here());
[[noreturn]] void report_typeid_prefix(const TextError &error, std::string_view prefix, Location at = Location::here());
[[noreturn]] void report_typeid_type(Oid type, Location at = Location::here());

}  // namespace idgen::pg
