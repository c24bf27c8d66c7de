// SPDX-License-Identifier: MIT
// Measures every way to reach every device, one child at a time, within the budgets of contract.md section 3.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backends/core/measurement.h"
#include "backends/core/runner.h"
#include "probe/core/device.h"
#include "probe/isolate/supervisor.h"
#include "report/options.h"

namespace report {

// Seconds of measuring: a GPU over all its runtimes together, the processor, and each software view of it.
inline constexpr double kGpuBudgetSeconds = 6.0;
inline constexpr double kCpuBudgetSeconds = 3.0;
inline constexpr double kSoftwareBudgetSeconds = 2.0;

// One way to reach one device, to be measured by one child.
struct Target {
  std::string device_id;
  probe::RuntimeDevice device;  // with its real identifiers
  double budget_s = 0;
};

// In the order in which they are measured: each device's native views before its software views.
// Views without a backend are left out.
[[nodiscard]] std::vector<Target> PlanTargets(const std::vector<probe::PhysicalDevice>& devices,
                                              const Options& options);

struct CalibrationHooks {
  std::vector<probe::EnvironmentVariable> child_environment;
  std::function<void(const Target&, const backends::MeasureStage*)> on_progress;
  // Sentence on why a target must not be tried now, or nothing.
  std::function<std::optional<std::string>(const Target&)> refuse;
  // Called around the risky part; the returned object is destroyed when the outcome was observed.
  std::function<std::shared_ptr<void>(const Target&)> arm;
};

// Stops early, without the remaining targets, when the supervisor was interrupted.
[[nodiscard]] std::vector<backends::Measurement> Calibrate(const std::vector<Target>& targets,
                                                           const std::optional<probe::Processor>& processor,
                                                           probe::isolate::Supervisor& supervisor,
                                                           const CalibrationHooks& hooks);

}  // namespace report
