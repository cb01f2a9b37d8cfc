// The SQL face of the readers: parts of an ID, the IDs of an instant, and the text forms of an ID. All immutable.

#include "pg/sql/arguments.hpp"

namespace idgen::pg {
namespace {

// The parts of argument 0 in the layout of another one.
struct IdArgument : Parts {
    Packing p;
    bool is_id;  // else it is none of that layout
};

IdArgument id_argument(FunctionCallInfo fcinfo, int layout_number) {
    IdArgument id{};
    id.p = packing_of(layout_argument(fcinfo, layout_number));
    id.is_id = unpack(id.p, PG_GETARG_INT64(0), id);
    return id;
}

// A text argument as the ID that `parse` reads in it; short ones, if the second argument says so.
int64 id_from_text(FunctionCallInfo fcinfo, const TextForm &form, decltype(&parse_base62) parse) {
    std::string_view text = text_argument(fcinfo, 0);
    int64 id = 0;
    TextError error = parse(text, PG_GETARG_BOOL(1), id);
    if (error.reason != TextReason::none) report_text(form, error, text, nullptr);
    return id;
}

// A tick that bounds a range of IDs. Raises if the layout has no such range.
int64 bound_tick(FunctionCallInfo fcinfo, const Packing &p) {
    const Layout &layout = layout_argument(fcinfo, 1);
    if (p.wraps) report_wrapping_bounds(layout);
    return tick_argument(layout, p, PG_GETARG_TIMESTAMPTZ(0), "Leave that bound out of the condition.");
}

// A part that must be given unless the layout has no field for it.
int64 part_argument(FunctionCallInfo fcinfo, int number, int bits, int64 value, const char *name) {
    if (!PG_ARGISNULL(number)) return value;
    if (bits != 0) report_null(name, nullptr);
    return 0;
}

[[noreturn]] void report_part(PartReason reason, const Layout &layout, int64 shard, int64 sequence) {
    Packing p = packing_of(layout);
    switch (reason) {
        case PartReason::sequence_out_of_range:
            ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                    errmsg("sequence %lld is out of range for layout \"%s\"", static_cast<long long>(sequence),
                           LayoutName(layout).text),
                    errdetail("The layout has the sequences %u to %u.", p.sequence_first, p.sequence_last),
                    errhint("Give a sequence in that range."));
            break;
        case PartReason::id_would_be_zero:
            ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                    errmsg("these parts give 0 in layout \"%s\"", LayoutName(layout).text),
                    errdetail("An ID is at least 1."),
                    errhint("In the first tick, give shard or sequence a number above 0."));
        case PartReason::shard_out_of_range:
        case PartReason::none:
            break;
    }
    raise(refusal_of_shard(layout, shard));
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_decode);
PG_FUNCTION_INFO_V1(idgen_time);
PG_FUNCTION_INFO_V1(idgen_time_near);
PG_FUNCTION_INFO_V1(idgen_shard);
PG_FUNCTION_INFO_V1(idgen_region);
PG_FUNCTION_INFO_V1(idgen_sequence);
PG_FUNCTION_INFO_V1(idgen_make);
PG_FUNCTION_INFO_V1(idgen_min);
PG_FUNCTION_INFO_V1(idgen_max);

Datum idgen_decode(PG_FUNCTION_ARGS) {
    const Layout &layout = layout_argument(fcinfo, 1);
    IdArgument id = id_argument(fcinfo, 1);
    if (!id.is_id) PG_RETURN_NULL();
    Datum values[] = {TimestampTzGetDatum(start_of(id.p, id.tick)), UInt32GetDatum(id.shard),
                      UInt32GetDatum(id.sequence)};
    bool nulls[] = {false, layout.node_bits() == 0, layout.sequence_bits == 0};
    PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(result_row(fcinfo), values, nulls)));
}

Datum idgen_time(PG_FUNCTION_ARGS) {
    IdArgument id = id_argument(fcinfo, 1);
    if (!id.is_id) PG_RETURN_NULL();
    PG_RETURN_TIMESTAMPTZ(start_of(id.p, id.tick));
}

Datum idgen_time_near(PG_FUNCTION_ARGS) {
    int64 near_us = finite_us(PG_GETARG_TIMESTAMPTZ(1), finite_hint);
    IdArgument id = id_argument(fcinfo, 2);
    if (!id.is_id) PG_RETURN_NULL();
    PG_RETURN_TIMESTAMPTZ(start_nearest(id.p, id.tick, near_us));
}

Datum idgen_shard(PG_FUNCTION_ARGS) {
    IdArgument id = id_argument(fcinfo, 1);
    if (!id.is_id || id.p.shard_last == 0) PG_RETURN_NULL();
    PG_RETURN_UINT32(id.shard);
}

Datum idgen_region(PG_FUNCTION_ARGS) {
    const Layout &layout = layout_argument(fcinfo, 1);
    IdArgument id = id_argument(fcinfo, 1);
    if (!id.is_id || layout.region_bits == 0) PG_RETURN_NULL();
    PG_RETURN_UINT32(id.shard >> layout.shard_bits);
}

Datum idgen_sequence(PG_FUNCTION_ARGS) {
    IdArgument id = id_argument(fcinfo, 1);
    if (!id.is_id || id.p.sequence_last == 0) PG_RETURN_NULL();
    PG_RETURN_UINT32(id.sequence);
}

