// SPDX-License-Identifier: MIT
// What is compared with what.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "bench/sample.h"

namespace bench {

struct Contest {
  Side ours, peer;
  std::string unit;
  std::string shape;
  std::string peer_version;
  std::string wrong;             // where both sides did not compute the same; empty if they did
  std::shared_ptr<void> memory;  // what both work on
  Pair together = {};            // instead of the sides' own samples, where set
};
// Or why there is none.
using ContestOrReason = std::variant<Contest, std::string>;

struct Row {
  std::string_view name;
  std::string_view what;
  std::optional<double> limit;  // the least ratio that is good
  ContestOrReason (*prepare)(const Row& row);
  // What `prepare` needs to know.
  std::string_view entry, peer;
  std::uint32_t m = 0, n = 0, k = 0;
};
[[nodiscard]] std::span<const Row> Rows();

// Threads of both sides.
[[nodiscard]] unsigned Threads();

}  // namespace bench
