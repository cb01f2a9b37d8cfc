// The SQL face of NanoIDs.
#include "pg/postgres.hpp"

#include <string_view>

#include "core/text/text_part.hpp"
#include "kinds/core/nanoid.hpp"
#include "pg/host/machine.hpp"
#include "pg/report/words.hpp"
#include "pg/sql/arguments.hpp"
#include "pg/state/own_transaction.hpp"

namespace idgen::pg {
namespace {

// Distinct characters in the server's encoding, split once for each call site.
struct Symbols {
    size_t count;
    size_t most_bytes;                       // of a symbol
    uint16 begins[nanoid_most_symbols + 1];  // where each begins, and the last ends
    size_t size;                             // of the bytes
    char bytes[nanoid_most_symbols * 4];     // of all symbols
};
static_assert(MAX_MULTIBYTE_CHAR_LEN <= 4, "no character has more bytes");

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
            if (symbol_at(symbols, earlier) == symbol_at(symbols, i))
                ereport(
                    ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("the alphabet has \"%s\" more than once", copy_text(symbol_at(symbols, i))),
                    errdetail("It stands there again as character %zu, and would be picked more often than the others.",
                              i + 1),
                    errhint("Give each character once."));
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

// The symbols of an alphabet, kept with the call site. Raises if there are none or too many, or one twice.
const Symbols &symbols_of(FmgrInfo *call_site, std::string_view alphabet) {
    auto *kept = static_cast<Symbols *>(call_site->fn_extra);
    if (kept != nullptr && std::string_view(kept->bytes, kept->size) == alphabet) return *kept;
    size_t count = characters_in(alphabet);
    if (count < 1 || count > nanoid_most_symbols)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("an alphabet of %zu characters cannot make a NanoID", count),
                errdetail("An alphabet has 1 to %zu characters.", nanoid_most_symbols),
                errhint("Leave the alphabet out for the 64 characters A-Z, a-z, 0-9, \"-\" and \"_\"."));
    auto *symbols = static_cast<Symbols *>(MemoryContextAlloc(call_site->fn_mcxt, sizeof(Symbols)));
    split(alphabet, *symbols);
    require_distinct(*symbols);
    call_site->fn_extra = symbols;
    if (kept != nullptr) pfree(kept);
    return *symbols;
}

constexpr int32 most_symbols = 65536;

// Symbols are picked by the piece.
constexpr size_t piece = 64;
constexpr size_t most_random = nanoid_block(129, piece);  // 129: the most bytes that pick nothing
static_assert(nanoid_cutoff(129) == 129 && most_random <= random_page_size, "every second byte, of one page");

int32 size_argument(FunctionCallInfo fcinfo, int number) {
    if (PG_ARGISNULL(number)) report_null("size", null_id);
    int32 size = PG_GETARG_INT32(number);
    if (size < 1 || size > most_symbols)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("%lld is not a size of a NanoID", static_cast<long long>(size)),
                errdetail("A NanoID has 1 to %lld characters.", static_cast<long long>(most_symbols)),
                errhint("Leave the size out for 21 characters."));
    return size;
}

const Symbols &symbols_argument(FunctionCallInfo fcinfo, int number) {
    if (PG_ARGISNULL(number)) report_null("alphabet", null_id);
    return symbols_of(fcinfo->flinfo, text_argument(fcinfo, number));
}

// Picks up to a piece of symbols.
size_t pick_piece(size_t symbols, size_t wanted, uint8 (&picks)[piece]) {
    uint8 random[most_random];
    wanted = Min(wanted, piece);
    size_t fetched = nanoid_block(symbols, wanted);
    mark_own_transaction(fill_random(random, fetched));
    return pick_symbols(symbols, random, fetched, picks, wanted);
}

// Writes the picked symbols; gives where they end.
char *append(char *out, const Symbols &symbols, const uint8 *picks, size_t count) {
    if (symbols.most_bytes == 1) {
        for (size_t i = 0; i < count; i++) *out++ = symbols.bytes[picks[i]];
        return out;
    }
    for (size_t i = 0; i < count; i++) {
        size_t begin = symbols.begins[picks[i]], bytes = symbols.begins[picks[i] + 1] - begin;
        memcpy(out, symbols.bytes + begin, bytes);
        out += bytes;
    }
    return out;
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_next_nanoid);

Datum idgen_next_nanoid(PG_FUNCTION_ARGS) {
    auto size = static_cast<size_t>(size_argument(fcinfo, 0));
    const Symbols &symbols = symbols_argument(fcinfo, 1);
    auto *result = static_cast<text *>(palloc(VARHDRSZ + size * symbols.most_bytes));
    char *end = VARDATA(result);
    for (size_t made = 0; made < size;) {
        uint8 picks[piece];
        size_t count = pick_piece(symbols.count, size - made, picks);
        end = append(end, symbols, picks, count);
        made += count;
    }
    SET_VARSIZE(result, end - reinterpret_cast<char *>(result));
    PG_RETURN_TEXT_P(result);
}

}  // extern "C"

}  // namespace idgen::pg
