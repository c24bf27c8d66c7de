// SPDX-License-Identifier: MIT
#include "report/cli/elf_requirements.h"

#include <gnu/libc-version.h>
#include <gtest/gtest.h>

#include <array>

namespace report {
namespace {

TEST(ElfRequirements, CompareVersionsAsNumbers) {
  constexpr std::array<std::string_view, 7> kNames = {"GLIBC_2.9",        "GLIBC_2.34",     "GLIBC_2.2.5",
                                                      "GLIBC_PRIVATE",    "GLIBCXX_3.4.30", "GLIBC_2.4",
                                                      "GLIBC_ABI_DT_RELR"};
  EXPECT_EQ(NewestGlibc(kNames), "2.34");
  EXPECT_EQ(NewestGlibc({}), std::nullopt);
  constexpr std::array<std::string_view, 4> kNonsense = {"", "GLIBC_", "GLIBC_2", "GLIBC_x.y"};
  EXPECT_EQ(NewestGlibc(kNonsense), std::nullopt);
}

TEST(ElfRequirements, OfThisBinaryAreMetByTheLibraryThatRunsIt) {
  const auto needed = NewestGlibcNeeded();
  ASSERT_TRUE(needed);
  const std::string running = std::string("GLIBC_") + gnu_get_libc_version();
  const std::string ours = "GLIBC_" + *needed;
  const std::array<std::string_view, 2> both = {running, ours};
  EXPECT_EQ("GLIBC_" + *NewestGlibc(both), running);
}

}  // namespace
}  // namespace report
