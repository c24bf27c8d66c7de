// SPDX-License-Identifier: MIT
// Joins what the modules saw into physical devices. A pure function of the reports: no index, no order of arrival
// and no clock decides anything.
#pragma once

#include <span>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/report.h"

namespace probe::unify {

// Matches by (PCI address, partition), UUID with driver id, partition parent, the only candidate of that vendor and
// kind, then normalised name and memory; records which. Software devices become views of cpu:0, which always exists.
// Order: GPUs and accelerators by id, then the processor.
[[nodiscard]] std::vector<PhysicalDevice> Unify(std::span<const ProbeReport> reports);

}  // namespace probe::unify
