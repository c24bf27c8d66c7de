// SPDX-License-Identifier: MIT
#include "report/assume/machines.h"

#include <fmt/format.h>

#include "data/tables.h"

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "report/core/suggest.h"

namespace report::assume {

std::vector<std::string> MachineNames() {
  std::vector<std::string> names;
  for (const auto& [name, source, words] : probe::ParseTable<3>(data::kMachines)) names.emplace_back(name);
  return names;
}

probe::Result<std::vector<std::string>> TextsOfMachine(std::string_view name) {
  const auto wanted = probe::Lower(name);
  for (const auto& [known, source, words] : probe::ParseTable<3>(data::kMachines)) {
    if (known == wanted) return std::vector{std::string(words)};
  }
  return probe::Error{"", std::nullopt, "",
                      fmt::format("--assume-machine: there is no machine '{}'{}",
                                  probe::CleanText(std::string(name), 64), Hint(wanted, MachineNames()))};
}

}  // namespace report::assume
