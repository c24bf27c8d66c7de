// SPDX-License-Identifier: MIT
// Figures of kernels that their trial found to be right, sent before they are timed: what is left of them
// where a child does not come to its end.
#pragma once

#include "backends/core/measurement.h"
#include "probe/isolate/supervisor.h"

namespace report {

[[nodiscard]] probe::Json EncodeTrial(const backends::Measurement& trial);

// Makes measurements of the trials that a child sent, where it ended early or its context did: of those that
// nothing was measured of later, and not of what ended it. Drops all others. Before Restarts::After, which
// takes out the child's word of the context.
void SettleTrials(probe::isolate::ChildResult& result);

}  // namespace report
