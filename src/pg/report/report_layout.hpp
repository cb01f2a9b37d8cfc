// Refusals of layouts and of lists of shards.
#pragma once

#include "core/layout/layout.hpp"
#include "core/layout/shard_set.hpp"
#include "pg/report/location.hpp"

namespace idgen::pg {

// A layout that was refused; soft where the caller can catch it so.
void report_layout(const LayoutError &error, std::string_view text, Node *soft_context, Location at = Location::here());
// A binary value that is no layout.
[[noreturn]] void report_binary_layout(Location at = Location::here());
// A list of shards that was refused; for a setting's check hook.
void explain_bad_shards(const ShardsError &error);

}  // namespace idgen::pg
