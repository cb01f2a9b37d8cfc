// What the registry lists, as the choice of a number and a sentence need it.
#pragma once

#include "core/lease/number_choice.hpp"
#include "lease/store/registry.hpp"

namespace idgen::lease {

// By palloc.
NumberList list_of(const Registration &registration);

// The same, but each R at least what this server was granted for the number.
NumberList list_with(const Registration &registration, const GrantedHorizons &granted);

// Who holds a number: a sentence, by palloc.
const char *held_by(const Registration &registration, int64 number);

}  // namespace idgen::lease
