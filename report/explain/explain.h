// SPDX-License-Identifier: MIT
// Says why: the arithmetic behind a score in one line, and what stands in the way of a better answer as
// findings. Pure; reads what was probed, measured, scored and recommended, and changes none of it.
#pragma once

#include <string>
#include <vector>

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::explain {

// "cuda on pci:0000:01:00.0: 312 tokens/s [260-350] = 640 / (49 ms prefill + 128 x 15.6 ms); decode limited
// by read 1.63 TB/s (70 % of the peak), prefill by fp16 gemm 150 TFLOP/s; measured, good". Empty for a score
// without a rate.
[[nodiscard]] std::string OneLine(const Tables& tables, const Report& report, const Score& score);

// One for every runtime or driver that gave no device though it is installed or hardware asks for it, every
// way whose kernels failed or computed wrongly, every GPU that nothing reaches, every variable that hides
// devices. Blocking: a GPU is here and none is usable because of it.
[[nodiscard]] std::vector<Finding> Findings(const Tables& tables, const Report& report);

// Fills report.findings, and the arithmetic of every recommendation.
void Explain(const Tables& tables, Report& report);

}  // namespace report::explain
