// Refusals of keys and public IDs. No message tells a key, or a part of the text that should have been one.
#pragma once

#include "core/cipher/key_ring.hpp"
#include "core/text/digits.hpp"
#include "pg/report/location.hpp"

namespace idgen::pg {

// A list of keys that was refused, and one that would stand in an open catalog; for a setting's check hook.
void explain_bad_keys(const KeysError &error);
void explain_open_catalog();

[[noreturn]] void report_key_size(size_t size, Location at = Location::here());
[[noreturn]] void report_tweak_size(size_t size, size_t most, Location at = Location::here());
[[noreturn]] void report_negative_id(int64 id, Location at = Location::here());
[[noreturn]] void report_no_keys(bool is_defined, Location at = Location::here());
[[noreturn]] void report_unknown_key(int32 number, Location at = Location::here());
[[noreturn]] void report_public_id(const TextError &error, std::string_view text, Location at = Location::here());

}  // namespace idgen::pg
