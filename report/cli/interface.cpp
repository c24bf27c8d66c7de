// SPDX-License-Identifier: MIT
#include "report/cli/interface.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "probe/core/parse.h"
#include "report/render/terminal.h"

namespace report {
namespace {

constexpr std::size_t kColumn = 30;  // where descriptions begin
constexpr std::string_view kOwnGroup = "Options";

bool IsOwnGroup(const std::string& name) {
  return CLI::detail::to_lower(name) == CLI::detail::to_lower(std::string(kOwnGroup));
}

Offer OfferOf(const InterfaceOption& option) {
  if (!option.words.empty()) return Offer::kWords;
  if (option.value == "DIR") return Offer::kFolders;
  return option.value == "FILE" || option.value.ends_with(".json") ? Offer::kFiles : Offer::kNothing;
}

InterfaceOption DescribeOption(const CLI::Option& option, std::span<const std::string> modules) {
  InterfaceOption out;
  const bool is_operand = option.get_positional();
  if (!is_operand) {
    for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  }
  if (is_operand) {
    out.value = option.get_name(true, false);
  } else if (option.get_type_size() != 0) {
    out.value = option.get_type_name();
  }
  out.description = option.get_description();
  out.group = IsOwnGroup(option.get_group()) ? std::string(kOwnGroup) : option.get_group();
  out.is_list =
      option.get_type_size() != 0 && option.get_expected_max() == CLI::detail::expected_max_vector_size;
  out.has_commas = option.get_delimiter() == ',';
  out.repeats = out.is_list || option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  out.is_required = option.get_required();
  for (const std::string& name : is_operand ? std::vector{out.value} : out.names) {
    if (out.words.empty()) out.words = WordsFor(name, modules);
  }
  out.offer = OfferOf(out);
  return out;
}

// "--only NAMES ...", "A.json REQUIRED", "-h,--help".
std::string Spelling(const InterfaceOption& option) {
  std::string text = option.names.empty() ? option.value : fmt::format("{}", fmt::join(option.names, ","));
  if (!option.names.empty() && !option.value.empty()) text += " " + option.value;
  if (option.is_list) text += " ...";
  if (option.is_required) text += " REQUIRED";
  return text;
}

void AddRow(std::string_view name, const std::string& description, std::string& out) {
  out += fmt::format("  {:<{}}{}\n", name, kColumn - 2, description);
}

// A line that is too long: a row of two columns, or a sentence.
std::string NarrowedLine(std::string_view line, int width) {
  constexpr std::size_t kBelow = 6;  // where a description begins that has no room beside its option
  const auto indent = std::min(line.find_first_not_of(' '), line.size());
  const auto gap = line.find("  ", indent);
  const auto column = gap == std::string_view::npos ? gap : line.find_first_not_of(' ', gap);
  const bool is_row = indent > 0 && column != std::string_view::npos;
  const bool is_beside = is_row && column <= static_cast<std::size_t>(width) / 2;
  std::string out(is_beside ? line.substr(0, column) : std::string_view());
  if (is_row && !is_beside) out += NarrowedLine(line.substr(0, gap), width);
  const auto text = is_row ? line.substr(column) : line.substr(indent);
  const auto from = is_beside ? column : is_row ? kBelow : indent;
  const auto next = is_row ? from : indent + 2;
  const int room = width - static_cast<int>(next);
  const auto lines = render::Wrap(text, room, width - static_cast<int>(from));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0 || !is_beside) out.append(i == 0 ? from : next, ' ');
    out.append(lines[i]).append("\n");
  }
  return out;
}

}  // namespace

InterfaceCommand InterfaceOf(const CLI::App& app, std::string name, std::span<const std::string> modules) {
  InterfaceCommand out;
  out.name = std::move(name);
  out.description = app.get_description();
  out.text = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    (option->get_positional() ? out.operands : out.options).push_back(DescribeOption(*option, modules));
  }
  // Those that the parser adds by itself are first, and what joins a group stands with it.
  std::vector<std::string> groups = {std::string(kOwnGroup)};
  for (const InterfaceOption& option : out.options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
  }
  std::stable_sort(out.options.begin(), out.options.end(), [&](const auto& one, const auto& other) {
    return std::find(groups.begin(), groups.end(), one.group) <
           std::find(groups.begin(), groups.end(), other.group);
  });
  return out;
}

// CLI11's own text differs from version to version: 2.6 breaks its lines anew.
std::string HelpText(const InterfaceCommand& of, std::span<const InterfaceCommand> commands) {
  std::string out = fmt::format("{}\nUsage: {} [OPTIONS]", of.description, of.name);
  for (const InterfaceOption& operand : of.operands) out += " " + operand.value;
  out += commands.empty() ? "\n" : " [SUBCOMMAND]\n";
  if (!of.operands.empty()) out += "\nPositionals:\n";
  for (const InterfaceOption& operand : of.operands) AddRow(Spelling(operand), operand.description, out);
  std::string group;
  for (const InterfaceOption& option : of.options) {
    if (option.group != group) out += fmt::format("\n{}:\n", option.group);
    group = option.group;
    AddRow(Spelling(option), option.description, out);
  }
  if (!commands.empty()) out += "\nSubcommands:\n";
  for (const InterfaceCommand& command : commands) AddRow(ShortName(command), command.description, out);
  return out + "\n" + of.text;
}

std::string Narrowed(std::string_view help, int width) {
  std::string out;
  while (!help.empty()) {
    const auto line = probe::TakeUpTo(help, '\n');
    out += render::DisplayWidth(line) <= width ? std::string(line) + "\n" : NarrowedLine(line, width);
  }
  return out;
}

std::string_view ShortName(const InterfaceCommand& command) {
  const std::string_view name = command.name;
  return name.substr(name.rfind(' ') + 1);
}

}  // namespace report
