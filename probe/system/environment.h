// SPDX-License-Identifier: MIT
// Environment variables, as a value: the process's own, or any set for a test or a replay.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace probe::system {

class Environment {
 public:
  Environment() = default;
  explicit Environment(std::map<std::string, std::string, std::less<>> variables)
      : variables_(std::move(variables)) {}

  // The process's own. With AT_SECURE (set-uid and the like) it is empty but for LANG, LC_*, TERM and
  // NO_COLOR.
  [[nodiscard]] static Environment OfProcess();
  // The same from a null-terminated block of "NAME=value" (nullptr: none); the first of equal names counts.
  [[nodiscard]] static Environment FromBlock(const char* const* block, bool secure);

  // Unset and empty are different: nullopt and "".
  [[nodiscard]] std::optional<std::string> Get(std::string_view name) const;
  void Set(std::string_view name, std::string_view value);
  void Unset(std::string_view name);
  // "NAME=value" of all, sorted by name.
  [[nodiscard]] std::vector<std::string> Assignments() const;

 private:
  std::map<std::string, std::string, std::less<>> variables_;
};

}  // namespace probe::system
