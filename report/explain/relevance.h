// SPDX-License-Identifier: MIT
// Whether a GPU is worth mending: an old display card beside a working one is not what a reader came for.
#pragma once

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::explain {

// Whether the answer could be another if all that stands between this GPU and its use were mended: where no
// answer was asked for or none is a GPU, it may; beside a GPU that was chosen by what is known of both, the
// data sheets before measurements before the size of the memory. One of which nothing is known may not: the
// answer works without it.
[[nodiscard]] bool MayChangeAnswer(const Report& report, const probe::PhysicalDevice& gpu);

// Marks the findings that are about GPUs which may not, and makes notes of them. What a driver only claims to
// be a GPU stays: that is a fault in itself.
void SetAsideWhatChangesNothing(const Tables& tables, const Report& report, std::vector<Finding>& findings);

}  // namespace report::explain
