// SPDX-License-Identifier: MIT
// A probe looks at no more devices of a driver than are plausible, and says so.
#pragma once

#include <string>

#include "probe/core/report.h"

namespace probe {

// `found` of at most `most`: only where they are as many the driver may have more.
inline void WarnAtCap(const ProbeSink& sink, const std::string& driver, std::size_t found, std::size_t most) {
  const auto count = std::to_string(most);
  if (found < most) return;
  sink(Warning{driver + " has " + count + " devices or more: no more than " + count + " are looked at"});
}

}  // namespace probe
