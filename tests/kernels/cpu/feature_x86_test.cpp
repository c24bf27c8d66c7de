// SPDX-License-Identifier: MIT
#include "kernels/cpu/feature_x86.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace kernels::cpu {
namespace {

// What the compiler's own runtime library answers; the builtin takes nothing but a literal. "f16c" and
// "avxvnni" are no names of clang's before 18.
#define EXPECT_AS_THE_COMPILER(name) EXPECT_EQ(__builtin_cpu_supports(name) != 0, HasFeature(name)) << (name)

TEST(Features, AreThoseThatTheCompilerFinds) {
  EXPECT_AS_THE_COMPILER("ssse3");
  EXPECT_AS_THE_COMPILER("sse4.2");
  EXPECT_AS_THE_COMPILER("pclmul");
  EXPECT_AS_THE_COMPILER("aes");
  EXPECT_AS_THE_COMPILER("fma");
  EXPECT_AS_THE_COMPILER("bmi");
  EXPECT_AS_THE_COMPILER("bmi2");
  EXPECT_AS_THE_COMPILER("avx2");
  EXPECT_AS_THE_COMPILER("avx512f");
  EXPECT_AS_THE_COMPILER("avx512dq");
  EXPECT_AS_THE_COMPILER("avx512cd");
  EXPECT_AS_THE_COMPILER("avx512bw");
  EXPECT_AS_THE_COMPILER("avx512vl");
  EXPECT_AS_THE_COMPILER("avx512vbmi");
  EXPECT_AS_THE_COMPILER("avx512vnni");
  EXPECT_AS_THE_COMPILER("avx512bf16");
}

TEST(Features, AreThoseThatTheKernelLists) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line) && !line.starts_with("flags")) {
  }
  if (!line.starts_with("flags")) GTEST_SKIP() << "no flags in /proc/cpuinfo";
  std::istringstream words(line);
  std::string flags = " ";
  for (std::string word; words >> word;) flags += word + " ";
  EXPECT_EQ(flags.find(" f16c ") != std::string::npos, HasFeature("f16c"));
  EXPECT_EQ(flags.find(" avx_vnni ") != std::string::npos, HasFeature("avxvnni"));
}

TEST(Features, OfAnotherNameThereAreNone) {
  EXPECT_FALSE(HasFeature(""));
  EXPECT_FALSE(HasFeature("avx1024"));
}

}  // namespace
}  // namespace kernels::cpu
