// What the catalog and messages call a durable record.
#pragma once

#include "core/durable/renewal.hpp"

namespace idgen::pg {

// The sequence behind which a record lies.
constexpr const char *sequence_of(Record kind) noexcept {
    return kind == Record::horizon ? "idgen_horizon" : "idgen_generator";
}

}  // namespace idgen::pg
