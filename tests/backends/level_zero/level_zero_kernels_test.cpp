// SPDX-License-Identifier: MIT
// Every kernel that the backend offers, on the fake.
#include <gtest/gtest.h>

#include "tests/backends/core/verified_kernels.h"
#include "tests/backends/level_zero/machine.h"

namespace {

using tests::ZeGpu;
using tests::ZeMachine;

std::string VerifyAll(backends::Session& session) {
  return tests::VerifyAll(backends::level_zero::Describe(), session);
}

TEST(LevelZeroKernels, AreRightOnACardWithMatrixUnits) {
  EXPECT_EQ(ZeMachine(ZeGpu(3, 1255)).With(VerifyAll), "all right, 3 by matrix units");
}

TEST(LevelZeroKernels, AreRightWithSubgroupsOfSixteen) {
  EXPECT_EQ(ZeMachine(ZeGpu(3, 2001)).With(VerifyAll), "all right, 3 by matrix units");
}

TEST(LevelZeroKernels, AreRightOnGraphicsOfAProcessor) {
  EXPECT_EQ(ZeMachine(ZeGpu(3, 1203, "", R"(, "type": "integrated")")).With(VerifyAll),
            "all right, 0 by matrix units");
}

TEST(LevelZeroKernels, AreFoundWrongWhereTheDeviceLies) {
  const auto said = ZeMachine(ZeGpu(3, 1255, "", R"(, "results": "garbage")")).With(VerifyAll);
  EXPECT_NE(said.find("own:coalesced read_u32: wrong"), std::string::npos) << said;
}

}  // namespace
