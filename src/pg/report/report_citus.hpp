// Where idgen.shards asks for the group of this node in Citus.
#pragma once

#include "core/layout/packing.hpp"
#include "pg/report/location.hpp"

namespace idgen::pg {

enum class CitusState : uint8 {
    member,
    absent,    // there is no table of the group, or nothing in it
    unjoined,  // the group is the one that each server begins with, and no node is known
    doubtful,  // the group may be that of the origin whose promoted clone this server is
};

// What makes a node one of Citus, as advice; null for a member.
const char *remedy_for(CitusState state);

// The node has no group that counts.
[[noreturn]] void report_no_citus(CitusState state, Location at = Location::here());

// A layout that cannot hold the group of this node, or not beside a region.
[[noreturn]] void report_group_range(const Layout &layout, uint32 group, int region, Location at = Location::here());

}  // namespace idgen::pg
