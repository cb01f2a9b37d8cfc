// What the unit tests share: layouts from text, how a failure shows the core's values, and values as their bytes.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/layout/layout.hpp"
#include "core/layout/packing.hpp"
#include "core/slot/slot.hpp"

namespace idgen {

inline const char *name_of(Take::Status status) {
    switch (status) {
        case Take::Status::ok:
            return "ok";
        case Take::Status::full:
            return "full";
        case Take::Status::borrowed:
            return "borrowed";
        case Take::Status::ahead:
            return "ahead";
        case Take::Status::renew:
            return "renew";
        case Take::Status::capped:
            return "capped";
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
    EXPECT_EQ(error.reason, LayoutReason::none) << text;
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

// The bytes of a value as hexadecimal digits, and back.
template <class T>
std::string hex_of(const T &value) {
    static_assert(std::has_unique_object_representations_v<T>, "padding has no value");
    std::uint8_t bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    std::string digits;
    for (std::uint8_t byte : bytes) {
        digits += "0123456789abcdef"[byte >> 4];
        digits += "0123456789abcdef"[byte & 15];
    }
    return digits;
}

inline std::vector<std::uint8_t> bytes_of(std::string_view hex) {
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes.push_back(static_cast<std::uint8_t>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
    return bytes;
}

// Whether the bytes of a value come first, as memcmp compares them.
template <class T>
bool is_before(const T &a, const T &b) {
    static_assert(std::has_unique_object_representations_v<T>, "padding has no order");
    return std::memcmp(&a, &b, sizeof a) < 0;
}

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
