// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tests/probe/isolate/behaviours.h"

int main(int argc, char** argv) {
  if (probe::isolate::IsChild(argc, argv)) probe::isolate::RunChild(argc, argv, probe::isolate::TestTasks());
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
