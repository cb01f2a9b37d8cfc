#include "pg/sql/time_prefixed_face.hpp"

namespace idgen::pg {
namespace {

// Registers for the estimate: 2^10, an error of about 3 %.
constexpr uint8 register_bits = 10;

// Below so many values a sort is short either way.
constexpr int fewest_values = 10000;

// With less than one distinct key in so many values, most comparisons need the whole value.
constexpr double most_values_per_key = 16;

bool is_abbreviation_useless(int values, SortSupport sort) {
    auto *count = static_cast<AbbreviationCount *>(sort->ssup_extra);
    if (values < fewest_values || count->keys < fewest_values) return false;
    double distinct = estimateHyperLogLog(&count->distinct);
    return distinct * most_values_per_key < static_cast<double>(count->keys);
}

}  // namespace

void begin_abbreviation(SortSupport sort) {
    auto *count = static_cast<AbbreviationCount *>(MemoryContextAllocZero(sort->ssup_cxt, sizeof(AbbreviationCount)));
    MemoryContext caller = MemoryContextSwitchTo(sort->ssup_cxt);
    initHyperLogLog(&count->distinct, register_bits);
    MemoryContextSwitchTo(caller);
    sort->ssup_extra = count;
    sort->comparator = ssup_datum_unsigned_cmp;
    sort->abbrev_abort = is_abbreviation_useless;
}

}  // namespace idgen::pg
