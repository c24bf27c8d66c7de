// SPDX-License-Identifier: MIT
#include "report/core/device_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/runtimes/runtimes.h"
#include "data/targets/targets.h"

#include "probe/core/parse.h"
#include "probe/core/pci_table.h"
#include "report/core/device_peak.h"

namespace report {

namespace {

using Words = std::vector<std::string_view>;

// Of an architecture as a runtime calls it: the chip, and what their maker calls that.
Words ChipsOf(std::string_view architecture) {
  architecture = architecture.substr(0, architecture.find(':'));  // gfx90a:xnack-
  Words chips = {architecture};
  for (const auto& [chip, runtime, called] : probe::ParseTable<3>(data::targets::ArchitecturesText())) {
    if (called == architecture) chips.push_back(chip);
  }
  for (std::size_t i = chips.size(); i-- > 0;) {
    const auto rows = probe::PciRows();
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const probe::PciRow& known) { return known.target == chips[i]; });
    if (row != rows.end()) chips.push_back(row->architecture);
  }
  return chips;
}

Words ChipsOf(const probe::HardwareDevice& hardware) {
  const auto facts = probe::FindPciFacts(*hardware.identity.ids);
  if (facts && !facts->architecture.empty()) return {facts->architecture, facts->target};
  return hardware.architecture ? ChipsOf(*hardware.architecture) : Words();
}

bool IsAnyOf(const std::optional<std::vector<std::string>>& wanted, const Words& words) {
  return !wanted || std::any_of(wanted->begin(), wanted->end(), [&](const std::string& one) {
    return std::find(words.begin(), words.end(), one) != words.end();
  });
}

// "M5" is a word of "Apple M5 Pro"; a person may leave the series out that the table of peaks has.
Words WordsOf(std::string_view name) {
  Words words;
  while (!name.empty()) words.push_back(probe::TakeUpTo(name, ' '));
  return words;
}

bool IsCalledOneOf(const ClassFit& row, const probe::PhysicalDevice& device) {
  if (IsAnyOf(row.names, WordsOf(device.name))) return true;
  const auto* peak = FindPeak(EmbeddedPeaks(), device);
  return peak && IsAnyOf(row.names, WordsOf(peak->name));
}

}  // namespace

const probe::Result<std::vector<ClassFit>>& ClassFits() {
  static const auto fits = DecodeClassFits(data::FitText());
  return fits;
}

const ClassFit* FitOf(const probe::PhysicalDevice& device, std::string_view runtime) {
  if (!device.hardware || !device.hardware->identity.ids || !ClassFits()) return nullptr;
  const auto vendor = fmt::format("{:04x}", device.hardware->identity.ids->vendor);
  const auto chips = ChipsOf(*device.hardware);
  const auto& fits = *ClassFits();
  const auto found = std::find_if(fits.begin(), fits.end(), [&](const ClassFit& row) {
    return row.vendor == vendor && IsAnyOf(row.chips, chips) && IsAnyOf(row.runtimes, {runtime}) &&
           IsCalledOneOf(row, device);
  });
  return found == fits.end() ? nullptr : &*found;
}

}  // namespace report
