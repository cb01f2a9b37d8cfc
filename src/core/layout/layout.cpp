#include "core/layout/layout.hpp"

#include <algorithm>
#include <charconv>

#include "core/layout/calendar.hpp"

namespace idgen {

namespace {

constexpr std::uint8_t known_flags =
    Layout::time_wraps | Layout::sequence_from_1 | Layout::sequence_above | Layout::unit_in_us;

// Fields that only a hand-made binary value can have wrong.
bool is_malformed(const Layout &l) noexcept {
    if ((l.flags & ~known_flags) != 0) return true;
    // Each unit has one form.
    if (l.has(Layout::unit_in_us) ? l.unit_us() % 1000 == 0 : l.unit_above != 0) return true;
    if (l.has(Layout::sequence_above) && (l.node_bits() == 0 || l.sequence_bits == 0)) return true;
    return l.has(Layout::sequence_from_1) && l.sequence_bits == 0;
}

// Whether the ticks of the first turn end with the calendar or before, and last less than 2^63 us.
bool ends_in_calendar(const Layout &l) noexcept {
    auto room_us = static_cast<std::uint64_t>(calendar_end_us) - static_cast<std::uint64_t>(us_of(l.epoch_ms));
    room_us = std::min(room_us, static_cast<std::uint64_t>(INT64_MAX));
    return turn_bits(l) < 63 && turn_ticks(l) <= static_cast<std::int64_t>(room_us) / l.unit_us();
}

}  // namespace

LayoutReason validate(const Layout &l) noexcept {
    if (is_malformed(l)) return LayoutReason::malformed;
    if (l.epoch_ms < min_instant_ms || l.epoch_ms > max_instant_ms) return LayoutReason::bad_epoch;
    if (l.unit_us() < 1 || l.unit_us() > longest_tick_us) return LayoutReason::bad_unit;
    if (l.time_bits == 0) return LayoutReason::no_time;
    if (l.region_bits != 0 && l.shard_bits == 0) return LayoutReason::region_not_above_shard;
    if (l.node_bits() > max_field_bits || l.sequence_bits > max_field_bits) return LayoutReason::field_too_wide;
    if (l.total_bits() > 64) return LayoutReason::too_many_bits;
    if (l.has(Layout::time_wraps) && l.total_bits() > 63) return LayoutReason::wrap_sets_sign;
    return ends_in_calendar(l) ? LayoutReason::none : LayoutReason::outlasts_calendar;
}

namespace {

constexpr char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool is_name(std::string_view name, std::string_view word) noexcept {
    auto are_equal = [](char a, char b) { return a == lower(b); };
    return name.size() == word.size() && std::equal(name.begin(), name.end(), word.begin(), are_equal);
}

constexpr bool has_room_for_each() noexcept {
    for (const Preset &p : presets)
        if (p.name.size() > longest_preset) return false;
    return true;
}
static_assert(has_room_for_each(), "a name that is compared has its row");

// How many letters are to be put in, left out or changed to make a name of a word.
std::size_t changes_between(std::string_view name, std::string_view word) noexcept {
    std::size_t row[longest_preset + 1] = {};
    for (std::size_t i = 0; i <= name.size(); i++) row[i] = i;
    for (char letter : word) {
        std::size_t above_left = row[0]++;
        for (std::size_t i = 1; i <= name.size(); i++) {
            std::size_t changed = above_left + (name[i - 1] != lower(letter));
            above_left = row[i];
            row[i] = std::min({changed, row[i - 1] + 1, row[i] + 1});
        }
    }
    return row[name.size()];
}

}  // namespace

const Preset *find_preset(std::string_view name) noexcept {
    for (const Preset &p : presets)
        if (is_name(p.name, name)) return &p;
    return nullptr;
}

const Preset *nearest_preset(std::string_view word) noexcept {
    if (word.size() > 2 * longest_preset || find_preset(word) != nullptr) return nullptr;
    constexpr std::size_t letters_per_change = 3;
    constexpr std::size_t shortest_beginning = 3;
    for (const Preset &p : presets) {
        if (changes_between(p.name, word) <= p.name.size() / letters_per_change) return &p;
        if (word.size() >= shortest_beginning && is_name(p.name.substr(0, word.size()), word)) return &p;
    }
    return nullptr;
}

const Preset *find_preset(const Layout &layout) noexcept {
    for (const Preset &p : presets)
        if (p.layout == layout) return &p;
    return nullptr;
}

namespace {

// Whether it stands between words.
bool is_space(char c) noexcept {
    return c == ' ' || c == ',' || (c >= '\t' && c <= '\r');
}

// Takes the next word off the front of `text`; empty at the end.
std::string_view take_word(std::string_view &text) noexcept {
    while (!text.empty() && is_space(text[0])) text.remove_prefix(1);
    std::size_t size = 0;
    while (size < text.size() && !is_space(text[size])) size++;
    std::string_view word(text.data(), size);
    text.remove_prefix(size);
    return word;
}

// Takes `prefix` off the front of `text`, if it stands there.
bool take_prefix(std::string_view &text, std::string_view prefix) noexcept {
    if (text.size() < prefix.size() || std::string_view(text.data(), prefix.size()) != prefix) return false;
    text.remove_prefix(prefix.size());
    return true;
}

// Takes the digits off the front of `text`, as a number from 1; UINT32_MAX stands for all from there.
bool take_count(std::string_view &text, std::uint32_t &value) noexcept {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (error == std::errc::result_out_of_range) value = UINT32_MAX;
    return error != std::errc::invalid_argument && value > 0;
}

// The layout while it is read, and what was read of it.
class Reader {
   public:
    LayoutReason read_word(std::string_view word) noexcept {
        std::string_view value = word;
        if (take_prefix(value, "epoch=")) return read_epoch(value);
        if (take_prefix(value, "unit=")) return read_unit(value);
        if (take_prefix(value, "time=")) return read_time(value);
        if (take_prefix(value, "region=")) return read_region(value);
        if (take_prefix(value, "shard=")) return read_shard(value);
        if (take_prefix(value, "sequence=")) return read_sequence(value);
        return LayoutReason::unknown_word;
    }

