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

tests::TestedRuntime Hip() { return {probe::hip::Describe(), backends::hip::Describe(), "AMD"}; }

TEST(HipGpu, VerifiesEveryKernelThatItSupports) { tests::VerifyEveryKernel(Hip()); }

TEST(HipGpu, VerifiesTheLongestProducts) { tests::VerifyLongProducts(Hip()); }

}  // namespace
