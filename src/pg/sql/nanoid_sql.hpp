// The symbols of an alphabet: distinct characters in the server's encoding, split once for each call site.
#pragma once

#include "pg/postgres.hpp"

#include <string_view>

#include "core/kinds/nanoid.hpp"

namespace idgen::pg {

struct Symbols {
    size_t count;
    size_t most_bytes;                       // of a symbol
    uint16 begins[nanoid_most_symbols + 1];  // where each begins, and the last ends
    size_t size;                             // of the bytes
    char bytes[nanoid_most_symbols * 4];     // of all symbols
};
static_assert(MAX_MULTIBYTE_CHAR_LEN <= 4, "no character has more bytes");

// The symbols of an alphabet, kept with the call site. Raises where there are none or too many, or one twice.
const Symbols &symbols_of(FmgrInfo *call_site, std::string_view alphabet);

}  // namespace idgen::pg
