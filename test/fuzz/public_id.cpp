// libFuzzer: any text as a public ID.
#include "parsers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    idgen::fuzz_public_id({reinterpret_cast<const char *>(data), size});
    return 0;
}
