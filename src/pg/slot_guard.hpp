// A slot held for a scope, in which nothing can raise an error.
#pragma once

#include "pg/slot_directory.hpp"
#include "pg/spin_guard.hpp"

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
