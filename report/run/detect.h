// SPDX-License-Identifier: MIT
// Runs the probe modules as children: all at once, and those that fail driver by driver.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "probe/core/module.h"
#include "probe/isolate/supervisor.h"
#include "probe/system/cache_dir.h"
#include "report/core/run_request.h"
#include "report/run/risk.h"
#include "report/run/tasks.h"

namespace report {

// A module's detection, and the deadline of the second try driver by driver, in seconds (docs/contract.md,
// section 3).
inline constexpr double kDetectionDeadlineSeconds = 10.0;
// Of a module that sets GPUs up: a cold driver takes seconds for each.
inline constexpr double kGpuDeadlineSeconds = 30.0;
[[nodiscard]] inline double DetectionDeadline(const probe::Module& module) {
  return module.gpu_vendor == 0 ? kDetectionDeadlineSeconds : kGpuDeadlineSeconds;
}

struct Detection {
  std::vector<probe::ProbeReport> probes;  // in the registry's order
  std::vector<FileRead> files;             // of a recording run
  std::vector<Warning> warnings;
};

using Permit = probe::Result<std::shared_ptr<void>>;

struct DetectRequest {
  const RunRequest& run;
  probe::system::ChildVariables child_environment;
  // Leave to let a module load vendor code, asked when its child has been started and has loaded nothing yet,
  // and kept until the child has ended; or an error as RiskLedger::Permit has them.
  std::function<Permit(const probe::Module&, RiskyStep, Company)> permit;
  // The file of the marker that a permit stands for.
  std::function<std::string(const probe::Module&, RiskyStep)> marker;
  // Done once, while the children work.
  std::function<void()> meanwhile;
};

// Whether --only and --skip leave this module in. Hardware sources always are unless one is skipped by name:
// --only names the runtimes that somebody cares for.
[[nodiscard]] bool IsAsked(const RunRequest& request, std::string_view module);

// Which modules the request selects, in the registry's order; under a sysroot those that read files only.
[[nodiscard]] std::vector<const probe::Module*> Selected(const RunRequest& request);

// All selected modules in parallel; a module that failed as a whole is run again with one child per driver
// manifest, and so are the drivers of one whose process another driver spoiled: one bad driver never costs
// the others. What may only be tried alone comes after the others.
[[nodiscard]] Detection Detect(const DetectRequest& request, probe::isolate::Supervisor& supervisor,
                               const probe::system::FileSystem& files,
                               const probe::system::Environment& environment);

}  // namespace report
