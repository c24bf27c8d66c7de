// SPDX-License-Identifier: MIT
#include "probe/hip/hip_visible.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "data/tables.h"

#include "probe/core/parse.h"
#include "probe/core/text.h"

namespace probe::hip {
namespace {

using amd::KfdNode;

constexpr std::string_view kOverride = "HSA_OVERRIDE_GFX_VERSION";
constexpr std::array<std::string_view, 5> kVariables = {
    "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", kOverride};
constexpr std::size_t kMaxEntries = 256;

std::string Quoted(std::string_view name, std::string_view value) {
  return fmt::format("{}=\"{}\"", name, CleanText(value, 128));
}

// HIP reads CUDA's variable only where its own is unset or empty.
bool IsRead(const system::Environment& environment, std::string_view name) {
  const auto own = environment.Get("HIP_VISIBLE_DEVICES");
  return name != kOverride && (name != "CUDA_VISIBLE_DEVICES" || !own || own->empty());
}

bool IsEntry(std::string_view entry) {
  const bool number = entry.size() < 5 && IsDigits(entry);
  return number || entry.starts_with("GPU-");
}

std::string GarbageText(std::string_view name, std::string_view value) {
  for (std::size_t i = 0; i < kMaxEntries && !value.empty(); ++i) {
    const auto entry = Trim(TakeUpTo(value, ','), " \t");
    if (IsEntry(entry) || entry == "-1") continue;
    return fmt::format("{}: \"{}\" is neither a number nor GPU-...: ROCm ignores it and all after it", name,
                       CleanText(entry, 64));
  }
  return {};
}

std::string NameOf(const KfdNode& node) {
  return fmt::format("{} ({}{})", node.target.value_or("a GPU"), ToString(node.address),
                     node.partition != 0 ? fmt::format(", partition {}", node.partition) : "");
}

// HIP may leave out the function or the partition; so many devices of a slot stand for so many nodes.
bool SameSlot(const std::optional<PciAddress>& a, const PciAddress& b) {
  return a && a->domain == b.domain && a->bus == b.bus && a->device == b.device;
}

std::string HiddenText(std::string_view hiding, const std::vector<RuntimeDevice>& shown,
                       const std::vector<KfdNode>& nodes) {
  std::vector<std::string> hidden;
  std::vector<bool> used(shown.size(), false);
  for (const KfdNode& node : nodes) {
    bool seen = false;
    for (std::size_t i = 0; i < shown.size() && !seen; ++i) {
      seen = !used[i] && SameSlot(shown[i].identity.pci, node.address);
      if (seen) used[i] = true;
    }
    if (!seen) hidden.push_back(NameOf(node));
  }
  if (hidden.empty()) return {};
  const std::string count =
      fmt::format("{} of {} GPUs: {}", hidden.size(), nodes.size(), fmt::join(hidden, ", "));
  if (!hiding.empty()) return fmt::format("{} hides {}", hiding, count);
  return fmt::format("ROCm does not show {}; the kernel's compute driver has them", count);
}

std::string OverrideText(const Target& real, const Target& claimed, const std::string& name) {
  for (const auto& [is, is_taken_for, text] : ParseTable<3>(data::kGfxOverrides)) {
    if (FitsPattern(ToString(real), is) && FitsPattern(ToString(claimed), is_taken_for))
      return fmt::format("{} makes ROCm take {} for {}: {}", kOverride, name, ToString(claimed), text);
  }
  return {};
}

}  // namespace

std::span<const std::string_view> VisibilityVariables() { return kVariables; }

std::string HidingText(const system::Environment& environment) {
  std::vector<std::string> set;
  for (const auto name : kVariables) {
    const auto value = environment.Get(name);
    if (value && IsRead(environment, name)) set.push_back(Quoted(name, *value));
  }
  return fmt::format("{}", fmt::join(set, " and "));
}

std::optional<Target> OverrideTarget(const system::Environment& environment) {
  const auto value = environment.Get(kOverride);
  if (!value) return std::nullopt;
  std::string_view rest = *value;
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
  const auto value = environment.Get(kOverride);
  if (!value) return {};
  const auto claimed = OverrideTarget(environment);
  if (!claimed) {
    return {Quoted(kOverride, *value) + " is no version such as 10.3.0: ROCm may refuse to start with it"};
  }
  std::vector<std::string> out;
  for (const KfdNode& node : nodes) {
    const auto real = node.target ? ParseTarget(*node.target) : std::nullopt;
    if (real && *real != *claimed) out.push_back(OverrideText(*real, *claimed, NameOf(node)));
  }
  if (!out.empty() || !nodes.empty()) return out;
  return {fmt::format(
      "{} makes ROCm take every AMD GPU for {}, whatever it is: its first kernel may hang or compute "
      "wrong; unset the variable unless the GPU is a gfx1031 to gfx1036 and the value 10.3.0",
      Quoted(kOverride, *value), ToString(*claimed))};
}

std::vector<std::string> ExplainVisible(const system::Environment& environment,
                                        const std::vector<RuntimeDevice>& shown,
                                        const std::vector<KfdNode>& nodes) {
  std::vector<std::string> out;
  const auto add = [&](std::string text) {
    if (!text.empty()) out.push_back(std::move(text));
  };
  add(HiddenText(HidingText(environment), shown, nodes));
  for (const auto name : kVariables) {
    const auto value = environment.Get(name);
    if (value && IsRead(environment, name)) add(GarbageText(name, *value));
  }
  if (environment.Get("ROCR_VISIBLE_DEVICES") && environment.Get("HIP_VISIBLE_DEVICES")) {
    out.emplace_back("HIP_VISIBLE_DEVICES counts among the GPUs that ROCR_VISIBLE_DEVICES leaves, from 0");
  }
  return out;
}

}  // namespace probe::hip