    LayoutReason finish(Layout &layout) noexcept {
        if (!has_epoch_) return LayoutReason::no_epoch;
        if (!has_unit_) return LayoutReason::no_unit;
        if (region_waits_) return LayoutReason::region_not_above_shard;
        if (layout_.node_bits() == 0) layout_.flags &= static_cast<std::uint8_t>(~Layout::sequence_above);
        layout = layout_;
        return validate(layout_);
    }

   private:
    LayoutReason read_epoch(std::string_view value) noexcept {
        if (has_epoch_) return LayoutReason::repeated_word;
        has_epoch_ = true;
        return parse_instant(value, layout_.epoch_ms) ? LayoutReason::none : LayoutReason::bad_epoch;
    }

    LayoutReason read_unit(std::string_view value) noexcept {
        if (has_unit_) return LayoutReason::repeated_word;
        has_unit_ = true;
        std::uint32_t count;
        if (!take_count(value, count)) return LayoutReason::bad_unit;
        std::int64_t us = value == "us" ? 1 : value == "ms" ? 1000 : value == "s" ? 1000000 : 0;
        if (us == 0 || us * count > longest_tick_us) return LayoutReason::bad_unit;
        layout_.set_unit_us(us * count);
        return LayoutReason::none;
    }

    LayoutReason read_time(std::string_view value) noexcept {
        if (layout_.time_bits != 0) return LayoutReason::repeated_word;
        if (layout_.node_bits() + layout_.sequence_bits != 0) return LayoutReason::time_not_highest;
        if (LayoutReason reason = read_bits(value, layout_.time_bits); reason != LayoutReason::none) return reason;
        return read_flag(value, "w", Layout::time_wraps);
    }

    LayoutReason read_region(std::string_view value) noexcept {
        if (layout_.region_bits != 0) return LayoutReason::repeated_word;
        if (layout_.shard_bits != 0) return LayoutReason::region_not_above_shard;
        region_waits_ = true;
        LayoutReason reason = read_bits(value, layout_.region_bits);
        return reason != LayoutReason::none ? reason : read_flag(value, "", {});
    }

