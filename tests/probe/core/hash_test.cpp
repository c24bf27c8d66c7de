// SPDX-License-Identifier: MIT
#include "probe/core/hash.h"

#include <gtest/gtest.h>

namespace probe {
namespace {

// The value that xxHash's specification gives for no input and seed 0 (doc/xxhash_spec.md).
TEST(Hash, IsThePublishedOne) {
  EXPECT_EQ(HashName(""), "2d06800538d394c2");
  EXPECT_EQ(HashOf(""), 0x2d06800538d394c2U);
}

TEST(Hash, TellsTextsApart) {
  EXPECT_NE(HashName("vulkan"), HashName("opencl"));
  EXPECT_EQ(HashName("vulkan"), HashName("vulkan"));
  EXPECT_NE(WideHashOf("a").low, WideHashOf("b").low);
}

}  // namespace
}  // namespace probe
