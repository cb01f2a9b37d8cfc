// Refusals of what a NanoID should be made of.
#pragma once

#include <string_view>

#include "pg/report/location.hpp"

namespace idgen::pg {

[[noreturn]] void report_nanoid_size(int64 size, int64 most, Location at = Location::here());
[[noreturn]] void report_alphabet_size(size_t symbols, Location at = Location::here());
// `position` is the character of the alphabet that stands there again, from 0.
[[noreturn]] void report_repeated_symbol(std::string_view symbol, size_t position, Location at = Location::here());

}  // namespace idgen::pg
