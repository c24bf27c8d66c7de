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

tests::TestedRuntime Cuda() {
  return {probe::cuda::Describe(), backends::cuda::Describe(), "NVIDIA", "CUDA_CACHE_PATH"};
}

TEST(CudaGpu, VerifiesEveryKernelThatItSupports) {
  setenv("CUDA_CACHE_DISABLE", "0", 1);
  tests::VerifyEveryKernel(Cuda());
}

TEST(CudaGpu, VerifiesTheLongestProducts) { tests::VerifyLongProducts(Cuda()); }

}  // namespace
