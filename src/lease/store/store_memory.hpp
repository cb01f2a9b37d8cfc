// The memory of a store: a context of its own, whose end closes the store, and one for what a call needs.
#pragma once

#include "lease/store/registry.hpp"

namespace idgen::lease {

struct StoreMemory {
    MemoryContext own;
    MemoryContext scratch;
    MemoryContextCallback at_end;
};

// Makes a context of the current one's.
inline MemoryContext make_store_context() {
    return AllocSetContextCreate(CurrentMemoryContext, "idgen registry", ALLOCSET_DEFAULT_SIZES);
}

// Begins the memory of a store that lies in that context; `end` closes it.
inline void begin_memory(StoreMemory &memory, MemoryContext own, MemoryContextCallbackFunction end, void *store) {
    memory.own = own;
    memory.scratch = AllocSetContextCreate(own, "idgen registry call", ALLOCSET_DEFAULT_SIZES);
    memory.at_end = {end, store, nullptr};
    MemoryContextRegisterResetCallback(own, &memory.at_end);
}

// Runs what one call does, in memory that is free again afterwards.
template <typename Work>
Reply in_scratch(const StoreMemory &memory, Work work) {
    MemoryContext caller = MemoryContextSwitchTo(memory.scratch);
    Reply reply = work();
    MemoryContextSwitchTo(caller);
    MemoryContextReset(memory.scratch);
    return reply;
}

}  // namespace idgen::lease
