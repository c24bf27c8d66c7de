// SPDX-License-Identifier: MIT
#include "backends/cpu/cpu_session.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "tests/backends/core/defects_suite.h"
#include "tests/backends/core/verify_variant.h"

namespace backends::cpu {
Backend Describe();
}

namespace tests {

namespace {

// Of the processor: a session and everything that it computes.
OpenDevice OpenProcessor() {
  static const auto files = probe::system::FileSystem::Open("/");
  static const probe::system::Environment environment;
  OpenDevice open;
  open.device.runtime = "cpu";
  open.device.kind = probe::DeviceKind::kCpu;
  const backends::Backend backend = backends::cpu::Describe();
  auto session = backend.open({open.device, std::nullopt, *files, environment});
  if (!session) return open;
  open.session = *std::move(session);
  open.variants = backend.variants(open.session->limits());
  return open;
}

// Every kernel in every type that this processor computes, by the implementation that is measured.
TEST(CpuReference, PassesUnlessOneElementOfAMillionIsWrong) {
  const OpenDevice open = OpenProcessor();
  ASSERT_NE(open.session, nullptr);
  auto fills = open.variants;
  std::erase_if(fills, [](const auto& variant) { return variant.kernel != kernels::Kernel::kFill; });
  int computing = 0;
  for (const kernels::Variant& variant : open.variants) {
    if (variant.kernel == kernels::Kernel::kFill) continue;
    SCOPED_TRACE(variant.name + " " + std::string(kernels::Row(variant.kernel).name) + " " +
                 std::string(kernels::Row(variant.in).name));
    ExpectVerified(*open.session, fills, variant, LargeResult(variant));
    ++computing;
  }
  EXPECT_GE(computing, 9) << "three products, two by vectors, read, copy, triad and a chain";
}

}  // namespace

OpenDevice OpenForDefects() {
  OpenDevice open = OpenProcessor();
  auto all = std::move(open.variants);
  std::erase_if(all, [](const kernels::Variant& variant) {
    return variant.kernel == kernels::Kernel::kGemm && variant.in != kernels::Dtype::kFp32;
  });
  std::string best;
  for (const kernels::Variant& variant : all) {
    if (best.empty() && variant.kernel == kernels::Kernel::kGemm) best = variant.name;
  }
  open.variants = FillsAnd(std::move(all), best);
  return open;
}

}  // namespace tests
