// What the tests of the text forms share: each form as a writer and a reader.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "core/text/digits.hpp"
#include "support.hpp"
#include "vectors.hpp"

namespace idgen {

struct TextForm {
    const char *name;
    std::string (*print)(std::int64_t id);
    TextError (*parse)(std::string_view text, std::int64_t &id);
};

inline std::string base62_of(std::int64_t id) {
    char digits[base62_size];
    print_base62(id, digits);
    return std::string(digits, base62_size);
}

inline std::string base32_of(std::int64_t id) {
    char digits[base32_size];
    print_base32(id, digits);
    return std::string(digits, base32_size);
}

inline std::string base64url_of(std::int64_t id) {
    char digits[base64url_size];
    std::size_t size = print_base64url(id, digits);
    return std::string(digits, size);
}

inline const TextForm text_forms[] = {
    {"base62", base62_of, [](std::string_view text, std::int64_t &id) { return parse_base62(text, id); }},
    {"id64", base62_of, [](std::string_view text, std::int64_t &id) { return parse_padded_base62(text, id); }},
    {"base32", base32_of, [](std::string_view text, std::int64_t &id) { return parse_base32(text, false, id); }},
    {"base32check", [](std::int64_t id) { return base32_of(id) + base32_check(id); },
     [](std::string_view text, std::int64_t &id) { return parse_base32(text, true, id); }},
    {"base64url", base64url_of, [](std::string_view text, std::int64_t &id) { return parse_base64url(text, id); }},
};

inline const TextForm &form_of(const std::string &name) {
    for (const TextForm &form : text_forms)
        if (name == form.name) return form;
    ADD_FAILURE() << "no form " << name;
    return text_forms[0];
}

// Passes if the text is that number.
inline void expect_number(const char *form, std::string_view text, std::int64_t id) {
    std::int64_t read = 42;
    Exact exact(text);
    EXPECT_EQ(form_of(form).parse(exact.view(), read).reason, TextReason::none) << form << ' ' << text;
    EXPECT_EQ(read, id) << form << ' ' << text;
}

// Passes if the text is refused for that reason, at that byte.
inline void expect_refused(const char *form, std::string_view text, TextReason reason, std::size_t position = 0) {
    std::int64_t read;
    Exact exact(text);
    TextError error = form_of(form).parse(exact.view(), read);
    EXPECT_EQ(error.reason, reason) << form << ' ' << text;
    EXPECT_EQ(error.position, position) << form << ' ' << text;
}

}  // namespace idgen
