// SPDX-License-Identifier: MIT
#include "backends/cpu/cpu_session.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "tests/backends/core/defects_suite.h"

namespace backends::cpu {
Backend Describe();
}

namespace tests {

OpenDevice OpenForDefects() {
  static const auto files = probe::system::FileSystem::Open("/");
  static const probe::system::Environment environment;
  OpenDevice open;
  open.device.runtime = "cpu";
  open.device.kind = probe::DeviceKind::kCpu;
  const backends::Backend backend = backends::cpu::Describe();
  auto session = backend.open({open.device, std::nullopt, *files, environment});
  if (!session) return open;
  open.session = *std::move(session);
  auto all = backend.variants(open.session->limits());
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
