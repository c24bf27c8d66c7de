// SPDX-License-Identifier: MIT
// What surrounds every kernel: the cost of a launch. Needs no kernel but the runtime's fill.
#pragma once

#include "backends/core/budget.h"
#include "backends/core/reporter.h"
#include "backends/core/workload.h"

namespace backends {

// Reports `launch` twice: own:round_trip, from submission of one launch that does next to nothing to its
// completion, and own:back_to_back, each of a thousand submitted together. Returns the least round trip in
// seconds, 0 where the runtime has no fill kernel (nothing is reported then).
double MeasureLaunches(Session& session, OperandWriter& writer, const Reporter& reporter, Budget& budget);

}  // namespace backends
