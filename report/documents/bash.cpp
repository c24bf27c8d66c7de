// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "report/documents/documents.h"

namespace report::documents {
namespace {

// Bash takes "--only=cpu" for three words, and "a,b" for one.
constexpr std::string_view kCode = R"bash(
# What the words of kind $1 are that begin as $current does: the others of the arguments, or names of files.
_whichgpu_complete() {
  local kind=$1 chosen= part=$current word
  shift
  case $kind in
    words) mapfile -t COMPREPLY < <(compgen -W "$*" -- "$current") ;;
    list)
      [[ $current == *,* ]] && chosen=${current%,*}, part=${current##*,}
      for word in "$@"; do
        [[ $word == "$part"* && ,$chosen != *,"$word",* ]] && COMPREPLY+=("$chosen$word")
      done
      compopt -o nospace 2>/dev/null
      ;;
    files)
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      compopt -o filenames 2>/dev/null
      ;;
    folders)
      mapfile -t COMPREPLY < <(compgen -d -- "$current")
      compopt -o filenames 2>/dev/null
      ;;
  esac
}

_whichgpu() {
  local current=${COMP_WORDS[COMP_CWORD]} option= command= word kind
  local -i i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    option=
    if [[ $word == -- ]]; then
      _whichgpu_complete $(_whichgpu_operand "$command")
      return
    elif [[ $word == -* ]]; then
      kind=$(_whichgpu_value "$word")
      if [[ $kind ]]; then
        option=$word
        [[ ${COMP_WORDS[i + 1]} == = ]] && i+=1
        i+=1
      fi
    elif [[ ! $command && " $_whichgpu_commands " == *" $word "* ]]; then
      command=$word
    fi
  done
  # It is that value which is being written.
  if [[ $option ]] && ((i > COMP_CWORD)); then
    [[ $current == = ]] && current=
    _whichgpu_complete $kind
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_whichgpu_options "$command")" -- "$current")
  elif [[ $command ]]; then
    _whichgpu_complete $(_whichgpu_operand "$command")
  else
    _whichgpu_complete words $_whichgpu_commands
  fi
}
complete -F _whichgpu whichgpu
)bash";

std::string KindAndWords(const InterfaceOption& option) {
  switch (option.offer) {
    case Offer::kNothing:
      return "nothing";
    case Offer::kFiles:
      return "files";
    case Offer::kFolders:
      return "folders";
    case Offer::kWords:
      break;
  }
  return fmt::format("{} {}", option.has_commas ? "list" : "words", fmt::join(option.words, " "));
}

void AddValues(const InterfaceCommand& of, std::string& out) {
  for (const InterfaceOption& option : of.options) {
    if (option.value.empty()) continue;
    out += fmt::format("    {}) echo '{}' ;;\n", fmt::join(option.names, " | "), KindAndWords(option));
  }
}

std::string NamesOf(const InterfaceCommand& of) {
  std::vector<std::string> names = of.shared;
  for (const InterfaceOption& option : of.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return fmt::format("{}", fmt::join(names, " "));
}

}  // namespace

std::string BashCompletion(const Interface& all) {
  std::vector<std::string_view> commands;
  std::string options = fmt::format("    '') echo '{}' ;;\n", NamesOf(all.program));
  std::string operands;
  std::string values;
  AddValues(all.program, values);
  for (const InterfaceCommand& command : all.commands) {
    const auto name = ShortName(command);
    commands.push_back(name);
    options += fmt::format("    {}) echo '{}' ;;\n", name, NamesOf(command));
    AddValues(command, values);
    if (!command.operands.empty())
      operands += fmt::format("    {}) echo '{}' ;;\n", name, KindAndWords(command.operands.front()));
  }
  constexpr std::string_view kTable = "\n_whichgpu_{}() {{\n  case $1 in\n{}  esac\n}}\n";
  auto out = fmt::format(
      "# bash completion for whichgpu                             -*- shell-script -*-\n"
      "# Made of what --help knows.\n_whichgpu_commands='{}'\n",
      fmt::join(commands, " "));
  out += "\n# The options of a command, and what the values of options and the operands of commands can be.";
  out += fmt::format(kTable, "options", options);
  out += fmt::format(kTable, "value", values);
  out += fmt::format(kTable, "operand", operands);
  return out.append(kCode);
}

}  // namespace report::documents
