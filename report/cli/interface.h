// SPDX-License-Identifier: MIT
// What the command line offers, as data: --help, the manual pages and the completions of shells are made of
// it.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11 calls it so
class App;
}

namespace report {

// What a shell can offer for a value: words that are known, or names in the file system.
enum class Offer { kNothing, kWords, kFiles, kFolders };

struct InterfaceOption {
  std::vector<std::string> names;  // "-h", "--help"; none of an operand
  std::string value;               // how its value or the operand is called: "NAMES"; "" of a flag
  std::string description;
  std::string group;
  bool is_list = false;     // several values: between commas, or operands
  bool has_commas = false;  // commas divide them
  bool repeats = false;     // it may stand more than once
  bool is_required = false;
  Offer offer = Offer::kNothing;
  std::vector<std::string> words;  // of Offer::kWords
};

struct InterfaceCommand {
  std::string name;  // as it is called: "whichgpu", "whichgpu list"
  std::string description;
  std::string text;  // the text of data/help
  std::vector<InterfaceOption> operands;
  std::vector<InterfaceOption> options;  // its own; those of one group stand together
  std::vector<std::string> shared;       // of a command: those of the program that it takes, by their names
};

struct Interface {
  InterfaceCommand program;
  std::vector<InterfaceCommand> commands;
};

// Of what the parser was told. `modules`: see ParseArguments.
[[nodiscard]] InterfaceCommand InterfaceOf(const CLI::App& app, std::string name,
                                           std::span<const std::string> modules);

// What --help prints; ends in a newline. `commands` are the program's, or none.
[[nodiscard]] std::string HelpText(const InterfaceCommand& of, std::span<const InterfaceCommand> commands);
// The same within a terminal of that width: descriptions stay in their column as long as half of it is left
// for them, and else go below their options.
[[nodiscard]] std::string Narrowed(std::string_view help, int width);

// The last word of the command's name: "list".
[[nodiscard]] std::string_view ShortName(const InterfaceCommand& command);

// What can stand for a value that is called so: "--only", or an operand's "FIELDS"; none where that is not a
// list of words.
[[nodiscard]] std::vector<std::string> WordsFor(const std::string& name,
                                                std::span<const std::string> modules);

}  // namespace report
