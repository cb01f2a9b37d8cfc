// The memory that both sides of WebAssembly see. A caller writes what a call reads, calls, and reads what the call wrote.
//
//      | text: 512 bytes | answer: 88 bytes |
//
// A call returns numbers itself; texts and whatever has several parts stand here until the next call. The only state
// that outlives a call is the layout in use, which every call about a 64-bit ID reads. There is one thread.
//
// An instant is two numbers: unix ms, which a double holds exactly, and the microseconds beyond that ms, 0 to 999.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/layout/packing.hpp"
#include "core/text/text_part.hpp"

namespace idgen::wasm {

constexpr std::size_t text_size = 512;

// What a call answers beside its result. Never change without core.js of the package: it reads these offsets.
struct Answer {
    double unix_ms;          // of an ID; in a layout's description the start of its last tick; rounded down
    std::int64_t id;         // also the first of a period, or the largest of a layout
    std::int64_t last;       // of a period
    Layout layout;           // the one that was read
    std::uint32_t shard;     // of an ID; in a layout's description the largest
    std::uint32_t region;    //
    std::uint32_t sequence;  // of an ID; in a layout's description the IDs of a tick
    std::uint32_t position;  // where the refused part of a text begins
    std::uint32_t size;      // bytes of it; of a TypeID's prefix
    std::uint32_t us;        // beyond unix_ms, of an ID or a layout; of other kinds not set
    std::uint8_t bytes[20];  // of a UUID, ULID, KSUID or ObjectId
};

static_assert(sizeof(Answer) == 88 && offsetof(Answer, id) == 8 && offsetof(Answer, last) == 16 &&
                  offsetof(Answer, layout) == 24 && offsetof(Answer, shard) == 40 && offsetof(Answer, position) == 52 &&
                  offsetof(Answer, us) == 60 && offsetof(Answer, bytes) == 64,
              "core.js reads these offsets");

inline char text[text_size];
inline Answer answer;
inline Layout layout_in_use = preset(0).layout;
inline Packing packing_in_use = packing_of(preset(0).layout);

// The text that a caller wrote. Requires at most text_size bytes.
inline std::string_view given_text(std::uint32_t size) noexcept {
    return head_of({text, text_size}, size);
}

inline void use_layout(const Layout &layout) noexcept {
    layout_in_use = layout;
    packing_in_use = packing_of(layout);
}

// Answers an instant: its ms, and the microseconds beyond it.
inline void answer_instant(std::int64_t us) noexcept {
    std::int64_t ms = ms_down(us);
    answer.unix_ms = static_cast<double>(ms);
    answer.us = static_cast<std::uint32_t>(us - us_of(ms));
}

// Notes which part of the given text was refused.
inline void note_refused(std::size_t position, std::size_t size) noexcept {
    answer.position = static_cast<std::uint32_t>(position);
    answer.size = static_cast<std::uint32_t>(size);
}

}  // namespace idgen::wasm
