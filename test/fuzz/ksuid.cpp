#include "core/kinds/time_prefixed.hpp"

#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    idgen::fuzz_time_prefixed<idgen::Ksuid>(idgen::text_of(data, size));
    return 0;
}
