// Why a core call refused. The core says only this word and, where it helps, the part of the
// input that it refused; pg/report/*.cpp turn it into SQLSTATE, message, DETAIL and HINT.
#pragma once

#include <cstdint>

namespace idgen {

enum class Reason : std::uint8_t {
    none,
    // a layout's text or its fields
    layout_empty,
    layout_unknown_word,
    layout_repeated_word,
    layout_bad_number,
    layout_bad_unit,
    layout_bad_epoch,
    layout_bad_flag,
    layout_no_epoch,
    layout_no_unit,
    layout_no_time,
    layout_time_not_highest,
    layout_region_not_above_shard,
    layout_field_too_wide,
    layout_too_many_bits,
    layout_wrap_sets_sign,
    layout_outlasts_calendar,
    layout_malformed,
    // a list of shards
    shards_bad_number,
    shards_reversed,
    shards_too_large,
    // a list of keys
    keys_no_number,
    keys_bad_number,
    keys_repeated_number,
    keys_bad_size,
    keys_bad_digit,
    keys_too_many,
    // the parts of an ID
    shard_out_of_range,
    region_out_of_range,
    region_not_in_layout,
    shard_not_in_region,
    sequence_out_of_range,
    time_before_epoch,
    time_past_end,
    id_would_be_zero,
    // a number as text
    text_empty,
    text_bad_character,
    text_too_long,
    text_too_short,
    text_too_large,
    text_wrong_check,
    prefix_bad_character,
    prefix_too_long,
    text_bad_key_number,
    // an ID inside a UUID
    id_not_of_layout,
    uuid_cannot_hold_time,
    uuid_not_version_7,
    uuid_holds_no_id,
    uuid_has_other_time,
    // a calendar's step
    step_not_positive,
    step_of_two_units,
    step_uneven,
    step_too_long,
};

}  // namespace idgen
