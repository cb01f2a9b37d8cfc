// The keys that public IDs are made with, as a setting lists them: '1:hex,2:hex'. Each is a number and the 16, 24 or 32
// bytes of an AES key as hexadecimal digits; the number goes into the public IDs that the key made, so that they are
// read with the same key when newer ones have come. Numbers are 1 to 2147483647, each once. Secret: an error says which
// item is wrong, never what it is; the owner of a ring wipes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace idgen {

constexpr std::size_t max_key_size = 32;

// The sizes of AES keys, in bytes.
constexpr bool is_key_size(std::size_t size) noexcept {
    return size == 16 || size == 24 || size == 32;
}

struct CipherKey {
    std::uint32_t number;
    std::uint32_t size;  // bytes
    std::uint8_t bytes[max_key_size];
};

constexpr std::uint32_t max_keys = 64;
constexpr std::uint32_t max_key_number = 0x7FFFFFFF;

struct KeyRing {
    std::uint32_t count;
    CipherKey keys[max_keys];

    // The key of that number, or null.
    const CipherKey *find(std::uint32_t number) const noexcept;
    // The key of the highest number, or null if there is none.
    const CipherKey *highest() const noexcept;
};

// Why a list of keys was refused.
enum class KeysReason : std::uint8_t {
    none,
    no_number,
    bad_number,
    repeated_number,
    bad_size,
    bad_digit,
    too_many,
};

struct KeysError {
    KeysReason reason;
    std::uint32_t item;  // the refused one, from 1
};

// Reads the list; blank text gives an empty ring. If it is refused, the ring may hold keys, too.
KeysError parse_keys(std::string_view text, KeyRing &ring) noexcept;

}  // namespace idgen
