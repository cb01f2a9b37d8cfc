#include "core/text/text_part.hpp"

#include <gtest/gtest.h>

#include <string>

namespace idgen {
namespace {

TEST(Controls, AreFoundWhereverTheyStand) {
    for (std::string_view control :
         {"\n", "\r", "\t", "\x01", "\x1B", "\x1F", "\x7F", "\u0080", "\u009F", "\u2028", "\u2029"})
        for (std::string_view before : {"", "a", "ä", "€"}) {
            std::string name = std::string(before) + std::string(control);
            EXPECT_TRUE(has_control(name)) << name;
            EXPECT_TRUE(has_control(name + "z")) << name;
            EXPECT_EQ(control_size(control), control.size());
        }
    EXPECT_TRUE(has_control({"a\0b", 3}));
}

TEST(Controls, AreNotFoundInOtherTexts) {
    for (std::string_view name :
         {"", " ", "~", "orders of 7", "\u00A0", "ä", "\u2027", "\u202A", "€", "\xC2", "\xE2\x80", "\xE2"})
        EXPECT_FALSE(has_control(name)) << name;
}

}  // namespace
}  // namespace idgen
