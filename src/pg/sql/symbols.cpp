#include "pg/sql/symbols.hpp"

#include "core/text/text_part.hpp"
#include "pg/report/report_nanoid.hpp"

namespace idgen::pg {
namespace {

std::string_view first_character(std::string_view text) {
    int size = pg_mbcharcliplen(text.data(), static_cast<int>(text.size()), 1);
    return head_of(text, static_cast<size_t>(size));
}

size_t characters_in(std::string_view text) {
    return static_cast<size_t>(pg_mbstrlen_with_len(text.data(), static_cast<int>(text.size())));
}

std::string_view symbol_at(const Symbols &symbols, size_t number) {
    size_t begin = symbols.begins[number];
    return {symbols.bytes + begin, symbols.begins[number + 1] - begin};
}

void require_distinct(const Symbols &symbols) {
    for (size_t i = 0; i < symbols.count; i++)
        for (size_t earlier = 0; earlier < i; earlier++)
            if (symbol_at(symbols, earlier) == symbol_at(symbols, i)) report_repeated_symbol(symbol_at(symbols, i), i);
}

// Requires that they fit.
void split(std::string_view alphabet, Symbols &symbols) {
    memcpy(symbols.bytes, alphabet.data(), alphabet.size());
    symbols.size = alphabet.size();
    symbols.count = 0;
    symbols.most_bytes = 0;
    symbols.begins[0] = 0;
    for (size_t at = 0; at < alphabet.size();) {
        size_t bytes = first_character(tail_of(alphabet, at)).size();
        at += bytes;
        symbols.begins[++symbols.count] = static_cast<uint16>(at);
        symbols.most_bytes = Max(symbols.most_bytes, bytes);
    }
}

}  // namespace

const Symbols &symbols_of(FmgrInfo *call_site, std::string_view alphabet) {
    auto *kept = static_cast<Symbols *>(call_site->fn_extra);
    if (kept != nullptr && std::string_view(kept->bytes, kept->size) == alphabet) return *kept;
    size_t count = characters_in(alphabet);
    if (count < 1 || count > nanoid_most_symbols) report_alphabet_size(count);
    auto *symbols = static_cast<Symbols *>(MemoryContextAlloc(call_site->fn_mcxt, sizeof(Symbols)));
    split(alphabet, *symbols);
    require_distinct(*symbols);
    call_site->fn_extra = symbols;
    if (kept != nullptr) pfree(kept);
    return *symbols;
}

}  // namespace idgen::pg
