// SPDX-License-Identifier: MIT
// What a command line asked for, word by word, and whether it may.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "probe/core/result.h"
#include "report/cli/options.h"

namespace report {

// What the parser fills before it is checked.
struct RawOptions {
  Options options;  // those that need no check, and the command
  std::string color = "auto";
  std::string use = "inference";
  std::string format = "plain";
  std::optional<std::string> budget;
  std::optional<std::string> timeout;
  bool quick = false;
  bool thorough = false;
  bool no_calibrate = false;
  bool no_cache = false;
};

// An error in what the user wrote.
[[nodiscard]] inline probe::Error Usage(std::string text) { return {"", std::nullopt, "", std::move(text)}; }

// Fills the rest of raw.options; or says what is wrong with the first word that is, and what would be right.
// `modules` are the names that --only and --skip know.
[[nodiscard]] std::optional<probe::Error> CheckOptions(RawOptions& raw, std::span<const std::string> modules);

}  // namespace report
