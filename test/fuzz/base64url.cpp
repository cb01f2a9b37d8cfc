#include "core/text/digits.hpp"

#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    idgen::fuzz_number(idgen::text_of(data, size), idgen::parse_base64url, idgen::print_base64url);
    return 0;
}
