// SPDX-License-Identifier: MIT
// Moving data between host and device, from memory as a program gets it and from memory that the runtime has
// pinned. Needs no kernel.
#pragma once

#include "backends/core/budget.h"
#include "backends/core/reporter.h"

namespace backends {

// Reports `h2d` and `d2h` of 64 MiB, or of an eighth of the free memory or what there is room for:
// own:pageable and, where the session has such memory, own:pinned. A sample is as many transfers as last a
// batch's least time. What comes back must be what went.
void MeasureTransfers(Session& session, const Reporter& reporter, Budget& budget);

}  // namespace backends
