// SPDX-License-Identifier: MIT
#include "probe/core/driver_table.h"

#include <algorithm>

#include "data/tables.h"

#include "probe/core/parse.h"

namespace probe {
namespace {

void AddWords(std::string_view list, std::vector<std::string_view>& out) {
  while (!list.empty()) {
    const auto word = TakeUpTo(list, ' ');
    if (std::find(out.begin(), out.end(), word) == out.end()) out.push_back(word);
  }
}

void AddCaches(std::string_view list, std::vector<DriverCache>& out) {
  while (!list.empty()) {
    std::string_view value = TakeUpTo(list, ' ');
    DriverCache cache{.variable = TakeUpTo(value, '='),
                      .value = value,
                      .is_folder = !value.starts_with('!'),
                      .is_executed = value.starts_with('+')};
    if (!cache.is_folder || cache.is_executed) cache.value.remove_prefix(1);
    out.push_back(cache);
  }
}

}  // namespace

bool DriverRow::Has(std::string_view library) const {
  for (std::string_view left = libraries; !left.empty();) {
    if (library.starts_with(TakeUpTo(left, ' '))) return true;
  }
  return false;
}

DriverTable::DriverTable(std::string_view of_runtime) {
  for (const auto& [runtime, driver, libraries, hiding, kernel, of_driver, opens, reached, cached, loads,
                    advice] : ParseTable<11>(data::kDrivers)) {
    if (runtime != of_runtime) continue;
    AddWords(of_driver, variables);
    AddWords(reached, nodes);
    AddCaches(cached, caches);
    if (driver == "loader") {
      no_driver = advice;
    } else {
      drivers.push_back(
          {driver, libraries, hiding, kernel, of_driver, opens, reached, cached, loads, advice});
    }
  }
}

}  // namespace probe
