#include "core/text/version.hpp"

#include <gtest/gtest.h>

namespace idgen {
namespace {

Version version_of(std::string_view text) {
    Version version{};
    EXPECT_TRUE(parse_version(text, version)) << text;
    return version;
}

TEST(Version, IsComparedByItsNumbersFromTheLeft) {
    const char *rising[] = {"0.0.0", "0.9.0", "0.9.1",  "0.9.10",        "0.10.0",
                            "1.0.0", "1.2.3", "10.0.0", "9999.9999.9999"};
    for (size_t i = 0; i < std::size(rising); i++)
        for (size_t j = 0; j < std::size(rising); j++)
            EXPECT_EQ(version_of(rising[i]) < version_of(rising[j]), i < j) << rising[i] << " " << rising[j];
}

TEST(Version, IsThreeNumbersAndNothingElse) {
    Version version{};
    for (const char *text : {"", "0", "0.9", "0.9.", ".9.0", "0..0", "0.9.0.1", "0.9.0 ", " 0.9.0", "0.9.x", "-1.0.0",
                             "0.9.0rc1", "10000.0.0", "0.0.99999999999999999999"})
        EXPECT_FALSE(parse_version(text, version)) << text;
}

}  // namespace
}  // namespace idgen
