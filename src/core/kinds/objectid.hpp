// ObjectId, as MongoDB makes it: 12 bytes that sort by the second of their making.
//
//      | 32 bits unix seconds, unsigned | 40 bits random, of the process | 24 bits counter |
//
// Text: 24 hexadecimal digits, written in lower case and read in either. The counter begins at random and
// goes on by 1, from its last value to 0 without touching the time. Source: the BSON ObjectId specification.
#pragma once

#include <string_view>

#include "core/kinds/time_prefixed.hpp"
#include "core/text/digits.hpp"

namespace idgen {

struct ObjectIdFormat {
    static constexpr std::size_t size = 12;
    static constexpr std::size_t time_size = 4;
    static constexpr std::size_t text_size = 24;
    static constexpr std::int64_t first_ms = 0;
    static constexpr std::int64_t unit_ms = 1000;
};
using ObjectId = TimePrefixed<ObjectIdFormat>;
static_assert(sizeof(ObjectId) == 12 && ObjectId::tail_size == 8, "an ObjectId is 12 bytes on disk");

// Writes ObjectId::text_size bytes, without a terminating zero.
void print(const ObjectId &id, char *out) noexcept;
// Reads exactly ObjectId::text_size digits.
TextError parse(std::string_view text, ObjectId &id) noexcept;

// What a process makes ObjectIds from: the tail of the next one. Begin with random bytes.
struct ObjectIdSource {
    std::uint8_t tail[ObjectId::tail_size];
};
ObjectId next_object_id(ObjectIdSource &source, std::int64_t now_ms) noexcept;

}  // namespace idgen
