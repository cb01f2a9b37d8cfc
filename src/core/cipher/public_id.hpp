// An ID encrypted to another number, so that it shows neither time nor rate nor node: FF1 over the positive bigints. 63
// binary digits are exactly those, so every ID has one encrypted form and every positive bigint is that of some ID.
// Never change: encrypted IDs are kept outside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/cipher/ff1.hpp"
#include "core/text/digits.hpp"
#include "core/text/id_prefix.hpp"

namespace idgen {

constexpr Ff1Domain id_domain{2, 63};
static_assert(is_ff1_domain(id_domain), "the domain of FF1");

// The first 31 binary digits of an ID, and the other 32.
constexpr Ff1Halves halves_of_id(std::int64_t id) noexcept {
    auto bits = static_cast<std::uint64_t>(id);
    return {bits >> 32, bits & 0xFFFFFFFF};
}

constexpr std::int64_t id_of_halves(const Ff1Halves &halves) noexcept {
    return static_cast<std::int64_t>(halves.left << 32 | halves.right);
}

// Require an ID that is not negative; false if the block cipher failed.
inline bool encrypt_id(const BlockCipher &cipher, std::string_view tweak, std::int64_t &id) noexcept {
    Ff1 ff1;
    Ff1Halves halves = halves_of_id(id);
    if (!ff1.begin(id_domain, cipher, tweak) || !ff1.encrypt(halves)) return false;
    id = id_of_halves(halves);
    return true;
}

inline bool decrypt_id(const BlockCipher &cipher, std::string_view tweak, std::int64_t &id) noexcept {
    Ff1 ff1;
    Ff1Halves halves = halves_of_id(id);
    if (!ff1.begin(id_domain, cipher, tweak) || !ff1.decrypt(halves)) return false;
    id = id_of_halves(halves);
    return true;
}

// An encrypted ID as people outside see it, with the number of the key that it was made with:
//
//      | prefix _ | key number, decimal, no zero in front | 11 digits of Base62: the encrypted ID |  inv_ 1 4oBVmyxvRfB
//
// The prefix says of what type the ID is (core/text/id_prefix.hpp); none stands in front of a text without one. The last
// 11 characters are always the number, so no mark stands between. One text for one of these. It has no check: almost
// every such text is some ID. Never change: public IDs are kept outside.

struct PublicId {
    std::string_view prefix;   // as check_id_prefix wants it
    std::uint32_t key_number;  // 1 to max_key_number
    std::int64_t number;       // the encrypted ID, not negative
};

constexpr std::size_t max_public_id_size = id_prefix_most + 1 + 10 + base62_size;

// Writes up to max_public_id_size bytes, without a terminating zero; returns the bytes written. Requires a right prefix.
std::size_t print_public_id(const PublicId &id, char *out) noexcept;

// Its prefix is part of the text, and known even if what follows is refused for another reason.
TextError parse_public_id(std::string_view text, PublicId &id) noexcept;

// The keys that public IDs are made with, as a setting lists them: '1:hex,2:hex'. Each is a number and the 16, 24 or 32
// bytes of an AES key as hexadecimal digits; the number goes into the public IDs that the key made, so that they are
// read with the same key when newer ones have come. Numbers are 1 to 2147483647, each once. Secret: an error says which
// item is wrong, never what it is; the owner of a ring wipes it.

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
