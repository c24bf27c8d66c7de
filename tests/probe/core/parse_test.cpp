// SPDX-License-Identifier: MIT
#include "probe/core/parse.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace probe {
namespace {

TEST(Slug, IsSafeInAnId) {
  EXPECT_EQ(Slug("Intel(R) OpenCL Graphics"), "intel-r-opencl-graphics");
  EXPECT_EQ(Slug(" \xff\n;rm -rf /"), "rm-rf");
  EXPECT_EQ(Slug(""), "unnamed");
  EXPECT_EQ(Slug(std::string(1000, 'a')).size(), 64U);
}

TEST(ParseTable, LeavesOutCommentsAndTheHeading) {
  const auto rows = ParseTable<3>("# by number\nnumber,name,text\n\n1,one,first, of all\n2\n");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0], (TableRow<3>{"1", "one", "first, of all"})) << "the last cell is the rest";
  EXPECT_EQ(rows[1], (TableRow<3>{"2", "", ""}));
  EXPECT_TRUE(ParseTable<2>("").empty());
}

TEST(ParseNumber, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(ParseNumber<std::uint32_t>("4294967295"), 4294967295U);
  EXPECT_EQ(ParseNumber<std::uint32_t>("10de", 16), 0x10deU);
  for (const char* text : {"", " 1", "1 ", "-1", "+1", "4294967296", "0x1"})
    EXPECT_EQ(ParseNumber<std::uint32_t>(text), std::nullopt) << text;
}

TEST(TakeUpTo, EndsWithTheText) {
  std::string_view text = "a\n\nb";
  EXPECT_EQ(TakeUpTo(text, '\n'), "a");
  EXPECT_EQ(TakeUpTo(text, '\n'), "");
  EXPECT_EQ(TakeUpTo(text, '\n'), "b");
  EXPECT_TRUE(text.empty());
}

}  // namespace
}  // namespace probe
