#include "lease/store/foreign_text.hpp"

#include <algorithm>

namespace idgen::lease {
namespace {

bool is_control(char c) noexcept {
    auto byte = static_cast<unsigned char>(c);
    return byte < ' ' || byte == 0x7F;
}

}  // namespace

void copy_foreign_text(std::string_view text, char *out, size_t room) {
    size_t size = std::min(text.size(), room - 1);
    bool is_text = pg_verify_mbstr(GetDatabaseEncoding(), text.data(), static_cast<int>(text.size()), true);
    if (is_text && size < text.size())
        size = static_cast<size_t>(pg_mbcliplen(text.data(), static_cast<int>(text.size()), static_cast<int>(size)));
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        out[i] = is_control(c) || (!is_text && IS_HIGHBIT_SET(c)) ? '?' : c;
    }
    out[size] = '\0';
}

}  // namespace idgen::lease
