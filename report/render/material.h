// SPDX-License-Identifier: MIT
// What a page for people has to show before its room is counted: ways, problems and steps. The report must be
// clean (report/core/clean.h) and outlive it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/core/report.h"
#include "report/core/tables.h"
#include "report/render/steps.h"

namespace report::render {

// A way, for all equal GPUs that are reached so.
struct ShownWay {
  const Score* score;
  std::size_t rank;
  std::size_t devices = 1;
  std::size_t hidden = 0;  // GPUs of the same name that a variable hides beside them
};

struct ShownProblem {
  const Finding* finding;
  std::size_t alike;
};

// What there is to show.
struct Material {
  const Recommendation* answer = nullptr;  // for inference, or the only one
  std::vector<ShownWay> ways;
  std::vector<ShownProblem> problems;
  std::vector<NextStep> steps;
  std::size_t untold = 0;  // warnings
};

// Scores in their order, equal GPUs that are reached alike as one way.
[[nodiscard]] std::vector<ShownWay> WaysOf(const Report& report, const std::vector<const Score*>& scores);

[[nodiscard]] Material Gather(const Tables& tables, const Report& report);

// "8 x H100 SXM5 80GB", "2 of 8 H100 SXM5 80GB" where a variable hides the others, or the name of the one.
[[nodiscard]] std::string DeviceText(const Report& report, const ShownWay& way);

}  // namespace report::render
