// SPDX-License-Identifier: MIT
// The answer's sentences in parts, for every page that tells it to people. The report must be clean
// (report/core/clean.h) and outlive what is told of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/core/report.h"

namespace report::render {

// "Use <way> on <device>: <promises>", or where there are none "Use <way> on <device>; <instead>".
struct ToldAnswer {
  const Recommendation* answer;
  std::string way;     // "vulkan (AMDVLK)"
  std::string device;  // "GeForce RTX 4090"
  std::vector<std::string> promises;
  std::string instead;
  std::string nothing_fits;  // the sentence in the place of all that where nothing here holds the work
};

// One for each way that is recommended: uses that have the first answer's are told with it. `dash` stands in
// ranges.
[[nodiscard]] std::vector<ToldAnswer> TellAnswers(const Report& report, std::string_view dash);
// Its reasons beside that sentence, which says that nothing fits, or which of several it is of.
[[nodiscard]] std::vector<std::string> ReasonsBeside(const Recommendation& answer);
// What makes the answers less sure, each once; last that their rates are estimates.
[[nodiscard]] std::vector<std::string> WarningsOfAnswers(const Report& report);
// How many of those, the last, say that.
[[nodiscard]] std::size_t WarningsOfEstimates(const Report& report);
// What is said in the place of an answer.
[[nodiscard]] std::string_view WithoutAnswer(const Report& report);

// What the report is of: the version, the system, the time.
[[nodiscard]] std::vector<std::string> FootFacts(const Report& report);

}  // namespace report::render
