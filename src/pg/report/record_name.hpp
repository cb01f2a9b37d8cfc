// What the catalog and messages call a durable record.
#pragma once

#include "core/durable/renewal.hpp"

namespace idgen::pg {

// The sequence behind which a record lies, in the schema of the extension idgen.
constexpr const char *name_of(Record kind) noexcept {
    return kind == Record::horizon ? "horizon" : "generator";
}
// The same, with the name that the schema has from the install script.
constexpr const char *sequence_of(Record kind) noexcept {
    return kind == Record::horizon ? "idgen.horizon" : "idgen.generator";
}

}  // namespace idgen::pg
