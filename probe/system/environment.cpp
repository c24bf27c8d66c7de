// SPDX-License-Identifier: MIT
#include "probe/system/environment.h"

#include <algorithm>
#include <array>

namespace probe::system {
namespace {

// What a set-uid program may take from its caller: how to print, never what to load.
bool IsHarmless(std::string_view name) {
  constexpr std::array<std::string_view, 3> kNames = {"LANG", "TERM", "NO_COLOR"};
  return name.starts_with("LC_") || std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

Environment Environment::FromBlock(const char* const* block, bool secure) {
  Environment out;
  for (; block != nullptr && *block != nullptr; ++block) {
    const std::string_view entry = *block;
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    const auto name = entry.substr(0, equals);
    if (secure && !IsHarmless(name)) continue;
    out.variables_.emplace(name, entry.substr(equals + 1));
  }
  return out;
}

std::optional<std::string> Environment::Get(std::string_view name) const {
  const auto found = variables_.find(name);
  if (found == variables_.end()) return std::nullopt;
  return found->second;
}

void Environment::Set(std::string_view name, std::string_view value) {
  variables_.insert_or_assign(std::string(name), std::string(value));
}

void Environment::Unset(std::string_view name) {
  if (const auto found = variables_.find(name); found != variables_.end()) variables_.erase(found);
}

std::vector<std::string> Environment::Assignments() const {
  std::vector<std::string> out;
  out.reserve(variables_.size());
  for (const auto& [name, value] : variables_) out.emplace_back(name).append("=").append(value);
  return out;
}

}  // namespace probe::system
