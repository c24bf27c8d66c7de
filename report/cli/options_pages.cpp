// SPDX-License-Identifier: MIT
// The part of the command line that says which pages are kept in files.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "report/cli/options.h"

namespace report {

void AddPageOptions(CLI::App& app, RawOptions& raw) {
  app.add_option("--html", raw.options.html, "Write the report (or compare) as a page for browsers, too")
      ->type_name("FILE");
  app.add_option("--svg", raw.options.svg, "Write the roofline of each measured device as a picture")
      ->type_name("FILE");
}

std::optional<probe::Error> CheckPageOptions(const Options& options) {
  const bool has_page = options.command == Command::kReport || options.command == Command::kCompare;
  if (has_page || !(options.html || options.svg)) return std::nullopt;
  const auto* option = options.html ? "--html" : "--svg";
  return Usage(fmt::format("{} belongs to the report{}: 'whichgpu {} FILE'", option,
                           options.html ? " and compare" : "", option));
}

}  // namespace report
