// SPDX-License-Identifier: MIT
// Prints what the renderers make of the machines of machines.h: `samples` lists them, `samples MACHINE
// COMMAND` prints that command's JSON, `samples MACHINE html` its page,
// `samples MACHINE text WIDTH [ascii] [colour] [verbose]` the terminal's
// report.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "report/html/html.h"
#include "report/render/faces.h"
#include "tests/report/machines.h"

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  const auto machines = report::testing::Machines();
  if (words.empty()) {
    for (const auto& machine : machines) std::cout << machine.name << '\n';
    return 0;
  }
  const auto machine =
      std::find_if(machines.begin(), machines.end(), [&](const auto& row) { return row.name == words[0]; });
  if (machine == machines.end() || words.size() < 2) return 2;
  const auto decided = report::testing::Decided(machine->build());
  if (words[1] == "html") {
    std::cout << report::html::ReportPage(report::testing::TestTables(), decided);
    return 0;
  }
  if (words[1] != "text" && words[1] != "list-text") {
    std::cout << report::render::Json(decided, words[1]);
    return 0;
  }
  const auto has = [&](std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  report::render::TerminalOptions options;
  options.width = words.size() > 2 ? std::atoi(std::string(words[2]).c_str()) : 80;
  options.unicode = !has("ascii");
  options.colour = has("colour");
  options.verbose = has("verbose");
  const auto tables = report::testing::TestTables();
  std::cout << (words[1] == "text" ? report::render::Text(tables, decided, options)
                                   : report::render::ListText(tables, decided, options));
  return 0;
}
