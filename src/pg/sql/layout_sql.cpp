// The SQL face of the type id_layout.
#include "core/layout/shard_set.hpp"
#include "pg/host/rows.hpp"
#include "pg/sql/arguments.hpp"

namespace idgen::pg {
namespace {

Layout receive(StringInfo message) {
    Layout layout{};
    layout.epoch_ms = pq_getmsgint64(message);
    layout.unit = static_cast<uint16>(pq_getmsgint(message, 2));
    layout.time_bits = static_cast<uint8>(pq_getmsgbyte(message));
    layout.region_bits = static_cast<uint8>(pq_getmsgbyte(message));
    layout.shard_bits = static_cast<uint8>(pq_getmsgbyte(message));
    layout.sequence_bits = static_cast<uint8>(pq_getmsgbyte(message));
    layout.flags = static_cast<uint8>(pq_getmsgbyte(message));
    layout.unit_above = static_cast<uint8>(pq_getmsgbyte(message));
    return layout;
}

void send(const Layout &layout, StringInfo message) {
    pq_sendint64(message, static_cast<uint64>(layout.epoch_ms));
    pq_sendint16(message, layout.unit);
    for (uint8 byte : {layout.time_bits, layout.region_bits, layout.shard_bits, layout.sequence_bits, layout.flags,
                       layout.unit_above})
        pq_sendint8(message, byte);
}

Datum interval_datum(int64 us) {
    auto *interval = static_cast<Interval *>(palloc0(sizeof(Interval)));
    interval->time = us;
    return IntervalPGetDatum(interval);
}

Datum long_form_of(const Layout &layout) {
    char long_form[layout_text_size];
    size_t size = print_long_layout(layout, long_form);
    return text_datum(long_form, size);
}

Datum describe(const Layout &layout, TupleDesc desc) {
    constexpr int64 js_limit = int64{1} << 53;
    Packing p = packing_of(layout);
    int64 last_tick = turn_ticks(layout) - 1;
    int64 largest_id = highest_id(p, last_tick);
    int64 tick_ids = ids_per_tick(p);

    Datum values[] = {
        long_form_of(layout),
        TimestampTzGetDatum(us_of(layout.epoch_ms)),
        TimestampTzGetDatum(start_of(p, last_tick)),
        BoolGetDatum(p.wraps),
        interval_datum(layout.unit_us()),
        Int64GetDatum(int64{p.shard_last} + 1),
        Int64GetDatum(tick_ids),
        Int64GetDatum(tick_ids * 1000000 / layout.unit_us()),
        Int64GetDatum(largest_id),
        BoolGetDatum(largest_id < js_limit),
        BoolGetDatum(layout.node_bits() == 0),
    };
    bool nulls[lengthof(values)] = {};
    return HeapTupleGetDatum(heap_form_tuple(desc, values, nulls));
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_layout_in);
PG_FUNCTION_INFO_V1(idgen_layout_out);
PG_FUNCTION_INFO_V1(idgen_layout_recv);
PG_FUNCTION_INFO_V1(idgen_layout_send);
PG_FUNCTION_INFO_V1(idgen_layout_eq);
PG_FUNCTION_INFO_V1(idgen_layout_ne);
PG_FUNCTION_INFO_V1(idgen_layout_hash);
PG_FUNCTION_INFO_V1(idgen_layout_info);
PG_FUNCTION_INFO_V1(idgen_layouts);

Datum idgen_layout_in(PG_FUNCTION_ARGS) {
    std::string_view text(PG_GETARG_CSTRING(0));
    Layout layout;
    LayoutError error = parse_layout(text, layout);
    if (error.reason != LayoutReason::none) {
        report_layout(error, text, fcinfo->context);
        PG_RETURN_NULL();
    }
    return copy_datum(layout);
}

Datum idgen_layout_out(PG_FUNCTION_ARGS) {
    auto *text = static_cast<char *>(palloc(layout_text_size + 1));
    text[print_layout(layout_argument(fcinfo, 0), text)] = '\0';
    PG_RETURN_CSTRING(text);
}

Datum idgen_layout_recv(PG_FUNCTION_ARGS) {
    Layout layout = receive(static_cast<StringInfo>(static_cast<void *>(PG_GETARG_POINTER(0))));
    if (validate(layout) != LayoutReason::none)
        ereport(ERROR, errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid binary id_layout"),
                errdetail("Its fields do not fit together."), errhint("Send what id_layout_send gives."));
    return copy_datum(layout);
}

Datum idgen_layout_send(PG_FUNCTION_ARGS) {
    StringInfoData message;
    pq_begintypsend(&message);
    send(layout_argument(fcinfo, 0), &message);
    PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

Datum idgen_layout_eq(PG_FUNCTION_ARGS) {
    PG_RETURN_BOOL(layout_argument(fcinfo, 0) == layout_argument(fcinfo, 1));
}

Datum idgen_layout_ne(PG_FUNCTION_ARGS) {
    PG_RETURN_BOOL(!(layout_argument(fcinfo, 0) == layout_argument(fcinfo, 1)));
}

Datum idgen_layout_hash(PG_FUNCTION_ARGS) {
    const Layout &layout = layout_argument(fcinfo, 0);
    return hash_any(reinterpret_cast<const unsigned char *>(&layout), sizeof(Layout));
}

Datum idgen_layout_info(PG_FUNCTION_ARGS) {
    TupleDesc desc;
    get_call_result_type(fcinfo, nullptr, &desc);
    return describe(layout_argument(fcinfo, 0), BlessTupleDesc(desc));
}

Datum idgen_layouts(PG_FUNCTION_ARGS) {
    ReturnSetInfo *rows = begin_rows(fcinfo);
    for (const Preset &preset : presets) {
        Row row(rows);
        row.set("name", text_datum(preset.name.data(), preset.name.size()));
        row.set("long_form", long_form_of(preset.layout));
        row.put();
    }
    return Datum{0};
}

}  // extern "C"
}  // namespace idgen::pg
