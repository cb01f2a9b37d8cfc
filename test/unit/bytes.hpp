// Values as their bytes: in hexadecimal digits, and in order.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace idgen {

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

template <class T>
bool is_before(const T &a, const T &b) {
    static_assert(std::has_unique_object_representations_v<T>, "padding has no order");
    return std::memcmp(&a, &b, sizeof a) < 0;
}

}  // namespace idgen
