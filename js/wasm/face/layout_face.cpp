// The face of layouts: read, chosen, written, described. A layout that was read is in use from then on.
#include "core/layout/layout.hpp"
#include "wasm/exchange/exchange.hpp"

namespace idgen::wasm {

extern "C" {

char *idgen_text() noexcept {
    return text;
}

Answer *idgen_answer() noexcept {
    return &answer;
}

// Reads the text; returns the LayoutReason, and notes the refused word.
std::int32_t idgen_parse_layout(std::uint32_t size) noexcept {
    std::string_view given = given_text(size);
    LayoutError error = parse_layout(given, answer.layout);
    if (error.reason == LayoutReason::none) use_layout(answer.layout);
    bool names_word = error.reason != LayoutReason::none && !error.part.empty();
    note_refused(names_word ? static_cast<std::size_t>(error.part.data() - text) : 0,
                 names_word ? error.part.size() : 0);
    return static_cast<std::int32_t>(error.reason);
}

// Uses a layout that was read before, from the answer.
void idgen_use_layout() noexcept {
    use_layout(answer.layout);
}

// Writes the name of a preset, by its number; returns its bytes, 0 past the last one.
std::uint32_t idgen_preset_name(std::int32_t number) noexcept {
    if (number < 0 || number >= preset_count) return 0;
    std::string_view name = preset(number).name;
    std::memcpy(text, name.data(), name.size());
    return static_cast<std::uint32_t>(name.size());
}

// Writes the name of the preset that may have been meant by a word of the text; returns its bytes, 0: none.
std::uint32_t idgen_nearest_preset(std::uint32_t position, std::uint32_t size) noexcept {
    const Preset *meant = nearest_preset(head_of(tail_of({text, text_size}, position), size));
    return meant == nullptr ? 0 : idgen_preset_name(static_cast<std::int32_t>(meant - presets));
}

std::uint32_t idgen_print_layout() noexcept {
    return static_cast<std::uint32_t>(print_layout(layout_in_use, text));
}

std::uint32_t idgen_print_long_layout() noexcept {
    return static_cast<std::uint32_t>(print_long_layout(layout_in_use, text));
}

// Answers what id_layout_info says of the layout in use.
void idgen_describe_layout() noexcept {
    std::int64_t last_tick = turn_ticks(layout_in_use) - 1;
    answer.layout = layout_in_use;
    answer_instant(start_of(packing_in_use, last_tick));
    answer.id = highest_id(packing_in_use, last_tick);
    answer.shard = packing_in_use.shard_last;
    answer.sequence = ids_per_tick(packing_in_use);
}

}  // extern "C"

}  // namespace idgen::wasm
