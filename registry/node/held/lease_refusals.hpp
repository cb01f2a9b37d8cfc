// Why a number cannot be drawn from: besides what pg/number/numbers.hpp declares, words that the rows of status() share.
#pragma once

#include "registry/node/held/leases.hpp"

namespace idgen::pg {

// How the process that keeps the numbers fares that does not keep them, behind "the", and what helps.
const char *words_of(KeeperState keeper);
const char *advice_for(KeeperState keeper, int32 pid);

}  // namespace idgen::pg
