// SPDX-License-Identifier: MIT
// Which devices somebody means, and what somebody who describes some does not say of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "report/core/suggest.h"
#include "report/decide/decide.h"
#include "report/targets/targets.h"

namespace report {
namespace {

using Indices = std::vector<std::size_t>;

template <class Fits>
Indices Those(const std::vector<probe::PhysicalDevice>& devices, const Fits& fits) {
  Indices found;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (fits(devices[i])) found.push_back(i);
  }
  return found;
}

// By id, by the start of one, by a part of a name: none of an empty text.
std::array<Indices, 3> Meant(const std::vector<probe::PhysicalDevice>& devices, const std::string& text) {
  const std::string wanted = probe::Lower(text);
  if (wanted.empty()) return {};
  return {Those(devices, [&](const auto& device) { return probe::Lower(device.id) == wanted; }),
          Those(devices, [&](const auto& device) { return probe::Lower(device.id).starts_with(wanted); }),
          Those(devices, [&](const auto& device) {
            return probe::Lower(device.name).find(wanted) != std::string::npos;
          })};
}

std::vector<std::string> IdsOf(const std::vector<probe::PhysicalDevice>& devices) {
  std::vector<std::string> ids;
  ids.reserve(devices.size());
  for (const auto& device : devices) ids.push_back(device.id);
  return ids;
}

// What is wrong with a word that is neither a runtime's name nor means a device.
probe::Error MeansNothing(const Tables& tables, const std::vector<probe::PhysicalDevice>& devices,
                          const std::string& word) {
  auto known = IdsOf(devices);
  auto hint = HintOfGpus(word, GpuWish::kNone);
  for (const RuntimeFacts& facts : tables.runtimes) {
    known.push_back(facts.name);
    if (std::find(facts.names.begin(), facts.names.end(), word) != facts.names.end())
      hint = fmt::format("; did you mean '{}'?", facts.name);
  }
  return {"", std::nullopt, "",
          fmt::format("--exclude: '{}' is neither a runtime nor a device here{}", probe::CleanText(word, 64),
                      hint.empty() ? Hint(word, known) : hint)};
}

}  // namespace

probe::Result<std::size_t> SelectDevice(const std::vector<probe::PhysicalDevice>& devices,
                                        const std::string& text) {
  const auto meant = Meant(devices, text);
  for (const Indices& found : meant) {
    if (found.size() == 1) return found.front();
  }
  const auto ids = IdsOf(devices);
  const bool ambiguous = meant[1].size() > 1 || meant[2].size() > 1;
  return probe::Error{"", std::nullopt, "",
                      fmt::format("--device: '{}' {}{}", probe::CleanText(text, 64),
                                  ambiguous ? "fits more than one device" : "is no device here",
                                  ambiguous ? Hint("", ids) : Hint(probe::Lower(text), ids))};
}

probe::Result<std::set<std::string>> ExcludedDevices(const Tables& tables,
                                                     const std::vector<probe::PhysicalDevice>& devices,
                                                     const std::vector<std::string>& words) {
  std::set<std::string> ids;
  for (const std::string& word : words) {
    if (Find(tables, word)) continue;
    const auto meant = Meant(devices, word);
    const auto found =
        std::find_if(meant.begin(), meant.end(), [](const Indices& indices) { return !indices.empty(); });
    if (found == meant.end()) return MeansNothing(tables, devices, word);
    for (const std::size_t i : *found) ids.insert(devices[i].id);
  }
  for (const auto& device : devices) {
    if (device.parent_id && ids.contains(*device.parent_id)) ids.insert(device.id);
  }
  return ids;
}

std::vector<Missing> WhatIsMissing(const Tables& tables, const TargetTable& target,
                                   const std::vector<probe::PhysicalDevice>& devices) {
  const auto tells_apart = [&](const RuntimeFacts& facts) {
    return std::any_of(target.builds.begin(), target.builds.end(), [&](const Build& build) {
      return build.backend == facts.name && build.needs && build.needs->architectures;
    });
  };
  struct Gpu {
    Missing missing;
    bool is_part;
  };
  std::vector<Gpu> untold;
  std::set<std::string> told;  // the runtimes of cards
  for (const auto& device : devices) {
    for (const auto& view : device.views) {
      const auto* facts = Find(tables, view.device.runtime);
      if (!facts || !facts->target || !tells_apart(*facts)) continue;
      const bool is_part = device.kind == probe::DeviceKind::kIntegrated;
      if (view.device.architecture) {
        if (!is_part) told.insert(facts->name);
      } else if (auto apart = targets::TellsApart(target, *facts, device)) {
        untold.push_back({{device.name, facts->name, facts->target->key, true,
                           std::move(apart->architectures), std::move(apart->build)},
                          is_part});
      }
    }
  }
  std::vector<Missing> missing;
  for (Gpu& gpu : untold) {
    gpu.missing.is_needed = told.empty() || (!gpu.is_part && told.contains(gpu.missing.runtime));
    missing.push_back(std::move(gpu.missing));
  }
  std::stable_partition(missing.begin(), missing.end(), [](const Missing& one) { return one.is_needed; });
  return missing;
}

}  // namespace report
