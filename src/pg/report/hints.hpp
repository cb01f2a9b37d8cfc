// Advice that more than one message gives, or that idgen.status() gives, too: each sentence once.
#pragma once

namespace idgen::pg {

constexpr const char *time_between_hint = "Give a time in between.";
constexpr const char *finite_hint = "Give a finite timestamp.";
constexpr const char *right_layout_hint = "Give the layout that the ID was made with.";
constexpr const char *behind_hint = "Correct the clock, or raise idgen.max_wait to wait for it.";
constexpr const char *far_horizon_hint =
    "Correct the clock if it is behind; if a wrong clock or idgen.advance() raised the horizon, wait for "
    "that "
    "time or see idgen.reset().";
constexpr const char *advanced_hint =
    "Wait for that time; or, if it was a mistake, have a superuser call idgen.reset().";
constexpr const char *accept_clock_hint =
    "Correct the clock; or, if it is right now, have a superuser call idgen.accept_clock().";
constexpr const char *uncertain_hint =
    "Have chrony or ntpd ask nearer servers, or ask more often; or raise idgen.clock_error on all nodes that "
    "may succeed one another.";
constexpr const char *confirm_shards_hint =
    "Change idgen.shards here; or, if the other makes no more IDs, have a superuser call "
    "idgen.confirm_shards().";
constexpr const char *later_version_hint = "Install the version of idgen that the database was used with, and restart.";
constexpr const char *preload_hint =
    "Add this line to postgresql.conf, joined with what is there, and restart: "
    "shared_preload_libraries = 'idgen'";
constexpr const char *keeper_hint =
    "Add this line to postgresql.conf, joined with what is there, and restart: "
    "shared_preload_libraries = 'idgen, idgen_lease'. Where it is there, the log says more.";
constexpr const char *no_registry_hint =
    "Set idgen.registry in postgresql.conf and restart, or set idgen.shards to the numbers of this node.";
constexpr const char *no_region_hint = "Set idgen.region to 0; numbers cover the region of a layout that has one.";
constexpr const char *reconnect_hint = "It was set for this database or role after this connection began: reconnect.";
constexpr const char *reset_shards_hint = "This session has set it to nothing: RESET idgen.shards";

}  // namespace idgen::pg
