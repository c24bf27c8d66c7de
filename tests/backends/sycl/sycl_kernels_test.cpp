// SPDX-License-Identifier: MIT
// Every kernel that the backend offers, on the fake.
#include <gtest/gtest.h>

#include "tests/backends/core/verified_kernels.h"
#include "tests/backends/sycl/machine.h"

namespace {

using tests::SyclMachine;
using tests::ZeGpu;

std::string VerifyAll(backends::Session& session) {
  return tests::VerifyAll(backends::sycl::Describe(), session);
}

TEST(SyclKernels, AreRightOnACardWithMatrixUnits) {
  EXPECT_EQ(SyclMachine(ZeGpu(3, 1255)).With(VerifyAll), "all right, 3 by matrix units");
}

TEST(SyclKernels, AreRightWithSubgroupsOfSixteen) {
  EXPECT_EQ(SyclMachine(ZeGpu(3, 2001)).With(VerifyAll), "all right, 3 by matrix units");
}

TEST(SyclKernels, AreRightOnGraphicsOfAProcessor) {
  EXPECT_EQ(SyclMachine(ZeGpu(3, 1203, "", R"(, "type": "integrated")")).With(VerifyAll),
            "all right, 0 by matrix units");
}

TEST(SyclKernels, AreFoundWrongWhereTheDeviceLies) {
  const auto said = SyclMachine(ZeGpu(3, 1255, "", R"(, "results": "garbage")")).With(VerifyAll);
  EXPECT_NE(said.find("own:coalesced read_u32: wrong"), std::string::npos) << said;
}

}  // namespace
