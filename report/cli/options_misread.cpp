// SPDX-License-Identifier: MIT
// What the parser of the command line would take for something else than was written.
#include <fmt/format.h>

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "probe/core/text.h"
#include "report/cli/options.h"

namespace report {
namespace {

const CLI::Option* OptionOf(const CLI::App& app, const std::string& name) {
  if (const auto* option = app.get_option_no_throw(name)) return option;
  for (const CLI::App* sub : app.get_subcommands({})) {
    if (const auto* option = sub->get_option_no_throw(name)) return option;
  }
  return nullptr;
}

}  // namespace

std::optional<probe::Error> Misread(const CLI::App& app, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const auto name = words[i].substr(0, words[i].find('='));
    const auto* option = name.starts_with("--") ? OptionOf(app, name) : nullptr;
    if (option == nullptr) continue;
    const bool has_value = name.size() < words[i].size();
    if (has_value && option->get_type_name().empty()) return Usage(name + " takes no value");
    if (option->get_delimiter() == '\0') continue;
    const std::string value = has_value              ? words[i].substr(name.size() + 1)
                              : i + 1 < words.size() ? words[i + 1]
                                                     : "";
    if (has_value && value.empty())
      return Usage(fmt::format("{0} lacks its value: {0} {1}", name, option->get_type_name()));
    if (value.find(',') != std::string::npos && value.find_first_not_of(", ") == std::string::npos)
      return Usage(fmt::format("{0}: '{1}' names nothing: {0} {2}", name, probe::CleanText(value, 64),
                               option->get_type_name()));
  }
  return std::nullopt;
}

}  // namespace report
