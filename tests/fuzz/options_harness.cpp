// SPDX-License-Identifier: MIT
// Command lines: arguments with a zero byte between them, as a process gets them.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "report/cli/options.h"
#include "report/core/tables.h"
#include "tests/fuzz/fuzz.h"

namespace {

using fuzz::Require;

constexpr double kLongestSeconds = 86400;

bool IsToken(const std::string& name) { return report::Find(*report::EmbeddedTables(), name) != nullptr; }

void CheckTerms(const report::Terms& terms) {
  Require(std::all_of(terms.among.begin(), terms.among.end(), IsToken), "--among names runtimes");
  Require(!terms.can || terms.among.size() == 1, "--can asks of one runtime");
  Require(
      std::none_of(terms.exclude.begin(), terms.exclude.end(), [](const auto& word) { return word.empty(); }),
      "--exclude names something");
  Require(terms.min_memory_bytes.value_or(1) > 0, "--min-memory is a size");
}

void CheckOptions(const report::Options& options) {
  for (const auto& seconds : {options.run.budget_s, options.run.timeout_s}) {
    Require(!seconds || (*seconds > 0 && *seconds <= kLongestSeconds), "a time is above 0 and up to a day");
  }
  CheckTerms(options.run.terms);
  Require(options.run.only.empty() || options.run.skip.empty(), "--only and --skip exclude each other");
  Require(!options.run.replay_dir || !options.run.record_dir, "--replay and --record exclude each other");
  Require((options.command == report::Command::kCompare) == !options.base.empty() || options.other.empty() ||
              options.base.empty(),
          "compare alone has files");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::array<std::string, 3> modules = {"cpu", "vulkan", "sysfs"};
  constexpr std::size_t kMaxArguments = 64;
  fuzz::Input input(data, size);
  std::vector<std::string> arguments;
  while (!input.empty() && arguments.size() < kMaxArguments) arguments.emplace_back(input.Piece('\0'));
  const auto parsed = report::ParseArguments(arguments, modules, "whichgpu 1");
  if (!parsed) {
    Require(!parsed.error().text.empty(), "an error says something");
    fuzz::RequireLine(parsed.error().text);
    return 0;
  }
  Require(parsed->options.has_value() == parsed->text.empty(), "either options or a text to print",
          parsed->text);
  Require(fuzz::IsHarmless(parsed->text, "\n"), "help is plain text", parsed->text);
  if (parsed->options) CheckOptions(*parsed->options);
  return 0;
}
