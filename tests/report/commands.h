// SPDX-License-Identifier: MIT
// What of a report's page is to be copied, and so stands on lines that are neither cut nor broken.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/core/report.h"

namespace report::testing {

// Of several commands in a line the first, as what runs them as root stands between them.
inline std::vector<std::string> CommandsOf(const Report& report) {
  std::vector<std::string> commands;
  const auto add = [&](const std::optional<std::string>& command) {
    if (command) commands.push_back(command->substr(0, command->find(" && ")));
  };
  for (const Step& step : report.advice) add(step.command);
  for (const Recommendation& answer : report.recommendations) {
    for (const Selection& variable : answer.environment) add(variable.name + "=" + variable.value);
    for (const Program& program : answer.programs.value_or(std::vector<Program>())) add(program.command);
  }
  return commands;
}

inline bool HoldsOneOf(const std::vector<std::string>& commands, std::string_view line) {
  return std::any_of(commands.begin(), commands.end(), [&](const std::string& command) {
    return line.find(command) != std::string_view::npos;
  });
}

}  // namespace report::testing
