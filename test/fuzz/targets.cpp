// The fuzz targets, a function fuzz_NAME for each parser; that of public IDs stands in parsers.hpp. A target is compiled
// with TARGET as the name of its function, so that its program has none of the others. Each reads any bytes as text, and
// what is read must come back.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/layout/layout.hpp"
#include "core/layout/packing.hpp"
#include "core/layout/shard_set.hpp"
#include "core/text/digits.hpp"
#include "kinds/core/time_prefixed.hpp"
#include "kinds/core/typeid.hpp"
#include "parsers.hpp"

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

// The readers with one setting of what they may accept.
template <bool may_be_short>
TextError parse_plain_base32(std::string_view text, std::int64_t &id) noexcept {
    return parse_base32(text, false, may_be_short, id);
}
template <bool may_be_short>
TextError parse_checked_base32(std::string_view text, std::int64_t &id) noexcept {
    return parse_base32(text, true, may_be_short, id);
}
template <bool may_be_short>
TextError parse_some_base62(std::string_view text, std::int64_t &id) noexcept {
    return parse_base62(text, may_be_short, id);
}
template <bool may_be_short>
TextError parse_some_base64url(std::string_view text, std::int64_t &id) noexcept {
    return parse_base64url(text, may_be_short, id);
}
inline std::size_t print_plain_base32(std::int64_t id, char *out) noexcept {
    print_base32(id, out);
    return base32_size;
}

inline std::size_t print_checked_base32(std::int64_t id, char *out) noexcept {
    out[base32_size] = base32_check(id);
    return print_plain_base32(id, out) + 1;
}

inline void fuzz_base32(std::string_view text) noexcept {
    fuzz_number(text, parse_plain_base32<true>, print_plain_base32);
    fuzz_number(text, parse_plain_base32<false>, print_plain_base32);
    fuzz_number(text, parse_checked_base32<true>, print_checked_base32);
    fuzz_number(text, parse_checked_base32<false>, print_checked_base32);
}

inline std::size_t print_padded_base62(std::int64_t id, char *out) noexcept {
    print_base62(id, out);
    return base62_size;
}

inline void fuzz_base62(std::string_view text) noexcept {
    fuzz_number(text, parse_some_base62<true>, print_padded_base62);
    fuzz_number(text, parse_some_base62<false>, print_padded_base62);
}

inline void fuzz_base64url(std::string_view text) noexcept {
    fuzz_number(text, parse_some_base64url<true>, print_base64url);
    std::int64_t id = 0;
    if (parse_base64url(text, false, id).reason == TextReason::none) require(text.size() == base64url_size);
}

inline void fuzz_ulid(std::string_view text) noexcept {
    fuzz_time_prefixed<Ulid>(text);
}
inline void fuzz_ksuid(std::string_view text) noexcept {
    fuzz_time_prefixed<Ksuid>(text);
}
inline void fuzz_objectid(std::string_view text) noexcept {
    fuzz_time_prefixed<ObjectId>(text);
}

inline void fuzz_typeid(std::string_view text) noexcept {
    TypeId id{};
    TextError error = parse(text, id);
    if (error.reason != TextReason::none) return require_within(error, text);
    // Strict: a value has one text.
    char out[typeid_most];
    require(std::string_view(out, print(id, out)) == text);
}

inline void fuzz_key_ring(std::string_view text) {
    fuzz_keys(text);
}

// Each text that is written for a layout reads as it.
inline void require_texts(const Layout &layout) noexcept {
    Layout again{};
    char out[layout_text_size];
    for (auto print : {print_layout, print_long_layout}) {
        std::size_t printed = print(layout, out);
        require(printed <= sizeof(out));
        require(parse_layout({out, printed}, again).reason == LayoutReason::none && again == layout);
    }
}

// The binary form, whose every bit is the client's.
inline void require_binary(std::string_view bytes) noexcept {
    Layout layout;
    std::memcpy(&layout, bytes.data(), sizeof(layout));
    if (validate(layout) == LayoutReason::none) require_texts(layout);
}

inline void fuzz_layout_text(std::string_view text) noexcept {
    if (text.size() == sizeof(Layout)) require_binary(text);
    Layout layout{};
    LayoutError error = parse_layout(text, layout);
    if (error.reason != LayoutReason::none) return require_within(error.part, text);
    require(validate(layout) == LayoutReason::none);
    require_texts(layout);
}

inline void fuzz_shard_set(std::string_view text) noexcept {
    std::vector<ShardRange> ranges(max_range_count(text));
    ShardSet set{};
    ShardsError error = parse_shards(text, ranges.data(), set);
    if (error.reason != ShardsReason::none) return require_within(error.part, text);
    if (set.empty()) return;
    require(set.range_count <= ranges.size() && set.shard_count > 0);
    require(set.at(0) == set.smallest() && set.at(set.shard_count - 1) == set.largest());
    for (std::uint32_t i = 0; i < set.range_count; i++) {
        require(set.ranges[i].first <= set.ranges[i].last && set.ranges[i].last <= max_shard);
        require(i == 0 || set.ranges[i].first > set.ranges[i - 1].last);
        require(set.contains(set.ranges[i].first) && set.contains(set.ranges[i].last));
    }
    require(!set.contains(set.largest() + 1));
    require(set.smallest() == 0 || !set.contains(set.smallest() - 1));
}

}  // namespace idgen

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    idgen::TARGET(idgen::text_of(data, size));
    return 0;
}
