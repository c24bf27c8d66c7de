// SPDX-License-Identifier: MIT
#include "report/run/detect.h"

#include <gtest/gtest.h>

namespace report {
namespace {

TEST(Deadline, IsLongerWhereAModuleSetsUpGpus) {
  probe::Module module;
  EXPECT_EQ(DetectionDeadline(module), kDetectionDeadlineSeconds);
  module.gpu_vendor = 0x1002;
  EXPECT_EQ(DetectionDeadline(module), kGpuDeadlineSeconds) << "also of one GPU: its driver may be cold";
}

}  // namespace
}  // namespace report
