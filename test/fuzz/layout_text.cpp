#include "core/layout/layout.hpp"

#include "core/layout/packing.hpp"
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    std::string_view text = idgen::text_of(data, size);
    idgen::Layout layout{}, again{};
    idgen::LayoutError error = idgen::parse_layout(text, layout);
    if (error.reason != idgen::LayoutReason::none) {
        idgen::require_within(error.part, text);
        return 0;
    }
    idgen::require(idgen::validate(layout) == idgen::LayoutReason::none);
    char out[idgen::layout_text_size];
    for (auto print : {idgen::print_layout, idgen::print_long_layout}) {
        std::size_t printed = print(layout, out);
        idgen::require(printed <= sizeof(out));
        idgen::require(idgen::parse_layout({out, printed}, again).reason == idgen::LayoutReason::none &&
                       again == layout);
    }
    return 0;
}
