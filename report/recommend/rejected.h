// SPDX-License-Identifier: MIT
// Every option that a recommendation did not take, with the reason: scored ways, drivers and runtimes that
// gave nothing, devices that nothing reaches.
#pragma once

#include <vector>

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::recommend {

// `chosen` is the score that was taken (nullptr: none was); those in `tied` are equal to it, the fastest
// first, and not rejected.
[[nodiscard]] std::vector<Rejected> RejectedOptions(const Tables& tables, const Report& report, Use use,
                                                    const Score* chosen,
                                                    const std::vector<const Score*>& tied);

// "cuda on NVIDIA GeForce RTX 4090"
[[nodiscard]] std::string WayText(const Report& report, const Score& score);

}  // namespace report::recommend
