// SPDX-License-Identifier: MIT
// Which figures of a way a page for people shows, in which order, and what its bars are a share of. The
// report must outlive what points into it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/core/report.h"

namespace report::render {

using Figures = std::vector<const backends::Measurement*>;

// Of one way, the same order in every block: by kernel, then by type.
[[nodiscard]] Figures FiguresOf(const Report& report, const std::string& device_id,
                                const probe::RuntimeDevice& of);

// The best of each figure on this machine, by BarKey: what the bars are a share of.
using BestFigures = std::map<std::string, double>;
[[nodiscard]] BestFigures BestFiguresOf(const Report& report);
// `label` as FigureLabel says it; copies are alike whomever they go to.
[[nodiscard]] std::string BarKey(const backends::Measurement& m, const std::string& label);

// Half of the interval, with its sign: "+-0.8 %"; too few batches have none.
[[nodiscard]] std::string SpreadText(const backends::Measurement& m, std::string_view plus_minus);

// "own:mma and own:simt": of all that failed likewise.
[[nodiscard]] std::string FailedLikewise(const backends::Measurement& m, const Figures& figures);

// The fastest of its name, and the product at the prompt's shape, which predicts inference, where it has a
// name of its own.
[[nodiscard]] bool IsShownFigure(const backends::Measurement& m, const Figures& figures);

}  // namespace report::render
