// An encrypted ID as people outside see it, with the number of the key that it was made with:
//
//      | key number, decimal, no zero in front | 11 digits of Base62: the encrypted ID |      1 4oBVmyxvRfB
//
// The last 11 characters are always the number, so no mark stands between. One text for one pair. It has no
// check: almost every such text is some ID. Never change: public IDs are kept outside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/text/base62.hpp"

namespace idgen {

struct PublicId {
    std::uint32_t key_number;  // 1 to max_key_number
    std::int64_t number;       // the encrypted ID, not negative
};

constexpr std::size_t max_public_id_size = 10 + base62_size;

// Writes up to max_public_id_size bytes, without a terminating zero; returns the bytes written.
std::size_t print_public_id(const PublicId &id, char *out) noexcept;

TextError parse_public_id(std::string_view text, PublicId &id) noexcept;

}  // namespace idgen
