#include "fuzz.hpp"
#include "parsers.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    idgen::fuzz_keys(idgen::text_of(data, size));
    return 0;
}
