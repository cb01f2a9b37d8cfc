#include "core/layout/layout.hpp"

#include <cstring>

#include "core/layout/packing.hpp"
#include "fuzz.hpp"

namespace {

// Each text that is written for a layout reads as it.
void require_texts(const idgen::Layout &layout) noexcept {
    idgen::Layout again{};
    char out[idgen::layout_text_size];
    for (auto print : {idgen::print_layout, idgen::print_long_layout}) {
        std::size_t printed = print(layout, out);
        idgen::require(printed <= sizeof(out));
        idgen::require(idgen::parse_layout({out, printed}, again).reason == idgen::LayoutReason::none &&
                       again == layout);
    }
}

// The binary form, whose every bit is the client's.
void fuzz_binary(const std::uint8_t *data) noexcept {
    idgen::Layout layout;
    std::memcpy(&layout, data, sizeof(layout));
    if (idgen::validate(layout) == idgen::LayoutReason::none) require_texts(layout);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    std::string_view text = idgen::text_of(data, size);
    if (size == sizeof(idgen::Layout)) fuzz_binary(data);
    idgen::Layout layout{};
    idgen::LayoutError error = idgen::parse_layout(text, layout);
    if (error.reason != idgen::LayoutReason::none) {
        idgen::require_within(error.part, text);
        return 0;
    }
    idgen::require(idgen::validate(layout) == idgen::LayoutReason::none);
    require_texts(layout);
    return 0;
}
