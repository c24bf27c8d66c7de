// SPDX-License-Identifier: MIT
// The programs and a real hiprtc, where one is installed: it needs no GPU, and includes headers of its own.
#include <gmock/gmock.h>

#include <set>

#include "backends/hip/hip_runtime.h"
#include "kernels/hip/variants.h"

namespace {

namespace rt = probe::hip;
using testing::HasSubstr;

class HipCompiler : public testing::Test {
 protected:
  void SetUp() override {
    if (!runtime_) GTEST_SKIP() << "no libamdhip64 here: " << probe::Describe(runtime_.error());
    compiler_ = rt::OpenCompiler(*runtime_, *files_, environment_);
    if (!compiler_) GTEST_SKIP() << "no hiprtc here: " << probe::Describe(compiler_.error());
  }
  // The call that ended it: loading, once the code is there, for want of a device.
  [[nodiscard]] std::string EndOf(const std::string& target, std::string_view source) const {
    const auto api = rt::ResolveApi(*runtime_);
    if (!api) return probe::Describe(api.error());
    backends::hip::ModuleCache modules(*api, compiler_, target);
    const auto module = modules.Get(source);
    return module ? "loaded" : module.error().call;
  }

  probe::Result<probe::system::FileSystem> files_ = probe::system::FileSystem::Open("/");
  probe::system::Environment environment_ = probe::system::Environment::OfProcess();
  probe::Result<probe::system::Library> runtime_ = rt::OpenRuntime(*files_, environment_);
  probe::Result<rt::Compiler> compiler_ = probe::Error{"hiprtc", std::nullopt, "absent", ""};
};

// Two of CUDA's sources and two of AMD's own, of matrix units and of dot products, with entries of one name;
// the rest differs from them in types alone.
TEST_F(HipCompiler, AcceptsThePrograms) {
  const std::set<std::string_view> entries = {"gemm_fp32_64", "gemv_q4", "gemm_fp16_64"};
  std::set<std::string_view> sources;
  for (const auto& variant : kernels::hip::Variants()) {
    if (entries.contains(variant.steps[0].entry)) sources.insert(variant.steps[0].source);
  }
  EXPECT_EQ(sources.size(), entries.size() + 1);
  for (const auto source : sources) {
    EXPECT_THAT(EndOf("gfx90a:sramecc+:xnack-", source),
                testing::AnyOf("loaded", HasSubstr("hipModuleLoadData")));
  }
}

TEST_F(HipCompiler, SaysWhatIsWrongWithASource) {
  const auto api = rt::ResolveApi(*runtime_);
  ASSERT_TRUE(api);
  backends::hip::ModuleCache modules(*api, compiler_, "gfx90a");
  const auto module = modules.Get("extern \"C\" __global__ void k() { nothing(); }");
  ASSERT_FALSE(module);
  EXPECT_THAT(module.error().call, HasSubstr("hiprtcCompileProgram"));
  EXPECT_THAT(module.error().text, HasSubstr("nothing"));
}

TEST(HipModules, WithoutACompilerFailWithTheReason) {
  const rt::Api api;
  backends::hip::ModuleCache modules(api, probe::Error{"dlopen", std::nullopt, "absent", "no libhiprtc.so"},
                                     "gfx90a");
  const auto module = modules.Get("text");
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().text, "no libhiprtc.so");
}

}  // namespace
