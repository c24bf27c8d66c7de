// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "data/tables.h"

#include "probe/core/parse.h"
#include "probe/hip/hip_target.h"
#include "probe/hip/hip_visible.h"

namespace probe::hip {
namespace {

using amd::KfdNode;

std::string OverrideText(std::string_view variable, const Target& real, const Target& claimed,
                         const std::string& name) {
  for (const auto& [is, is_taken_for, text] : ParseTable<3>(data::kGfxOverrides)) {
    if (FitsPattern(ToString(real), is) && FitsPattern(ToString(claimed), is_taken_for))
      return fmt::format("{} makes ROCm take {} for {}: {}", variable, name, ToString(claimed), text);
  }
  return {};
}

std::string NoVersionText(std::string_view variable, std::string_view value) {
  return Quoted(variable, value) + " is no version such as 10.3.0: ROCm may refuse to start with it";
}

}  // namespace

std::vector<std::string> OverrideVariables(const std::vector<KfdNode>& nodes) {
  std::vector<std::string> out;
  out.reserve(nodes.size());
  for (const KfdNode& node : nodes) out.push_back(fmt::format("{}_{}", kOverride, node.number));
  return out;
}

std::optional<Target> OverrideTarget(std::string_view version) {
  std::string_view rest = version;
  std::array<std::uint32_t, 3> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), parts[i]);
    if (error != std::errc() || parts[i] > (i == 0 ? 99U : 15U)) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    const bool last = i + 1 == parts.size();
    if (last ? !rest.empty() : !rest.starts_with('.')) return std::nullopt;
    if (!last) rest.remove_prefix(1);
  }
  return Target{parts[0], parts[1], parts[2]};
}

std::vector<std::string> ExplainOverride(const system::Environment& environment,
                                         const std::vector<KfdNode>& nodes) {
  std::vector<std::string> out;
  for (const KfdNode& node : nodes) {
    // Of one node before that of all (ROCR-Runtime, libhsakmt/src/topology.c).
    std::string variable = fmt::format("{}_{}", kOverride, node.number);
    if (!environment.Get(variable)) variable = kOverride;
    const auto value = environment.Get(variable);
    const auto real = node.target ? ParseTarget(*node.target) : std::nullopt;
    if (!value) continue;
    const auto claimed = OverrideTarget(*value);
    if (!claimed) {
      out.push_back(NoVersionText(variable, *value));
    } else if (real && *real != *claimed) {
      out.push_back(OverrideText(variable, *real, *claimed, NameOf(node, nodes)));
    }
  }
  out.erase(std::unique(out.begin(), out.end()), out.end());
  const auto value = environment.Get(kOverride);
  if (!value || !nodes.empty()) return out;
  const auto claimed = OverrideTarget(*value);
  if (!claimed) return {NoVersionText(kOverride, *value)};
  return {fmt::format(
      "{} makes ROCm take every AMD GPU for {}, whatever it is: its first kernel may hang or compute "
      "wrong; unset the variable unless the GPU is a gfx1031 to gfx1036 and the value 10.3.0",
      Quoted(kOverride, *value), ToString(*claimed))};
}

}  // namespace probe::hip
