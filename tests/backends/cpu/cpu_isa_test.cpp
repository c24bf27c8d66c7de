// SPDX-License-Identifier: MIT
// The probe and the kernels speak of the same processor, whole and as WHICHGPU_CPU_ISA leaves it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "kernels/cpu/cpu_kernel.h"
#include "kernels/cpu/isa_limit.h"
#include "probe/cpu/cpuinfo.h"
#include "probe/system/filesystem.h"

namespace backends::cpu {
namespace {

// For each set of the kernels a feature that it can not be without.
const std::map<std::string_view, std::string> kFeatureOf = {{"amx", "amx-tile"},
                                                            {"avx512_bf16", "avx512bf16"},
                                                            {"avx512_vnni", "avx512vnni"},
                                                            {"avx512", "avx512bw"},
                                                            {"avx_vnni", "avxvnni"},
                                                            {"avx2", "avx2"},
                                                            {"sse4", "sse4.2"},
                                                            {"neon", "neon"},
                                                            {"neon_dotprod", "dotprod"},
                                                            {"sve", "sve"}};

std::vector<std::string> FeaturesHere() {
  const auto files = probe::system::FileSystem::Open("/");
  const auto text = files->Read("/proc/cpuinfo", 8U << 20U);
  auto info = probe::cpu::ParseCpuInfo(text ? *text : std::string());
  if (const char* isa = std::getenv("WHICHGPU_CPU_ISA")) std::ignore = probe::cpu::LimitTo(isa, info);
  return probe::cpu::Features(info);
}

TEST(CpuIsa, NoKernelRunsOnMoreThanTheProbeNames) {
  const auto features = FeaturesHere();
  for (const auto& implementation : kernels::cpu::Implementations()) {
    if (!implementation.supported() || implementation.isa == "generic") continue;
    const auto needed = kFeatureOf.find(implementation.isa);
    ASSERT_NE(needed, kFeatureOf.end()) << implementation.isa;
    EXPECT_THAT(features, testing::Contains(needed->second)) << implementation.entry;
  }
}

TEST(CpuIsa, TheProbeKnowsEverySetOfTheKernels) {
  for (const auto& implementation : kernels::cpu::Implementations()) {
    probe::cpu::CpuInfo info;
    const bool arm = implementation.isa.starts_with("neon") || implementation.isa == "sve";
    info.family = arm ? probe::cpu::Family::kArm64 : probe::cpu::Family::kX86;
    EXPECT_EQ(probe::cpu::LimitTo(implementation.isa, info), std::nullopt) << implementation.isa;
  }
}

}  // namespace
}  // namespace backends::cpu
