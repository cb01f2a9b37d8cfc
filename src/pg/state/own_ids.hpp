// Whether this server can have made an ID, by what it remembers of its own. Only looks: it makes no slot, and reads and
// renews no horizon.
#pragma once

#include "core/layout/packing.hpp"
#include "pg/state/shared_state.hpp"

namespace idgen::pg {

enum class Maker : uint8 {
    elsewhere,     // no ID of the layout, or of a shard that this node does not own
    perhaps_here,  // of a shard of this node, and not above all that it has made of it, as far as is known
    another,       // above all that: somebody else makes IDs of a shard of this node
};

// The IDs of a layout in this session's database. What comes from a group of Citus counts as elsewhere.
class OwnIds {
   public:
    explicit OwnIds(const Layout &layout) : layout_(layout), packing_(packing_of(layout)) {}

    // `shard`: of the ID, if it is of this node. Waits for the lock of the directory where the shard has no slot.
    Maker maker_of(int64 id, uint32 &shard) const;

   private:
    bool is_own(SharedState *state, uint32 shard) const noexcept;

    Layout layout_;
    Packing packing_;
};

}  // namespace idgen::pg
