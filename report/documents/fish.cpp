// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "report/documents/documents.h"

namespace report::documents {
namespace {

constexpr std::string_view kCode = R"fish(# fish completion for whichgpu.
# Made of what --help knows.

# The arguments that are not in the list yet which is being written, behind those that are.
function __whichgpu_list
    set -l chosen (commandline -ct | string replace -r '^--[a-z-]+=' '' | string match -r '.*,')
    for word in $argv
        string match -q -- "*,$word,*" ",$chosen"
        or echo "$chosen$word"
    end
end

)fish";

std::string Quoted(std::string_view text) {
  std::string out = "'";
  for (const char letter : text) {
    if (letter == '\'' || letter == '\\') out += '\\';
    out += letter;
  }
  return out + "'";
}

// What follows "complete -c whichgpu -n CONDITION".
std::string Values(const InterfaceOption& option) {
  switch (option.offer) {
    case Offer::kNothing:
      return " -x";
    case Offer::kFiles:
      return " -r -F";
    case Offer::kFolders:
      return " -x -a '(__fish_complete_directories)'";
    case Offer::kWords:
      break;
  }
  const auto words = fmt::format("{}", fmt::join(option.words, " "));
  return " -x -a " + Quoted(option.has_commas ? fmt::format("(__whichgpu_list {})", words) : words);
}

std::string Complete(std::string_view condition, const InterfaceOption& option) {
  auto out = fmt::format("complete -c whichgpu -n {}", Quoted(condition));
  for (const std::string& name : option.names) {
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.names.empty()) out += " -d " + Quoted(option.description);
  if (!option.value.empty()) {
    const auto values = Values(option);
    // -x is for values of options: an operand has files beside it unless they are refused, as all are above.
    out += option.names.empty() && values.starts_with(" -x") ? values.substr(3)
           : option.names.empty()                            ? " -F"
                                                             : values;
  }
  return out + "\n";
}

}  // namespace

std::string FishCompletion(const Interface& all) {
  std::vector<std::string_view> names;
  names.reserve(all.commands.size());
  for (const InterfaceCommand& command : all.commands) names.push_back(ShortName(command));
  const auto none = fmt::format("not __fish_seen_subcommand_from {}", fmt::join(names, " "));
  std::string out(kCode);
  out += "complete -c whichgpu -f\n";
  for (const InterfaceCommand& command : all.commands) {
    out += fmt::format("complete -c whichgpu -n {} -a {} -d {}\n", Quoted(none), ShortName(command),
                       Quoted(command.description));
  }
  for (const InterfaceOption& option : all.program.options) out += Complete(none, option);
  for (const InterfaceCommand& command : all.commands) {
    const auto here = fmt::format("__fish_seen_subcommand_from {}", ShortName(command));
    for (const InterfaceOption& option : command.options) out += Complete(here, option);
    for (const std::string& name : command.shared) out += Complete(here, OptionNamed(all, name));
    for (const InterfaceOption& operand : command.operands) out += Complete(here, operand);
  }
  return out;
}

}  // namespace report::documents
