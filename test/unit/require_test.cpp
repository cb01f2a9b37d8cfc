#include "core/require.hpp"

#include <gtest/gtest.h>

#include "core/text/text_part.hpp"
#include "kinds/core/nanoid.hpp"

namespace idgen {
namespace {

TEST(Require, EndsTheProgramAndSaysWhere) {
    EXPECT_DEATH(nanoid_cutoff(0), "nanoid.hpp:[0-9]+: required: symbols >= 1");
    EXPECT_DEATH(head_of("ab", 3), "text_part.hpp:[0-9]+: required: size <= text.size");
}

}  // namespace
}  // namespace idgen
