// libFuzzer: any text as the setting idgen.keys.
#include "parsers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    idgen::fuzz_keys({reinterpret_cast<const char *>(data), size});
    return 0;
}