    LayoutReason read_shard(std::string_view value) noexcept {
        if (layout_.shard_bits != 0) return LayoutReason::repeated_word;
        region_waits_ = false;
        LayoutReason reason = read_bits(value, layout_.shard_bits);
        return reason != LayoutReason::none ? reason : read_flag(value, "", {});
    }

    LayoutReason read_sequence(std::string_view value) noexcept {
        if (layout_.sequence_bits != 0) return LayoutReason::repeated_word;
        if (region_waits_) return LayoutReason::region_not_above_shard;
        if (LayoutReason reason = read_bits(value, layout_.sequence_bits); reason != LayoutReason::none) return reason;
        if (layout_.node_bits() == 0) layout_.flags |= Layout::sequence_above;
        return read_flag(value, "+1", Layout::sequence_from_1);
    }

    static LayoutReason read_bits(std::string_view &value, std::uint8_t &bits) noexcept {
        std::uint32_t count;
        if (!take_count(value, count)) return LayoutReason::bad_number;
        if (count > 64) return LayoutReason::too_many_bits;
        bits = static_cast<std::uint8_t>(count);
        return LayoutReason::none;
    }

    // What follows a field's bits: nothing, or its one flag.
    LayoutReason read_flag(std::string_view rest, std::string_view known, Layout::Flag flag) noexcept {
        if (rest.empty()) return LayoutReason::none;
        if (rest != known) return LayoutReason::bad_flag;
        layout_.flags |= flag;
        return LayoutReason::none;
    }

    Layout layout_{};
    bool has_epoch_ = false;
    bool has_unit_ = false;
    bool region_waits_ = false;  // a region was read and its shard was not yet
};

class Writer {
   public:
    explicit Writer(char *out) noexcept : begin_(out), end_(out) {}

    void text(std::string_view s) noexcept {
        std::memcpy(end_, s.data(), s.size());
        end_ += s.size();
    }
    void number(std::int64_t value) noexcept { end_ = std::to_chars(end_, end_ + 8, value).ptr; }
    void instant(std::int64_t unix_ms) noexcept { end_ += print_instant(unix_ms, end_); }
    void field(std::string_view name, int bits) noexcept {
        if (bits == 0) return;
        text(name);
        number(bits);
    }
    std::size_t size() const noexcept { return static_cast<std::size_t>(end_ - begin_); }

   private:
    char *begin_;
    char *end_;
};

}  // namespace

LayoutError parse_layout(std::string_view text, Layout &layout) noexcept {
    std::string_view rest = text;
    std::string_view word = take_word(rest);
    if (word.empty()) return {LayoutReason::empty, text};
    if (const Preset *preset = find_preset(word)) {
        layout = preset->layout;
        word = take_word(rest);
        return {word.empty() ? LayoutReason::none : LayoutReason::unknown_word, word};
    }
    Reader reader;
    for (; !word.empty(); word = take_word(rest))
        if (LayoutReason reason = reader.read_word(word); reason != LayoutReason::none) return {reason, word};
    return {reader.finish(layout), {}};
}

std::size_t print_long_layout(const Layout &l, char *out) noexcept {
    Writer w(out);
    w.text("epoch=");
    w.instant(l.epoch_ms);
    w.text(" unit=");
    if (l.unit_us() == longest_tick_us) {
        w.text("1s");
    } else {
        w.number(l.has(Layout::unit_in_us) ? l.unit_us() : l.unit);
        w.text(l.has(Layout::unit_in_us) ? "us" : "ms");
    }
    w.field(" time=", l.time_bits);
    if (l.has(Layout::time_wraps)) w.text("w");
    bool sequence_above = l.has(Layout::sequence_above);
    for (bool node : {!sequence_above, sequence_above}) {
        if (node) {
            w.field(" region=", l.region_bits);
            w.field(" shard=", l.shard_bits);
        } else {
            w.field(" sequence=", l.sequence_bits);
            if (l.has(Layout::sequence_from_1)) w.text("+1");
        }
    }
    return w.size();
}

std::size_t print_layout(const Layout &l, char *out) noexcept {
    const Preset *preset = find_preset(l);
    if (preset == nullptr) return print_long_layout(l, out);
    Writer w(out);
    w.text(preset->name);
    return w.size();
}

}  // namespace idgen
