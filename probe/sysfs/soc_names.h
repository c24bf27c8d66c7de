// SPDX-License-Identifier: MIT
// What the device tree says of a GPU that is part of a system on a chip. Look-up only.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace probe::sysfs {

struct SocFacts {
  std::string name;          // "VideoCore VII", "Mali-G610 (RK3588)"
  bool one_product = false;  // false: the tree only says whose GPU it is
  std::string_view vendor;
  std::string_view family;  // "Ampere"; empty where the name says it
  std::string_view target;  // "sm_87"; likewise
};

// `own`: the `compatible` strings of the GPU's node, `board`: those of the tree's root, both as the tree has
// them, the most particular first. nullopt where `own` is no GPU's.
[[nodiscard]] std::optional<SocFacts> FindSocFacts(std::span<const std::string> own,
                                                   std::span<const std::string> board);

}  // namespace probe::sysfs
