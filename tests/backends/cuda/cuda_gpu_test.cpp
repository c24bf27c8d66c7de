// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/backends/core/every_kernel.h"

namespace probe::cuda {
Module Describe();
}
namespace backends::cuda {
Backend Describe();
}

namespace {

TEST(CudaGpu, VerifiesEveryKernelThatItSupports) {
  setenv("CUDA_CACHE_DISABLE", "0", 1);
  tests::VerifyEveryKernel(
      {probe::cuda::Describe(), backends::cuda::Describe(), "NVIDIA", "CUDA_CACHE_PATH"});
}

}  // namespace
