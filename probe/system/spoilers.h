// SPDX-License-Identifier: MIT
// Variables that make a device slower than it is, in words. Which those are a runtime's own folder says.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probe/system/environment.h"

namespace probe::system {

enum class Spoils {
  kSet,      // with any value but 0
  kZero,     // with 0 alone
  kPercent,  // with a number below 100
};

struct Spoiler {
  std::string_view name;
  std::string_view text;  // what it does: "lets every launch wait until it is done"
  Spoils when = Spoils::kSet;
};

// A sentence for each that is set so. An empty value is as good as none.
[[nodiscard]] std::vector<std::string> ExplainSpoilers(std::span<const Spoiler> spoilers,
                                                       const Environment& environment);

}  // namespace probe::system
