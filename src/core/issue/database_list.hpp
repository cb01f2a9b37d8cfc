// The entries of databases, in an array in shared memory; those of databases that are gone are used again.
#pragma once

#include "core/issue/database_entry.hpp"

namespace idgen {

template <class Database>
struct DatabaseList {
    Database *entries;
    std::uint32_t &used;  // entries that were ever used
    std::uint32_t limit;

    // Null where there is none. Database 0: an entry that was used and is free.
    Database *find(std::uint32_t database) const noexcept {
        for (std::uint32_t i = 0; i < used; i++)
            if (entries[i].database == database) return &entries[i];
        return nullptr;
    }

    // Null where there is no room.
    Database *add(std::uint32_t database) const noexcept {
        Database *entry = find(0);
        if (entry == nullptr && used < limit) entry = entries + used++;
        if (entry != nullptr) entry->database = database;
        return entry;
    }

    // Calls visit(database) for each.
    template <class Visit>
    void for_each(Visit visit) const noexcept {
        for (std::uint32_t i = 0; i < used; i++)
            if (entries[i].database != 0) visit(entries[i]);
    }
};

}  // namespace idgen
