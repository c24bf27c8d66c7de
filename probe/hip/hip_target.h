// SPDX-License-Identifier: MIT
// A gfx target in parts, and what its instruction set computes with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "probe/core/device.h"

namespace probe::hip {

struct Target {
  std::uint32_t major = 0;  // decimal in the name
  std::uint32_t minor = 0;  // one hexadecimal digit each
  std::uint32_t step = 0;
  auto operator<=>(const Target&) const = default;
};

// Of "gfx90a" or "gfx90a:sramecc+:xnack-"; nullopt for anything else.
[[nodiscard]] std::optional<Target> ParseTarget(std::string_view text);
[[nodiscard]] std::string ToString(const Target& target);  // "gfx90a"

// Dtypes, matrix units and the fp8 format (a fact "fp8_format": "fnuz" or "ocp", which do not mix) of a
// target.
void AddCapabilities(const Target& target, RuntimeDevice& device);

}  // namespace probe::hip
