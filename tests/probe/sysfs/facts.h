// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "probe/core/device.h"

namespace tests {

// The value of a fact, empty when there is none.
inline std::string FactOf(const probe::HardwareDevice& device, std::string_view key) {
  for (const probe::Fact& fact : device.facts) {
    if (fact.key == key) return fact.value;
  }
  return "";
}

}  // namespace tests
