// SPDX-License-Identifier: MIT
// What a measuring child streamed, held against what it was asked: a driver shares its process, and nothing
// that it could have made up may reach a neighbour's figures, count twice or buy it time.
#pragma once

#include <string>
#include <vector>

#include "backends/core/measurement.h"
#include "backends/core/runner.h"
#include "probe/isolate/supervisor.h"
#include "report/run/calibrate.h"

namespace report {

// Without a figure, for a target that none could be measured of.
[[nodiscard]] backends::Measurement StandIn(const Target& target, backends::MeasurementStatus status,
                                            std::string reason);

// The measurements that a child of this target may have made, each figure once, the first of it. One that
// stands for the child follows where it did not end well, failed, or sent what it can not have measured:
// another device, runtime or driver, a copy between devices that it was not given, a kernel twice at one
// shape, a unit that is not the kernel's, a rate that is none.
[[nodiscard]] std::vector<backends::Measurement> Collect(const Target& target,
                                                         const probe::isolate::ChildResult& result);

// The most seconds that a child's stage may be allowed, whatever it asks for: what its kind of step is ever
// granted. 0 for what is no stage.
[[nodiscard]] double MostAllowed(const backends::MeasureRequest& request, const probe::Json& record);

}  // namespace report
