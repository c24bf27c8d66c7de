// SPDX-License-Identifier: MIT
// The names of errno that not all systems have.
#pragma once

#include <span>
#include <string_view>

namespace probe::system {

struct NamedErrno {
  int number;
  std::string_view name;
};
[[nodiscard]] std::span<const NamedErrno> SystemsErrnos();

}  // namespace probe::system
