// Refusals of UUIDs: of IDs inside them, and of version 7.
#pragma once

#include "core/kinds/uuid.hpp"
#include "pg/report/location.hpp"

namespace idgen::pg {

// An ID that no UUID can hold, and a UUID that holds no ID of the layout.
[[noreturn]] void report_id_for_uuid(IdReason reason, const Layout &layout, int64 id, Location at = Location::here());
[[noreturn]] void report_uuid(UuidReason reason, const Layout &layout, const Uuid &uuid, int64 id,
                              Location at = Location::here());

// An instant that no UUID of version 7 can hold.
[[noreturn]] void report_uuid_stamp(TimestampTz instant, Location at = Location::here());
// No UUID of version 7 is left above the last.
[[noreturn]] void report_no_uuid(Location at = Location::here());

}  // namespace idgen::pg
