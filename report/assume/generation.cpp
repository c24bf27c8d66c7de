// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "report/assume/known_card.h"
#include "report/core/architecture.h"
#include "report/core/device_peak.h"
#include "report/core/targets.h"

namespace report::assume {
namespace {

// Whether no build of any program has code for one of them and not for the other.
bool HaveTheSameBuilds(const RuntimeFacts& facts, std::string_view one, std::string_view other) {
  const auto tells_apart = [&](const Build& build) {
    return build.backend == facts.name && build.needs && build.needs->architectures &&
           HasCodeFor(*facts.target, *build.needs->architectures, one) !=
               HasCodeFor(*facts.target, *build.needs->architectures, other);
  };
  const auto names = TargetNames();
  return std::none_of(names.begin(), names.end(), [&](const std::string& name) {
    const auto table = EmbeddedTarget(name);
    return table && std::any_of(table->builds.begin(), table->builds.end(), tells_apart);
  });
}

// Whether units of both do as much a clock, as far as tables know.
bool HaveTheSameUnits(std::string_view one, std::string_view other) {
  const auto rates_of = [](std::string_view architecture) {
    std::set<std::tuple<std::optional<std::string>, std::optional<double>, std::optional<double>>> rates;
    for (const UnitPeak& unit : EmbeddedPeaks().units) {
      if (unit.architecture == architecture) rates.emplace(unit.name, unit.fp32, unit.matrix16);
    }
    return rates;
  };
  return rates_of(one) == rates_of(other);
}

}  // namespace

bool AreOneGeneration(const RuntimeFacts& facts, const std::string& its, const std::string& stated) {
  if (facts.target->form != TargetForm::kRelease) return false;
  const auto one = ArchitectureText(*facts.target, its, Reader::kPeople);
  const auto other = ArchitectureText(*facts.target, stated, Reader::kPeople);
  const auto generation = [](const std::string& release) {
    return release.substr(0, release.find_last_of("0123456789"));
  };
  return one.size() == other.size() && generation(one) == generation(other) &&
         HaveTheSameUnits(its, stated) && HaveTheSameBuilds(facts, one, other);
}

}  // namespace report::assume
