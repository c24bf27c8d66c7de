// SPDX-License-Identifier: MIT
// Everything that OpenCL's table has for a GPU and for a processor is committed as SPIR-V, and all that is
// committed is used.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kernels/opencl/variants.h"
#include "kernels/spirv/variants.h"

namespace kernels::spirv {
namespace {

std::vector<std::string> Features(const std::string& subgroup) {
  return {"gpu", "fp16", "int8_dot", "matrix:fp16/fp32", "matrix:bf16/fp32", "matrix:int8/int32", subgroup};
}

// Of devices that together have every kernel.
std::vector<std::vector<std::string>> AllFeatures() {
  return {Features("subgroup:8"),
          Features("subgroup:16"),
          {"cpu", "lanes:4"},
          {"cpu", "lanes:4", "lanes:8"},
          {"cpu", "lanes:4", "lanes:8", "lanes:16"}};
}

TEST(SpirvVariants, AreThoseOfOpenCl) {
  std::set<const std::uint32_t*> used;
  for (const auto& features : AllFeatures()) {
    const auto own = Variants(features);
    const auto opencl = opencl::Variants(features);
    ASSERT_EQ(own.size(), opencl.size()) << "a module is missing";
    for (std::size_t i = 0; i < own.size(); ++i) {
      EXPECT_EQ(own[i].name, opencl[i].name);
      EXPECT_EQ(own[i].kernel, opencl[i].kernel);
      for (const Step& step : own[i].steps) {
        ASSERT_FALSE(step.code.empty()) << own[i].name;
        EXPECT_EQ(step.code.front(), 0x07230203U) << "SPIR-V's magic number";
        EXPECT_TRUE(step.source.empty());
        used.insert(step.code.data());
      }
    }
  }
  EXPECT_EQ(used.size(), Modules().size()) << "a module is of no use";
}

TEST(SpirvVariants, HaveTheEntriesOfTheirSteps) {
  for (const auto& features : AllFeatures()) {
    for (const auto& variant : Variants(features)) {
      for (const Step& step : variant.steps) {
        const auto bytes = std::as_bytes(step.code);
        const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        EXPECT_NE(text.find(step.entry), std::string_view::npos) << variant.name << " " << step.entry;
      }
    }
  }
}

}  // namespace
}  // namespace kernels::spirv