Datum idgen_make(PG_FUNCTION_ARGS) {
    require_argument(fcinfo, 0, "created_at");
    if (PG_ARGISNULL(3)) report_null("layout", null_id);
    const Layout &layout = layout_argument(fcinfo, 3);
    Packing p = packing_of(layout);
    int64 shard = part_argument(fcinfo, 1, layout.node_bits(), PG_GETARG_INT64(1), "shard");
    int64 sequence = part_argument(fcinfo, 2, layout.sequence_bits, PG_GETARG_INT32(2), "sequence");
    int64 tick = tick_argument(layout, p, PG_GETARG_TIMESTAMPTZ(0), finite_hint);
    PartReason reason = check_parts(p, tick, shard, sequence);
    if (reason != PartReason::none) report_part(reason, layout, shard, sequence);
    PG_RETURN_INT64(pack(p, tick, static_cast<uint32>(shard), static_cast<uint32>(sequence)));
}

Datum idgen_min(PG_FUNCTION_ARGS) {
    Packing p = packing_of(layout_argument(fcinfo, 1));
    PG_RETURN_INT64(lowest_id(p, bound_tick(fcinfo, p)));
}

Datum idgen_max(PG_FUNCTION_ARGS) {
    Packing p = packing_of(layout_argument(fcinfo, 1));
    PG_RETURN_INT64(highest_id(p, bound_tick(fcinfo, p)));
}

PG_FUNCTION_INFO_V1(idgen_to_base62);
PG_FUNCTION_INFO_V1(idgen_from_base62);
PG_FUNCTION_INFO_V1(idgen_to_base32);
PG_FUNCTION_INFO_V1(idgen_from_base32);
PG_FUNCTION_INFO_V1(idgen_to_base64url);
PG_FUNCTION_INFO_V1(idgen_from_base64url);

Datum idgen_to_base62(PG_FUNCTION_ARGS) {
    char digits[base62_size];
    print_base62(PG_GETARG_INT64(0), digits);
    return text_datum(digits, base62_size);
}

Datum idgen_from_base62(PG_FUNCTION_ARGS) {
    PG_RETURN_INT64(id_from_text(fcinfo, base62_form, parse_base62));
}

Datum idgen_to_base32(PG_FUNCTION_ARGS) {
    int64 id = PG_GETARG_INT64(0);
    bool has_check = PG_GETARG_BOOL(1);
    char digits[base32_size + 1];
    print_base32(id, digits);
    digits[base32_size] = base32_check(id);
    return text_datum(digits, has_check ? base32_size + 1 : base32_size);
}

Datum idgen_from_base32(PG_FUNCTION_ARGS) {
    std::string_view text = text_argument(fcinfo, 0);
    int64 id = 0;
    TextError error = parse_base32(text, PG_GETARG_BOOL(1), PG_GETARG_BOOL(2), id);
    if (error.reason == TextReason::wrong_check)
        ereport(ERROR, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                errmsg("invalid Base32 text: its check symbol does not fit its digits"),
                errdetail("The text was \"%s\"; its digits have the check symbol \"%c\".", clip_text(text),
                          base32_check(id)),
                errhint("A digit was mistyped, or two changed places."));
    if (error.reason != TextReason::none)
        report_text(PG_GETARG_BOOL(1) ? checked_base32_form : base32_form, error, text, nullptr);
    PG_RETURN_INT64(id);
}

Datum idgen_to_base64url(PG_FUNCTION_ARGS) {
    char digits[base64url_size];
    size_t size = print_base64url(PG_GETARG_INT64(0), digits);
    return text_datum(digits, size);
}

Datum idgen_from_base64url(PG_FUNCTION_ARGS) {
    PG_RETURN_INT64(id_from_text(fcinfo, base64url_form, parse_base64url));
}

// The SQL face of the type id64: its text form is Base62, all else is what bigint has. The server finds a function of its
// own by number, but only under its own name: declared internal under another one, it would be looked for by name, among
// all that the server has, whenever a query starts. So each has a function here.

PG_FUNCTION_INFO_V1(idgen_id64_in);
PG_FUNCTION_INFO_V1(idgen_id64_out);

Datum idgen_id64_in(PG_FUNCTION_ARGS) {
    std::string_view text(PG_GETARG_CSTRING(0));
    int64 id = 0;
    TextError error = parse_base62(text, false, id);
    if (error.reason != TextReason::none) {
        report_text(id64_form, error, text, fcinfo->context);
        PG_RETURN_NULL();
    }
    PG_RETURN_INT64(id);
}

Datum idgen_id64_out(PG_FUNCTION_ARGS) {
    auto *text = static_cast<char *>(palloc(base62_size + 1));
    print_base62(PG_GETARG_INT64(0), text);
    text[base62_size] = '\0';
    PG_RETURN_CSTRING(text);
}

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): it declares a function of the server's interface.
#define IDGEN_AS_BIGINT(function)              \
    PG_FUNCTION_INFO_V1(idgen_##function);     \
    Datum idgen_##function(PG_FUNCTION_ARGS) { \
        return function(fcinfo);               \
    }

IDGEN_AS_BIGINT(int8recv)
IDGEN_AS_BIGINT(int8send)
IDGEN_AS_BIGINT(int8eq)
IDGEN_AS_BIGINT(int8ne)
IDGEN_AS_BIGINT(int8lt)
IDGEN_AS_BIGINT(int8le)
IDGEN_AS_BIGINT(int8gt)
IDGEN_AS_BIGINT(int8ge)
IDGEN_AS_BIGINT(btint8cmp)
IDGEN_AS_BIGINT(hashint8)
IDGEN_AS_BIGINT(hashint8extended)
IDGEN_AS_BIGINT(in_range_int8_int8)
IDGEN_AS_BIGINT(int8smaller)
IDGEN_AS_BIGINT(int8larger)

}  // extern "C"
}  // namespace idgen::pg
