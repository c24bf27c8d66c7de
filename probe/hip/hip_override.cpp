// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "data/tables.h"

#include "probe/core/add_once.h"
#include "probe/core/parse.h"
#include "probe/hip/hip_target.h"
#include "probe/hip/hip_visible.h"

namespace probe::hip {
namespace {

using amd::KfdNode;

// Nodes that one variable makes ROCm take for the same.
struct Taken {
  std::string variable;
  Target real;
  Target claimed;
  std::vector<const KfdNode*> nodes;
};

// "gfx1100 (0000:03:00.0)", "4 x gfx1100 (0000:03:00.0, 0000:04:00.0, ...)"
std::string NamesOf(const Taken& taken, const std::vector<KfdNode>& all) {
  constexpr std::size_t kMost = 4;
  if (taken.nodes.size() == 1) return NameOf(*taken.nodes.front(), all);
  std::vector<std::string> addresses;
  for (const KfdNode* node : taken.nodes) AddOnce(ToString(node->address), addresses);
  const auto more = addresses.size() - std::min(addresses.size(), kMost);
  addresses.resize(addresses.size() - more);
  if (more > 0) addresses.push_back(fmt::format("{} more", more));
  return fmt::format("{} x {} ({})", taken.nodes.size(), ToString(taken.real), fmt::join(addresses, ", "));
}

std::string OverrideText(const Taken& taken, const std::vector<KfdNode>& all) {
  for (const auto& [is, is_taken_for, text] : ParseTable<3>(data::kGfxOverrides)) {
    if (FitsPattern(ToString(taken.real), is) && FitsPattern(ToString(taken.claimed), is_taken_for))
      return fmt::format("{} makes ROCm take {} for {}: {}", taken.variable, NamesOf(taken, all),
                         ToString(taken.claimed), text);
  }
  return {};
}

// Of one node before that of all (ROCR-Runtime, libhsakmt/src/topology.c). Empty where neither is set.
std::string VariableFor(const system::Environment& environment, const KfdNode& node) {
  std::string variable = fmt::format("{}_{}", kOverride, node.number);
  if (!environment.Get(variable)) variable = kOverride;
  return environment.Get(variable) ? variable : std::string();
}

void Add(std::string variable, const Target& real, const Target& claimed, const KfdNode& node,
         std::vector<Taken>& all) {
  const auto known = std::find_if(all.begin(), all.end(), [&](const Taken& one) {
    return one.variable == variable && one.real == real && one.claimed == claimed;
  });
  if (known != all.end()) return known->nodes.push_back(&node);
  all.push_back({std::move(variable), real, claimed, {&node}});
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

std::string OverrideOf(const system::Environment& environment, const KfdNode& node) {
  auto variable = VariableFor(environment, node);
  const auto real = node.target ? ParseTarget(*node.target) : std::nullopt;
  const auto claimed =
      variable.empty() ? std::nullopt : OverrideTarget(environment.Get(variable).value_or(""));
  return real && claimed && *real != *claimed ? variable : std::string();
}

std::vector<std::string> ExplainOverride(const system::Environment& environment,
                                         const std::vector<KfdNode>& nodes) {
  std::vector<std::string> out;
  std::vector<Taken> taken;
  for (const KfdNode& node : nodes) {
    auto variable = VariableFor(environment, node);
    if (variable.empty()) continue;
    const auto value = environment.Get(variable).value_or("");
    const auto real = node.target ? ParseTarget(*node.target) : std::nullopt;
    const auto claimed = OverrideTarget(value);
    if (!claimed) {
      AddOnce(NoVersionText(variable, value), out);
    } else if (real && *real != *claimed) {
      Add(std::move(variable), *real, *claimed, node, taken);
    }
  }
  for (const Taken& one : taken) {
    if (auto text = OverrideText(one, nodes); !text.empty()) out.push_back(std::move(text));
  }
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
