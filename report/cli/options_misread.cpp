// SPDX-License-Identifier: MIT
// What the parser of the command line would take for something else than was written.
#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "probe/core/parse.h"
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

const CLI::App* CommandCalled(const CLI::App& app, const std::string& name) {
  for (const CLI::App* sub : app.get_subcommands({})) {
    if (sub->get_name() == name) return sub;
  }
  return nullptr;
}

// The list that a command takes without an option; nullptr where it takes none.
const CLI::Option* OperandsOf(const CLI::App* command) {
  if (command == nullptr) return nullptr;
  for (const CLI::Option* option : command->get_options()) {
    if (option->get_positional() && option->get_delimiter() != '\0') return option;
  }
  return nullptr;
}

// Takes what the parser takes for one list behind its first word: all up to the next option or command.
std::string TakeList(const CLI::App& app, std::span<const std::string>& rest, std::string list) {
  while (!rest.empty() && !rest.front().starts_with('-') && !CommandCalled(app, rest.front())) {
    list.append(list.empty() ? "" : " ").append(rest.front());
    rest = rest.subspan(1);
  }
  return list;
}

bool HasStrayComma(std::string_view list) {
  if (list.find(',') == std::string_view::npos) return false;
  for (std::size_t from = 0, to = 0; to != std::string_view::npos; from = to + 1) {
    to = list.find(',', from);
    if (probe::Trim(list.substr(from, to - from)).empty()) return true;
  }
  return false;
}

// The parser drops what is empty, where somebody forgot a name, or a variable of a script was empty.
std::optional<probe::Error> WrongList(const std::string& list, const std::string& of,
                                      const std::string& takes) {
  if (!HasStrayComma(list)) return std::nullopt;
  const auto shown = probe::CleanText(list, 64);
  if (list.find_first_not_of(", ") == std::string::npos)
    return Usage(fmt::format("{0}: '{1}' names nothing: {0} {2}", of, shown, takes));
  return Usage(fmt::format(
      "{}: beside a comma of '{}' there is no name: leave the comma out, or say what was meant", of, shown));
}

}  // namespace

std::optional<probe::Error> Misread(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = nullptr;
  bool is_behind_mark = false;
  for (std::span<const std::string> rest = words; !rest.empty();) {
    const auto word = rest.front();
    rest = rest.subspan(1);
    is_behind_mark = is_behind_mark || word == "--";
    if (const auto* called = CommandCalled(app, word)) command = called;
    const bool is_named = word.starts_with("--") && !is_behind_mark;
    const auto name = word.substr(0, word.find('='));
    const auto* option = is_named ? OptionOf(app, name) : OperandsOf(command);
    if (option == nullptr || word == "--" || CommandCalled(app, word)) continue;
    const bool has_value = is_named && name.size() < word.size();
    const auto takes = is_named ? option->get_type_name() : option->get_name();
    if (has_value && takes.empty()) return Usage(name + " takes no value");
    if (option->get_delimiter() == '\0') {
      const bool is_next = !takes.empty() && !has_value && !rest.empty() && !rest.front().starts_with('-');
      if (is_next) rest = rest.subspan(1);
      continue;
    }
    const auto first = has_value ? word.substr(name.size() + 1) : is_named ? std::string() : word;
    if (has_value && first.empty()) return Usage(fmt::format("{0} lacks its value: {0} {1}", name, takes));
    if (auto error = WrongList(TakeList(app, rest, first), is_named ? name : command->get_name(), takes))
      return error;
  }
  return std::nullopt;
}

}  // namespace report
