// SPDX-License-Identifier: MIT
// From what was seen and measured to the report: judges, scores, recommends, explains.
#pragma once

#include <optional>
#include <vector>

#include "probe/core/device.h"
#include "report/core/record.h"
#include "report/core/report.h"
#include "report/core/run_request.h"
#include "report/core/tables.h"

namespace report {

// The devices that an answer is about.
struct Asked {
  std::vector<probe::PhysicalDevice> devices;
  std::vector<probe::PhysicalDevice> other_gpus;  // that were left out
};

// Of those devices and the measurements of the record that are theirs. The part that a replay and a cached
// answer share with a live run; `measured` says which it is of the figures.
[[nodiscard]] Report Decide(const RunRequest& request, const Tables& tables, const Record& record,
                            Asked asked, Basis measured = Basis::kMeasured);

}  // namespace report
