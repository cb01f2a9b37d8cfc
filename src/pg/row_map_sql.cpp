// The SQL face of row maps: a batch of the backfill as one UPDATE of its table alone.
#include "core/row_map.hpp"
#include "pg/arrays.hpp"
#include "pg/row.hpp"

namespace idgen::pg {
namespace {

static_assert(sizeof(ItemPointerData) == 6 && alignof(ItemPointerData) == 2,
              "tids lie side by side in an array");

uint64 row_number(const ItemPointerData *row) {
    return uint64{ItemPointerGetBlockNumberNoCheck(row)} << 16 | ItemPointerGetOffsetNumberNoCheck(row);
}

Datum row_datum(uint64 row) {
    auto *tid = static_cast<ItemPointer>(palloc(sizeof(ItemPointerData)));
    ItemPointerSet(tid, static_cast<BlockNumber>(row >> 16), static_cast<OffsetNumber>(row));
    return PointerGetDatum(tid);
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_make_row_map);
PG_FUNCTION_INFO_V1(idgen_find_row);

Datum idgen_make_row_map(PG_FUNCTION_ARGS) {
    int64 count, times, ids;
    const auto *row = values_argument<ItemPointerData>(fcinfo, 0, "rows", count);
    const auto *time = values_argument<TimestampTz>(fcinfo, 1, "created_at", times);
    const auto *id = values_argument<int64>(fcinfo, 2, "ids", ids);
    if (times != count || ids != count) report_unequal_arrays();
    auto *entries = static_cast<RowMapEntry *>(palloc(static_cast<size_t>(count) * sizeof(RowMapEntry)));
    for (int64 i = 0; i < count; i++) entries[i] = {row_number(&row[i]), time[i], id[i]};
    sort_row_map(entries, static_cast<size_t>(count));
    const bytea *map = cstring_to_text_with_len(reinterpret_cast<char *>(entries),
                                                static_cast<int>(count * sizeof(RowMapEntry)));
    Datum values[] = {PointerGetDatum(map), 0, 0};
    bool nulls[] = {false, true, true};
    if (is_dense(entries, static_cast<size_t>(count))) {
        values[1] = row_datum(entries[0].row);
        values[2] = row_datum(entries[count - 1].row);
        nulls[1] = nulls[2] = false;
    }
    PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(result_row(fcinfo), values, nulls)));
}

Datum idgen_find_row(PG_FUNCTION_ARGS) {
    const bytea *map = PG_GETARG_BYTEA_PP(0);
    const auto *row = reinterpret_cast<ItemPointer>(PG_GETARG_POINTER(1));
    auto **next = reinterpret_cast<size_t **>(&fcinfo->flinfo->fn_extra);
    if (*next == nullptr)
        *next = static_cast<size_t *>(MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(size_t)));
    int64 id;
    if (!find_row(VARDATA_ANY(map), VARSIZE_ANY_EXHDR(map) / sizeof(RowMapEntry), row_number(row),
                  PG_GETARG_TIMESTAMPTZ(2), **next, id))
        PG_RETURN_NULL();
    PG_RETURN_INT64(id);
}

}  // extern "C"
}  // namespace idgen::pg
