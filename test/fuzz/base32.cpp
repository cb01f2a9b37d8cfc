#include "core/text/digits.hpp"

#include "fuzz.hpp"

namespace {

idgen::TextError parse_plain(std::string_view text, std::int64_t &id) noexcept {
    return idgen::parse_base32(text, false, id);
}
std::size_t print_plain(std::int64_t id, char *out) noexcept {
    idgen::print_base32(id, out);
    return idgen::base32_size;
}

idgen::TextError parse_checked(std::string_view text, std::int64_t &id) noexcept {
    return idgen::parse_base32(text, true, id);
}
std::size_t print_checked(std::int64_t id, char *out) noexcept {
    out[idgen::base32_size] = idgen::base32_check(id);
    return print_plain(id, out) + 1;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    idgen::fuzz_number(idgen::text_of(data, size), parse_plain, print_plain);
    idgen::fuzz_number(idgen::text_of(data, size), parse_checked, print_checked);
    return 0;
}
