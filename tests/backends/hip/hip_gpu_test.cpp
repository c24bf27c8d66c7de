// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tests/backends/core/every_kernel.h"

namespace probe::hip {
Module Describe();
}
namespace backends::hip {
Backend Describe();
}

namespace {

TEST(HipGpu, VerifiesEveryKernelThatItSupports) {
  tests::VerifyEveryKernel({probe::hip::Describe(), backends::hip::Describe(), "AMD"});
}

}  // namespace
