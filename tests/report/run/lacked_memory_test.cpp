// SPDX-License-Identifier: MIT
// Which failures are told to be for want of the device's memory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "backends/registry.h"
#include "probe/core/fields.h"
#include "report/run/calibrate.h"

namespace report {
namespace {

using backends::MeasurementStatus;
using probe::isolate::ChildEnd;

// The vendor's own name of it, wherever it happens: a sentence that has it otherwise is none.
TEST(LackedMemory, AFailureForWantOfTheDevicesMemoryIsToldAsSuch) {
  const auto failed = [](const std::string& runtime, const std::string& reason) {
    Target target;
    target.device_id = "pci:0000:01:00.0";
    target.device.runtime = runtime;
    probe::isolate::ChildResult result;
    result.end = ChildEnd::kDone;
    result.records = {{{"error", probe::Encode(probe::Error{"open", std::nullopt, "", reason})}}};
    const auto rows = Collect(target, result, 62);
    EXPECT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows.front().status, MeasurementStatus::kFailed);
    return rows.front().lacked_memory;
  };
  for (const auto& backend : backends::Backends()) {
    for (const auto name : backend.memory_errors)
      EXPECT_EQ(failed(std::string(backend.runtime), fmt::format("alloc: {} (2): no memory", name)), true)
          << name;
    EXPECT_EQ(failed(std::string(backend.runtime), "alloc: SOME_ERROR (2): no memory"), std::nullopt);
  }
}

}  // namespace
}  // namespace report
