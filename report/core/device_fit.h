// SPDX-License-Identifier: MIT
// What published rows say of a device's class: which row of data/fit.json's classes is its own. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "report/core/tables.h"

namespace report {

// What kernels reach in the median of what is specified of a device, for where nothing is measured.
struct UsualShares {
  double read = 1;
  double fp32 = 1;      // of products
  double matrix16 = 1;  // likewise
};

// As in Fit, for the devices of one maker or a class of them, whatever runtime reaches them where none is
// named: between the runtimes of one device what was measured decides.
struct ClassFit {
  std::string vendor;  // PCI vendor id: "10de"
  // Absent: all. Architectures as data/pci_names.csv has them, or its targets; words of names; runtimes.
  std::optional<std::vector<std::string>> chips;
  std::optional<std::vector<std::string>> names;
  std::optional<std::vector<std::string>> runtimes;
  Factor decode;
  Factor prefill;
  std::optional<Factor> training;
  std::optional<double> token_overhead_s;  // in the place of Fit's
  UsualShares usual;
};

// Of data/fit.json's `classes`, each figure as DecodeFit() has it, a share at most 1; errors name the place,
// e.g. "classes[3].decode".
[[nodiscard]] probe::Result<std::vector<ClassFit>> DecodeClassFits(std::string_view json);

// Those of this build; the first that fits a device counts. Parsed by the first call; where it is an error
// EmbeddedTables() is, too.
[[nodiscard]] const probe::Result<std::vector<ClassFit>>& ClassFits();

// The implementation (backends::Measurement) of a rate that nobody measured: a usual share of what is
// specified.
inline constexpr std::string_view kEstimate = "estimate";

// By its PCI number, by its kernel's architecture where no table has that, by its name. nullptr where its
// maker has none, and where only a driver's claim tells who made it: that orders nothing. Without a runtime
// it is a row that names none.
[[nodiscard]] const ClassFit* FitOf(const probe::PhysicalDevice& device, std::string_view runtime);

}  // namespace report
