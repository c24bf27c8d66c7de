// SPDX-License-Identifier: MIT
#include "report/cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace report {
namespace {

constexpr std::size_t kColumn = 30;  // where descriptions begin
constexpr std::string_view kOwnGroup = "Options";

void AddRow(const std::string& name, const std::string& description, std::string& out) {
  out += fmt::format("  {:<{}}{}\n", name, kColumn - 2, description);
}

// "--only NAMES ...", "A.json REQUIRED", "-h,--help".
std::string Spelling(const CLI::Option& option) {
  std::string text = option.get_name(option.get_positional(), !option.get_positional());
  if (option.get_type_size() == 0) return text;
  if (!option.get_type_name().empty()) text += " " + option.get_type_name();
  if (option.get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
  if (option.get_required()) text += " REQUIRED";
  return text;
}

// Options of one group; those that the parser adds by itself are in the first.
using Group = std::pair<std::string, std::vector<const CLI::Option*>>;

std::vector<Group> GroupsOf(const CLI::App& app) {
  std::vector<Group> groups = {{std::string(kOwnGroup), {}}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) continue;
    const auto& name = option->get_group();
    const bool is_own = CLI::detail::to_lower(name) == CLI::detail::to_lower(std::string(kOwnGroup));
    auto group = is_own ? groups.begin()
                        : std::find_if(groups.begin(), groups.end(),
                                       [&](const Group& known) { return known.first == name; });
    if (group == groups.end()) group = groups.insert(groups.end(), Group{name, {}});
    group->second.push_back(option);
  }
  return groups;
}

}  // namespace

std::string HelpText(const CLI::App& app, const std::string& name) {
  const auto positionals =
      app.get_options([](const CLI::Option* option) { return option->get_positional(); });
  const auto commands = app.get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty(); });
  std::string out = fmt::format("{}\nUsage: {} [OPTIONS]", app.get_description(), name);
  for (const CLI::Option* option : positionals) out += " " + option->get_name(true, false);
  out += commands.empty() ? "\n" : " [SUBCOMMAND]\n";
  if (!positionals.empty()) out += "\nPositionals:\n";
  for (const CLI::Option* option : positionals) AddRow(Spelling(*option), option->get_description(), out);
  for (const auto& [group, options] : GroupsOf(app)) {
    out += fmt::format("\n{}:\n", group);
    for (const CLI::Option* option : options) AddRow(Spelling(*option), option->get_description(), out);
  }
  if (!commands.empty()) out += "\nSubcommands:\n";
  for (const CLI::App* command : commands) AddRow(command->get_name(), command->get_description(), out);
  return out + app.get_footer() + "\n";
}

}  // namespace report
