// Refusals of the arguments of makers and readers, and of texts that should be values, by the form that they should have.
#pragma once

#include "core/layout/layout.hpp"
#include "core/layout/packing.hpp"
#include "core/text/digits.hpp"
#include "pg/report/words.hpp"

namespace idgen::pg {

// Shard or sequence that the layout cannot hold.
Refusal refusal_of_shard(const Layout &layout, int64 shard);
// An instant that the layout cannot hold.
Refusal refusal_of_instant(TickReason reason, const Layout &layout, TimestampTz instant);
[[noreturn]] void report_infinite_instant(const char *hint);
[[noreturn]] void report_wrapping_bounds(const Layout &layout);

// The detail is of an argument that has a default; null: it has none.
[[noreturn]] void report_null(const char *argument, const char *detail);
constexpr const char *null_id = "A null would give a null ID.";
// For calls that can make duplicates, or take from others.
void require_superuser(const char *function, const char *detail);
// An array argument that holds a null, or whose values do not ascend.
[[noreturn]] void report_null_element(const char *argument);
[[noreturn]] void report_array_too_large(int64 count, int64 most);
// A time that no HLC timestamp can hold, and the last that one can; unix ms.
Refusal refusal_of_hlc_time(int64 unix_ms, int64 last_ms);

// A text of digits, as messages say it.
struct TextForm {
    const char *name;
    int most_digits;
    const char *largest;
    const char *hint;
    const char *missing;  // what a short text lacks, if its reader has the argument short
};

inline constexpr TextForm base62_form{"Base62 text", 11, "LygHa16AHYF", "Base62 has the digits 0-9, A-Z and a-z.",
                                      "A digit"};
inline constexpr TextForm base32_form{
    "Base32 text", 13, "FZZZZZZZZZZZZ",
    "Base32 has the digits 0-9 and A-Z without I, L, O and U, in either case; hyphens may be between them. For a text that ends in a check symbol (a digit or * ~ $ = U), say checksum => true.",
    "A digit"};
inline constexpr TextForm checked_base32_form{base32_form.name, base32_form.most_digits, base32_form.largest,
                                              base32_form.hint, "A digit or the check symbol"};
inline constexpr TextForm base64url_form{"base64url text", 11, "P__________",
                                         "base64url has the digits A-Z, a-z, 0-9, \"-\" and \"_\", without padding.",
                                         "A digit"};
inline constexpr TextForm id64_form{
    "id64", 11, "LygHa16AHYF",
    "An id64 is written as 11 digits of 0-9, A-Z and a-z. A number becomes one by a cast: 123::bigint::id64.", nullptr};

// A text that is not such a value; soft if the caller can catch it so.
void report_text(const TextForm &form, const TextError &error, std::string_view text, Node *soft_context);

// A prefix that a TypeID, or another ID that `of` names, cannot have.
[[noreturn]] void report_prefix(const char *of, const TextError &error, std::string_view prefix);
// Message and HINT of a text whose prefix is wrong.
int message_of_prefix(const char *what, const TextError &error, std::string_view text);

// A text that is not a layout.
void report_layout(const LayoutError &error, std::string_view text, Node *soft_context);

}  // namespace idgen::pg
