// What the unit tests share: layouts from text, and how a failure shows the core's values.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <string_view>

#include "core/issue/slot.hpp"
#include "core/layout/layout_text.hpp"
#include "core/layout/packing.hpp"

namespace idgen {

inline const char *name_of(Reason reason) {
    switch (reason) {
        case Reason::none:
            return "none";
        case Reason::layout_empty:
            return "layout_empty";
        case Reason::layout_unknown_word:
            return "layout_unknown_word";
        case Reason::layout_repeated_word:
            return "layout_repeated_word";
        case Reason::layout_bad_number:
            return "layout_bad_number";
        case Reason::layout_bad_unit:
            return "layout_bad_unit";
        case Reason::layout_bad_epoch:
            return "layout_bad_epoch";
        case Reason::layout_bad_flag:
            return "layout_bad_flag";
        case Reason::layout_no_epoch:
            return "layout_no_epoch";
        case Reason::layout_no_unit:
            return "layout_no_unit";
        case Reason::layout_no_time:
            return "layout_no_time";
        case Reason::layout_time_not_highest:
            return "layout_time_not_highest";
        case Reason::layout_region_not_above_shard:
            return "layout_region_not_above_shard";
        case Reason::layout_field_too_wide:
            return "layout_field_too_wide";
        case Reason::layout_too_many_bits:
            return "layout_too_many_bits";
        case Reason::layout_wrap_sets_sign:
            return "layout_wrap_sets_sign";
        case Reason::layout_outlasts_calendar:
            return "layout_outlasts_calendar";
        case Reason::layout_malformed:
            return "layout_malformed";
        case Reason::shards_bad_number:
            return "shards_bad_number";
        case Reason::shards_reversed:
            return "shards_reversed";
        case Reason::shards_too_large:
            return "shards_too_large";
        case Reason::keys_no_number:
            return "keys_no_number";
        case Reason::keys_bad_number:
            return "keys_bad_number";
        case Reason::keys_repeated_number:
            return "keys_repeated_number";
        case Reason::keys_bad_size:
            return "keys_bad_size";
        case Reason::keys_bad_digit:
            return "keys_bad_digit";
        case Reason::keys_too_many:
            return "keys_too_many";
        case Reason::shard_out_of_range:
            return "shard_out_of_range";
        case Reason::region_out_of_range:
            return "region_out_of_range";
        case Reason::region_not_in_layout:
            return "region_not_in_layout";
        case Reason::shard_not_in_region:
            return "shard_not_in_region";
        case Reason::sequence_out_of_range:
            return "sequence_out_of_range";
        case Reason::time_before_epoch:
            return "time_before_epoch";
        case Reason::time_past_end:
            return "time_past_end";
        case Reason::id_would_be_zero:
            return "id_would_be_zero";
        case Reason::text_empty:
            return "text_empty";
        case Reason::text_bad_character:
            return "text_bad_character";
        case Reason::text_too_long:
            return "text_too_long";
        case Reason::text_too_short:
            return "text_too_short";
        case Reason::text_too_large:
            return "text_too_large";
        case Reason::text_wrong_check:
            return "text_wrong_check";
        case Reason::prefix_bad_character:
            return "prefix_bad_character";
        case Reason::prefix_too_long:
            return "prefix_too_long";
        case Reason::text_bad_key_number:
            return "text_bad_key_number";
        case Reason::id_not_of_layout:
            return "id_not_of_layout";
        case Reason::uuid_cannot_hold_time:
            return "uuid_cannot_hold_time";
        case Reason::uuid_not_version_7:
            return "uuid_not_version_7";
        case Reason::uuid_holds_no_id:
            return "uuid_holds_no_id";
        case Reason::uuid_has_other_time:
            return "uuid_has_other_time";
        case Reason::step_not_positive:
            return "step_not_positive";
        case Reason::step_of_two_units:
            return "step_of_two_units";
        case Reason::step_uneven:
            return "step_uneven";
        case Reason::step_too_long:
            return "step_too_long";
    }
    return "a reason without a name";
}

inline const char *name_of(Take::Status status) {
    switch (status) {
        case Take::Status::ok:
            return "ok";
        case Take::Status::full:
            return "full";
        case Take::Status::ahead:
            return "ahead";
        case Take::Status::renew:
            return "renew";
        case Take::Status::past_end:
            return "past_end";
    }
    return "a status without a name";
}

inline std::string long_text(const Layout &layout) {
    char text[layout_text_size];
    return std::string(text, print_long_layout(layout, text));
}

// Their names are GoogleTest's.
inline void PrintTo(Reason reason, std::ostream *out) {
    *out << name_of(reason);
}
inline void PrintTo(Take::Status status, std::ostream *out) {
    *out << name_of(status);
}
inline void PrintTo(const Layout &layout, std::ostream *out) {
    *out << long_text(layout);
}

// The layout of a text that has to be right.
inline Layout layout_of(std::string_view text) {
    Layout layout{};
    LayoutError error = parse_layout(text, layout);
    EXPECT_EQ(error.reason, Reason::none) << text;
    return layout;
}

inline Packing packing_of(std::string_view text) {
    return packing_of(layout_of(text));
}

// A text on the heap that ends where it ends, so that a sanitizer sees a read past it.
class Exact {
   public:
    explicit Exact(std::string_view text) : bytes_(new char[text.size()]), size_(text.size()) {
        text.copy(bytes_.get(), size_);
    }
    std::string_view view() const { return {bytes_.get(), size_}; }

   private:
    std::unique_ptr<char[]> bytes_;
    std::size_t size_;
};

// Random numbers that are the same in every run.
class Random {
   public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    // From `low` to `high`, both included.
    std::int64_t between(std::int64_t low, std::int64_t high) {
        std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
        std::uint64_t offset = span == 0 ? engine_() : engine_() % span;
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
    }
    std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(engine_() % end); }
    bool once_in(std::uint32_t times) { return below(times) == 0; }

   private:
    std::mt19937_64 engine_;
};

}  // namespace idgen
