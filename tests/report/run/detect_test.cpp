// SPDX-License-Identifier: MIT
#include "report/run/detect.h"

#include <gtest/gtest.h>

#include "probe/core/ids.h"
#include "tests/probe/tree.h"

namespace report {
namespace {

TEST(Deadline, IsLongerWhereAModuleSetsUpSeveralGpus) {
  tests::Tree tree;
  const auto add = [&](const std::string& address, const char* vendor, const char* code) {
    tree.Write("/sys/bus/pci/devices/" + address + "/vendor", vendor)
        .Write("/sys/bus/pci/devices/" + address + "/class", code);
  };
  probe::Module module;
  module.gpu_vendor = 0x1002;
  add("0000:03:00.0", "0x1002\n", "0x030000\n");
  add("0000:03:00.1", "0x1002\n", "0x040300\n");  // its sound
  add("0000:04:00.0", "0x10de\n", "0x030200\n");
  EXPECT_EQ(DetectionDeadline(module, tree.Files()), kDetectionDeadlineSeconds);
  add("0000:05:00.0", "0x1002\n", "0x120000\n");
  EXPECT_EQ(DetectionDeadline(module, tree.Files()), kSeveralGpusDeadlineSeconds);
  EXPECT_EQ(DetectionDeadline(probe::Module{}, tree.Files()), kDetectionDeadlineSeconds) << "of no vendor";
}

}  // namespace
}  // namespace report
