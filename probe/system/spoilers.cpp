// SPDX-License-Identifier: MIT
#include "probe/system/spoilers.h"

#include "probe/core/parse.h"
#include "probe/core/text.h"

namespace probe::system {
namespace {

bool DoesSpoil(Spoils when, std::string_view value) {
  switch (when) {
    case Spoils::kSet:
      return !value.empty() && value != "0";
    case Spoils::kZero:
      return value == "0";
    case Spoils::kPercent: {
      const auto percent = ParseNumber<std::uint32_t>(value.substr(0, value.find('.')));
      return percent && *percent < 100;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> ExplainSpoilers(std::span<const Spoiler> spoilers, const Environment& environment) {
  std::vector<std::string> out;
  for (const Spoiler& spoiler : spoilers) {
    const auto value = environment.Get(spoiler.name);
    if (!value || !DoesSpoil(spoiler.when, *value)) continue;
    out.push_back(std::string(spoiler.name).append("=\"").append(CleanText(*value, 128)).append("\" "));
    out.back().append(spoiler.text).append(": the figures are those of a slower device");
  }
  return out;
}

}  // namespace probe::system
