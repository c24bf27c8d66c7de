// SPDX-License-Identifier: MIT
// What a build runs on, condition by condition, as its makers document it: a second writing of the tables'
// conditions (tests/report/targets/bounds.csv), by what runs and what no longer does.
#pragma once

#include <string>
#include <vector>

#include "report/core/targets.h"

namespace report::targets {

// One line of the file. "" and nothing: no condition. The architectures of devices, as people write them.
struct Bounds {
  std::string target;
  std::string build;
  std::string backend;
  std::vector<std::string> os;
  std::vector<std::string> machine;
  std::string wsl;  // yes, no
  std::string glibc;
  std::vector<std::string> features;  // of the processor
  std::string driver;
  std::string driver_tested;
  std::string driver_below;
  std::string api;
  std::string api_below;
  bool brings_runtime = false;
  std::vector<std::string> vendors;
  std::vector<std::string> kernel_drivers;
  std::string driver_name;  // how it begins
  std::vector<std::string> runs_on;
  std::vector<std::string> not_on;
};

[[nodiscard]] const std::vector<Bounds>& AllBounds();

// The last number of a version one less, where it can be: "2.28" -> "2.27", "7.0" -> "6".
[[nodiscard]] std::string Before(const std::string& version);

// In what the build differs from its line: "runs with glibc 2.27". "" in nothing.
[[nodiscard]] std::string Difference(const Bounds& bounds, const Build& build);

}  // namespace report::targets
