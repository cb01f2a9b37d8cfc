// What keeps a renewal of the durable horizon from being granted.
#pragma once

#include <cstdint>

namespace idgen::pg {

enum class Renewal : std::uint8_t {
    granted,           // or the floor rose: try the take again
    locked,            // somebody holds a lock on the horizon's sequence
    busy,              // another session renews
    not_acknowledged,  // the synchronous standbys have not flushed it yet
};

}  // namespace idgen::pg
