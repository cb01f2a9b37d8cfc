// What the registry lists, as the choice of a number and a sentence need it.
#pragma once

#include "lease/store/registry.hpp"

namespace idgen::lease {

// By palloc.
NumberList list_of(const Registration &registration);

// Who holds a number: a sentence, by palloc.
const char *held_by(const Registration &registration, int64 number);

}  // namespace idgen::lease
