#include "core/kinds/typeid.hpp"

#include <cstring>

#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    std::string_view text = idgen::text_of(data, size);
    idgen::TypeId id{};
    idgen::TextError error = idgen::parse(text, id);
    if (error.reason != idgen::TextReason::none) {
        idgen::require_within(error, text);
        return 0;
    }
    // Strict: a value has one text.
    char out[idgen::typeid_most];
    idgen::require(std::string_view(out, idgen::print(id, out)) == text);
    return 0;
}
