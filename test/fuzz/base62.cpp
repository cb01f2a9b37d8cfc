#include "core/text/digits.hpp"

#include "fuzz.hpp"

namespace {

std::size_t print(std::int64_t id, char *out) noexcept {
    idgen::print_base62(id, out);
    return idgen::base62_size;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    idgen::fuzz_number(idgen::text_of(data, size), idgen::parse_base62, print);
    idgen::fuzz_number(idgen::text_of(data, size), idgen::parse_padded_base62, print);
    return 0;
}
