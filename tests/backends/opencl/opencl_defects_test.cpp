// SPDX-License-Identifier: MIT
#include <algorithm>

#include "tests/backends/core/defects_suite.h"
#include "tests/backends/opencl/opencl_device.h"

namespace tests {

OpenDevice OpenForDefects() {
  OpenDevice open;
  open.device = FindOpenClDevice();
  auto session = OpenOpenCl(open.device);
  if (!session) return open;
  open.session = *std::move(session);
  auto all = OpenClVariants(open.session->limits());
  // Its tile is as wide as the registers are.
  const auto gemm = std::find_if(all.begin(), all.end(), [](const kernels::Variant& variant) {
    return variant.kernel == kernels::Kernel::kGemm;
  });
  const std::string name = gemm->name;
  open.variants = FillsAnd(std::move(all), name);
  return open;
}

}  // namespace tests
