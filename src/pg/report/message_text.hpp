// Words for messages: layouts, durations and instants as text.
#pragma once

#include "core/layout/layout.hpp"
#include "core/text/text_part.hpp"
#include "pg/postgres.hpp"
#include "pg/report/instant.hpp"

namespace idgen::pg {

// The text of a layout.
struct LayoutName {
    char text[layout_text_size + 1];
    explicit LayoutName(const Layout &layout) { text[print_layout(layout, text)] = '\0'; }
};

inline char *copy_text(std::string_view text) {
    return pnstrdup(text.data(), text.size());
}

// The beginning of a text that may be long, in whole characters.
inline char *clip_text(std::string_view text) {
    constexpr int most = 100;
    int size = static_cast<int>(text.size());
    int kept = pg_mbcliplen(text.data(), size, most);
    return psprintf("%.*s%s", kept, text.data(), kept < size ? "..." : "");
}

// The character that begins at a byte of a text.
inline char *character_at(std::string_view text, size_t position) {
    std::string_view rest = tail_of(text, position);
    int size = pg_mbcharcliplen(rest.data(), static_cast<int>(rest.size()), 1);
    return copy_text(head_of(rest, static_cast<size_t>(size)));
}

// 1500 -> "1.500 s"
inline char *seconds_text(int64 ms) {
    return psprintf("%lld.%03d s", static_cast<long long>(ms / 1000), static_cast<int>(ms % 1000));
}

inline char *instant_text(int64 unix_ms) {
    return pstrdup(timestamptz_to_str(to_timestamptz(unix_ms)));
}

}  // namespace idgen::pg
