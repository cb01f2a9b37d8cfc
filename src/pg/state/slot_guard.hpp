// A slot held for a scope, in which nothing can raise an error.
#pragma once

#include "pg/host/spin_guard.hpp"
#include "pg/state/slot_directory.hpp"

namespace idgen::pg {

class SlotGuard {
   public:
    explicit SlotGuard(SharedSlot &slot) noexcept : slot_(slot), held_(slot.mutex) {}

    // Whether the slot is still the one that the handle was for.
    bool is_current(const SlotHandle &handle) const noexcept { return slot_.generation == handle.generation; }

   private:
    SharedSlot &slot_;
    SpinGuard held_;
};

}  // namespace idgen::pg
