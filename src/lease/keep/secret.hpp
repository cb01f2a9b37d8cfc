// Incarnations and lives: random numbers that tell owners apart, shown to nobody.
#pragma once

#include "pg/host/entropy.hpp"

namespace idgen::lease {

// Never 0.
inline int64 random_secret() {
    int64 secret = 0;
    while (secret == 0) pg::fill_random(&secret, sizeof(secret));
    return secret;
}

}  // namespace idgen::lease
