// SPDX-License-Identifier: MIT
// The drivers below the runtimes that many makers serve (data/drivers.csv).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "probe/core/module.h"

namespace probe {

// The cells of a row; lists are separated by blanks. The table says what they mean.
struct DriverRow {
  std::string_view driver, libraries, hiding, kernel, variables, opens, nodes, caches, loads, advice;

  // Whether a library of this file name is one of the driver's.
  [[nodiscard]] bool Has(std::string_view library) const;
};

// What the table has of one runtime; made once and kept, for a Module to point to.
struct DriverTable {
  explicit DriverTable(std::string_view runtime);

  std::vector<DriverRow> drivers;           // without the loader
  std::string_view no_driver;               // what to say where no driver is found
  std::vector<std::string_view> variables;  // of all, in the table's order
  std::vector<std::string_view> nodes;
  std::vector<DriverCache> caches;
};

}  // namespace probe
