// What the fuzz targets share: each reads any bytes as text, and what is read must come back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/text/digits.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

namespace idgen {

inline std::string_view text_of(const std::uint8_t *data, std::size_t size) noexcept {
    return {reinterpret_cast<const char *>(data), size};
}

// A crash that the fuzzer keeps the input of.
inline void require(bool holds) noexcept {
    if (!holds) std::abort();
}

// A refusal names a place within the text.
inline void require_within(const TextError &error, std::string_view text) noexcept {
    require(error.position <= text.size());
    if (error.reason == TextReason::bad_character) require(error.position < text.size());
}

// The same for one that names a part of the text.
inline void require_within(std::string_view part, std::string_view text) noexcept {
    require(part.empty() || (part.data() >= text.data() && part.data() + part.size() <= text.data() + text.size()));
}

// Reads a time-prefixed type; its text comes back as it was, but for the case and the look-alikes that are read.
template <class Value>
void fuzz_time_prefixed(std::string_view text) noexcept {
    Value value, again;
    TextError error = parse(text, value);
    if (error.reason != TextReason::none) return require_within(error, text);
    char out[Value::text_size];
    print(value, out);
    require(parse({out, sizeof(out)}, again).reason == TextReason::none && compare(value, again) == 0);
    require(time_of(value) >= Value::first_ms && time_of(value) <= Value::last_ms);
}

// Reads a number; the text that is written for it reads as the same number.
template <class Parse, class Print>
void fuzz_number(std::string_view text, Parse parse, Print print) noexcept {
    std::int64_t id = 0, again = 0;
    TextError error = parse(text, id);
    if (error.reason != TextReason::none) return require_within(error, text);
    char out[32];
    std::size_t size = print(id, out);
    require(parse({out, size}, again).reason == TextReason::none && again == id);
}

}  // namespace idgen
