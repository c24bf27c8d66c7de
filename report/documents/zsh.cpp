// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "report/documents/documents.h"

namespace report::documents {
namespace {

constexpr std::string_view kCode = R"zsh(
_whichgpu() {
  local curcontext=$curcontext state line
  _arguments -C -S $_whichgpu_program '1: :->command' '*:: :->operands'
  case $state in
    command) _describe -t commands command _whichgpu_commands ;;
    operands) _arguments -S ${(P)${:-_whichgpu_of_$line[1]}} ;;
  esac
}

if [[ $funcstack[1] == _whichgpu ]]; then
  _whichgpu "$@"
else
  compdef _whichgpu whichgpu
fi
)zsh";

// In single quotes; of a specification of _arguments, in which `special` divide its parts.
std::string Escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char letter : text) {
    if (letter == '\'') {
      out += "'\\''";
      continue;
    }
    if (special.find(letter) != std::string_view::npos || letter == '\\') out += '\\';
    out += letter;
  }
  return out;
}

std::string Action(const InterfaceOption& option) {
  switch (option.offer) {
    case Offer::kNothing:
      return " ";
    case Offer::kFiles:
      return "_files";
    case Offer::kFolders:
      return "_files -/";
    case Offer::kWords:
      break;
  }
  if (option.has_commas) return fmt::format("_sequence compadd - {}", fmt::join(option.words, " "));
  return fmt::format("({})", fmt::join(option.words, " "));
}

std::string Specifications(const InterfaceOption& option) {
  std::string out;
  for (const std::string& name : option.names) {
    std::vector<std::string> others = option.names;
    const bool is_value = !option.value.empty();
    out +=
        fmt::format("  '{}{}{}[{}]{}'\n", option.repeats ? "*" : fmt::format("({})", fmt::join(others, " ")),
                    name, is_value && name.starts_with("--") ? "=" : "", Escaped(option.description, "[]:"),
                    is_value ? fmt::format(":{}:{}", Escaped(option.value, ":"), Action(option)) : "");
  }
  return out;
}

std::string Operand(const InterfaceOption& option) {
  return fmt::format("  '{}:{}:{}'\n", option.is_list ? "*" : "", Escaped(option.value, ":"), Action(option));
}

}  // namespace

std::string ZshCompletion(const Interface& all) {
  std::string commands;
  std::string arrays = "_whichgpu_program=(\n";
  for (const InterfaceOption& option : all.program.options) arrays += Specifications(option);
  arrays += ")\n";
  for (const InterfaceCommand& command : all.commands) {
    commands += fmt::format("  '{}:{}'\n", ShortName(command), Escaped(command.description, ":"));
    arrays += fmt::format("_whichgpu_of_{}=(\n", ShortName(command));
    for (const InterfaceOption& option : command.options) arrays += Specifications(option);
    for (const std::string& name : command.shared) arrays += Specifications(OptionNamed(all, name));
    for (const InterfaceOption& operand : command.operands) arrays += Operand(operand);
    arrays += ")\n";
  }
  return fmt::format(
             "#compdef whichgpu\n# Made of what --help knows.\n\n"
             "typeset -ga _whichgpu_commands _whichgpu_program\n_whichgpu_commands=(\n{})\n{}",
             commands, arrays)
      .append(kCode);
}

}  // namespace report::documents
