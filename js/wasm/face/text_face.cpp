// The face of texts: the forms of a 64-bit ID, and the other kinds. What writes a text returns its bytes; what reads one
// returns the TextReason and notes where a wrong character stands.
#include "core/text/digits.hpp"
#include "kinds/core/time_prefixed.hpp"
#include "kinds/core/typeid.hpp"
#include "wasm/exchange/exchange.hpp"

namespace idgen::wasm {

namespace {

std::int32_t noted(const TextError &error) noexcept {
    note_refused(error.position, 0);
    return static_cast<std::int32_t>(error.reason);
}

// Reads the given text as a value of a kind; answers its bytes and its time.
template <class Value>
std::int32_t parse_value(std::uint32_t size) noexcept {
    Value value{};
    TextError error = parse(given_text(size), value);
    std::memcpy(answer.bytes, value.bytes, Value::size);
    answer.unix_ms = static_cast<double>(time_of(value));
    return noted(error);
}

// Writes the bytes of the answer as a text of a kind.
template <class Value>
std::uint32_t print_value() noexcept {
    Value value{};
    std::memcpy(value.bytes, answer.bytes, Value::size);
    print(value, text);
    return Value::text_size;
}

Uuid answered_uuid() noexcept {
    Uuid uuid{};
    std::memcpy(uuid.octets, answer.bytes, sizeof(uuid.octets));
    return uuid;
}

}  // namespace

extern "C" {

std::uint32_t idgen_print_base62(std::int64_t id) noexcept {
    print_base62(id, text);
    return base62_size;
}

std::int32_t idgen_parse_base62(std::uint32_t size, bool may_be_short) noexcept {
    return noted(parse_base62(given_text(size), may_be_short, answer.id));
}

std::uint32_t idgen_print_base32(std::int64_t id, bool has_check) noexcept {
    print_base32(id, text);
    text[base32_size] = base32_check(id);
    return has_check ? base32_size + 1 : base32_size;
}

std::int32_t idgen_parse_base32(std::uint32_t size, bool has_check, bool may_be_short) noexcept {
    return noted(parse_base32(given_text(size), has_check, may_be_short, answer.id));
}

std::uint32_t idgen_print_base64url(std::int64_t id) noexcept {
    return static_cast<std::uint32_t>(print_base64url(id, text));
}

std::int32_t idgen_parse_base64url(std::uint32_t size, bool may_be_short) noexcept {
    return noted(parse_base64url(given_text(size), may_be_short, answer.id));
}

std::int32_t idgen_parse_ulid(std::uint32_t size) noexcept {
    return parse_value<Ulid>(size);
}

std::uint32_t idgen_print_ulid() noexcept {
    return print_value<Ulid>();
}

std::int32_t idgen_parse_ksuid(std::uint32_t size) noexcept {
    return parse_value<Ksuid>(size);
}

std::uint32_t idgen_print_ksuid() noexcept {
    return print_value<Ksuid>();
}

std::int32_t idgen_parse_objectid(std::uint32_t size) noexcept {
    return parse_value<ObjectId>(size);
}

std::uint32_t idgen_print_objectid() noexcept {
    return print_value<ObjectId>();
}

// The version of the UUID in the answer, negative if its variant is another.
std::int32_t idgen_uuid_version() noexcept {
    return uuid_version(answered_uuid());
}

// Answers the time of the UUID in the answer: unix_ms is its millisecond, id its microseconds. False if it has none.
bool idgen_uuid_time() noexcept {
    if (!uuid_time_us(answered_uuid(), answer.id)) return false;
    std::int64_t ms = answer.id / 1000 - (answer.id % 1000 < 0 ? 1 : 0);
    answer.unix_ms = static_cast<double>(ms);
    return true;
}

// Answers the bytes of a TypeID, and the size of its prefix, which begins the text.
std::int32_t idgen_parse_typeid(std::uint32_t size) noexcept {
    TypeId id{};
    TextError error = parse(given_text(size), id);
    std::memcpy(answer.bytes, id.value.octets, sizeof(id.value.octets));
    note_refused(error.position, id.prefix.size());
    return static_cast<std::int32_t>(error.reason);
}

// Writes the TypeID of a prefix, which is the given text, and of the bytes of the answer.
// Returns the bytes written, or the TextReason of the prefix as a negative number.
std::int32_t idgen_print_typeid(std::uint32_t prefix_size) noexcept {
    char prefix[id_prefix_most];
    std::string_view given = given_text(prefix_size);
    if (TextError error = check_id_prefix(given); error.reason != TextReason::none) return -noted(error);
    std::memcpy(prefix, given.data(), given.size());
    return static_cast<std::int32_t>(print(TypeId{{prefix, given.size()}, answered_uuid()}, text));
}

}  // extern "C"

}  // namespace idgen::wasm
