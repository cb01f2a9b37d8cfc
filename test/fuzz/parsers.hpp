// What must hold for any bytes that a parser is given: it stays within them, and what it takes is whole. Each stops the
// program where it does not hold. The targets beside this file give them libFuzzer's bytes, the unit tests random ones.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/cipher/public_id.hpp"

namespace idgen {

inline void expect(bool holds) {
    if (!holds) __builtin_trap();
}

inline void fuzz_keys(std::string_view text) {
    auto ring = std::make_unique<KeyRing>();
    KeysError error = parse_keys(text, *ring);
    expect((error.reason == KeysReason::none) == (error.item == 0));
    if (error.reason != KeysReason::none) return;
    expect(ring->count <= max_keys);
    expect((ring->count == 0) == (ring->highest() == nullptr));
    for (std::uint32_t i = 0; i < ring->count; i++) {
        const CipherKey &key = ring->keys[i];
        expect(is_key_size(key.size) && key.number >= 1 && key.number <= ring->highest()->number);
        expect(ring->find(key.number) == &key);
    }
}

// A text that is taken is the one that is written.
inline void fuzz_public_id(std::string_view text) {
    PublicId id{};
    TextError error = parse_public_id(text, id);
    expect(error.position <= text.size());
    if (error.reason != TextReason::none) return;
    char again[max_public_id_size];
    std::size_t size = print_public_id(id, again);
    expect(id.number >= 0 && std::string_view(again, size) == text);
}

}  // namespace idgen
