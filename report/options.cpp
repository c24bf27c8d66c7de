// SPDX-License-Identifier: MIT
#include "report/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include <CLI/CLI.hpp>

#include "probe/core/text.h"
#include "probe/system/elf_requirements.h"
#include "report/core/report_names.h"
#include "report/core/tables.h"
#include "report/suggest.h"

namespace report {
namespace {

constexpr std::array<std::pair<Command, std::string_view>, 4> kCommands = {{
    {Command::kReport, "report"},
    {Command::kList, "list"},
    {Command::kRecommend, "recommend"},
    {Command::kCompare, "compare"},
}};

constexpr const char* kFooter = R"help(
Examples:
  whichgpu                            what is here, how fast it is, what to use
  whichgpu list --json                what is here, for scripts; no kernel runs
  whichgpu recommend --for training   one token, such as cuda
  whichgpu compare a.json b.json      what became slower between two reports
  whichgpu --record DIR               keep everything seen, for a bug report

Exit codes: 0 an answer was given, 1 a requirement is not met or a figure is slower,
2 bad usage or input, 3 internal error. 'whichgpu COMMAND --help' tells more.)help";

constexpr const char* kListFooter = R"help(
Hardware, the runtimes that reach it and the drivers that do not work, without
running a kernel. --only, --skip, --device, --json, --sysroot, --record and
--replay apply: see 'whichgpu --help'.

Examples:
  whichgpu list
  whichgpu list --json --only vulkan,opencl
  whichgpu list --sysroot /mnt/other-machine)help";

constexpr const char* kRecommendFooter = R"help(
One token of a closed set (docs/scripts.md). A valid answer is success (0), also
"use the CPU". An earlier run's measurements answer at once where nothing has
changed; else this measures for seconds. --no-cache, --no-calibrate, --device,
--replay and more apply: see 'whichgpu --help'.

Examples:
  whichgpu recommend                               one token
  whichgpu recommend --for decode --why            the reasons too
  eval "$(whichgpu recommend --format shell)"      $WHICHGPU_BACKEND and three more
  whichgpu recommend --require gpu || exit 1       fail where it is the CPU)help";

constexpr const char* kCompareFooter = R"help(
A figure is slower (exit code 1) where the 95 % intervals do not meet and it lost
more than 10 %; noisy figures never are. --json gives every row, --verbose lists
those that stayed the same.

Examples:
  whichgpu --json > before.json
  whichgpu --json > after.json
  whichgpu compare before.json after.json)help";

// What the parser fills before it is checked.
struct Raw {
  Options options;
  std::string color = "auto";
  std::string use = "inference";
  std::string format = "plain";
  std::optional<std::string> budget;
  std::optional<std::string> timeout;
  bool quick = false;
  bool thorough = false;
  bool no_calibrate = false;
  bool no_cache = false;
};

void AddDetectionOptions(CLI::App& app, Raw& raw) {
  Options& options = raw.options;
  app.option_defaults()->group("What to look at");
  app.add_option("--only", options.only, "Ask only these modules (comma list)")
      ->delimiter(',')
      ->type_name("NAMES");
  app.add_option("--skip", options.skip, "Ask all but these modules")->delimiter(',')->type_name("NAMES");
  app.add_option("--device", options.device, "Only this device: an id, the start of one, or part of a name")
      ->type_name("ID");
  app.add_option("--timeout", raw.timeout, "Seconds a module may take to enumerate (10)")->type_name("S");
  app.add_option("--sysroot", options.sysroot,
                 "Survey the files below DIR instead of this machine; loads no runtime")
      ->type_name("DIR");
  app.add_flag("--retry-crashed", options.retry_crashed,
               "Try again what took the machine or the tool down before");
}

void AddMeasuringOptions(CLI::App& app, Raw& raw) {
  app.option_defaults()->group("How to measure");
  app.add_flag("--quick", raw.quick, "Measure for a third of the usual time");
  app.add_flag("--thorough", raw.thorough, "Measure for five times the usual time");
  app.add_option("--budget", raw.budget, "Seconds for all measuring together")->type_name("S");
  app.add_flag("--no-calibrate", raw.no_calibrate, "Measure nothing; answer from facts alone");
  app.add_flag("--no-cache", raw.no_cache, "Measure even where an earlier run's figures still hold");
}

void AddOutputOptions(CLI::App& app, Raw& raw) {
  Options& options = raw.options;
  app.option_defaults()->group("What to print and keep");
  app.add_flag("--json", options.json, "One JSON object on stdout");
  app.add_option("--record", options.record_dir, "Keep everything seen in the new directory DIR")
      ->type_name("DIR");
  app.add_flag("--record-ids", options.record_ids, "Keep device UUIDs in a record as they are");
  app.add_option("--replay", options.replay_dir, "Answer from a record instead of this machine")
      ->type_name("DIR");
  app.add_flag("--exit-code", options.exit_code,
               "Exit with 0: usable GPU, 10: none, 11: one that is not usable");
  app.add_option("--color", raw.color, "auto, always or never")->type_name("WHEN");
  app.add_flag("--verbose", options.verbose, "Every way that was tried, every path and sample");
  app.option_defaults()->group("Options");
}

std::vector<std::string> OptionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const CLI::App* sub : app.get_subcommands({})) {
    const auto more = OptionNames(*sub);
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

probe::Error Usage(std::string text) { return {"", std::nullopt, "", std::move(text)}; }

std::vector<std::string> CommandNames() {
  std::vector<std::string> commands;
  for (const auto& [command, name] : kCommands) {
    if (command != Command::kReport) commands.emplace_back(name);
  }
  return commands;
}

// The first argument that nothing accepted, with what was probably meant.
probe::Error Unexpected(const CLI::App& app) {
  std::string word = app.remaining(true).empty() ? "" : app.remaining(true).front();
  if (!word.starts_with("-")) {
    return Usage(
        fmt::format("there is no command '{}'{}", probe::CleanText(word, 64), Hint(word, CommandNames())));
  }
  word = word.substr(0, word.find('='));
  for (const CLI::App* sub : app.get_subcommands({})) {
    if (sub->get_option_no_throw(word) == nullptr) continue;
    return Usage(fmt::format("{0} belongs to {1}: 'whichgpu {1} {0} ...'", probe::CleanText(word, 64),
                             sub->get_name()));
  }
  const auto nearest = Nearest(word, OptionNames(app));
  return Usage(fmt::format("there is no option '{}'{}", probe::CleanText(word, 64),
                           nearest ? fmt::format("; did you mean '{}'?", *nearest) : "; --help lists them"));
}

// 'help', 'help COMMAND' and 'version' are words for the flags.
probe::Result<std::vector<std::string>> Spelled(std::span<const std::string> arguments) {
  std::vector<std::string> spelled(arguments.begin(), arguments.end());
  if (spelled.empty()) return spelled;
  if (spelled.front() == "version") spelled.front() = "--version";
  if (spelled.front() != "help") return spelled;
  const auto commands = CommandNames();
  if (spelled.size() == 1) return std::vector<std::string>{"--help"};
  if (std::find(commands.begin(), commands.end(), spelled[1]) != commands.end())
    return std::vector<std::string>{spelled[1], "--help"};
  return Usage(fmt::format("help: there is no command '{}'{}", probe::CleanText(spelled[1], 64),
                           Hint(spelled[1], commands)));
}

std::optional<probe::Error> CheckNames(const std::vector<std::string>& names, const char* option,
                                       std::span<const std::string> known) {
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return Usage(fmt::format("{}: there is no module '{}'{}", option, probe::CleanText(name, 64),
                               Hint(name, known)));
    }
  }
  return std::nullopt;
}

std::optional<probe::Error> ReadSeconds(const std::optional<std::string>& text, const char* option,
                                        std::optional<double>& out) {
  constexpr double kLongest = 86400;
  if (!text) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size() || !std::isfinite(value) || value <= 0 ||
      value > kLongest) {
    return Usage(fmt::format("{}: '{}' is not a number of seconds above 0 and up to {}", option,
                             probe::CleanText(*text, 64), kLongest));
  }
  out = value;
  return std::nullopt;
}

// A runtime's token or "gpu"; the error lists all, and names the token where a maker was named.
std::optional<probe::Error> CheckRequirement(const std::string& word) {
  const auto tables = EmbeddedTables();
  if (!tables) return tables.error();
  std::vector<std::string> tokens = {"gpu"};
  std::string meant;
  for (const RuntimeFacts& facts : tables->runtimes) {
    tokens.push_back(facts.name);
    if (std::find(facts.names.begin(), facts.names.end(), word) != facts.names.end()) meant = facts.name;
  }
  if (std::find(tokens.begin(), tokens.end(), word) != tokens.end()) return std::nullopt;
  if (meant.empty()) meant = Nearest(word, tokens).value_or("");
  return Usage(fmt::format("--require: '{}' is not a value{}; known are {}", probe::CleanText(word, 64),
                           meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant),
                           fmt::join(tokens, ", ")));
}

// One of `names` that the text must be; the error lists them.
template <class E, std::size_t N>
std::optional<probe::Error> Choose(const std::string& text, const char* option,
                                   const std::array<std::pair<E, std::string_view>, N>& names, E& out) {
  std::vector<std::string> known;
  for (const auto& [value, name] : names) {
    known.emplace_back(name);
    if (name == text) {
      out = value;
      return std::nullopt;
    }
  }
  return Usage(
      fmt::format("{}: '{}' is not a value{}", option, probe::CleanText(text, 64), Hint(text, known)));
}

std::optional<probe::Error> CheckCombination(const Raw& raw) {
  const Options& options = raw.options;
  if (raw.quick && raw.thorough) return Usage("--quick and --thorough exclude each other");
  if (options.replay_dir && options.record_dir) return Usage("--replay and --record exclude each other");
  if (options.replay_dir && options.sysroot != "/") return Usage("--replay and --sysroot exclude each other");
  if (options.exit_code && options.command != Command::kReport && options.command != Command::kRecommend) {
    return Usage(fmt::format("--exit-code belongs to the report and recommend: {} runs no kernel to tell by",
                             NameOfCommand(options.command)));
  }
  if (!options.only.empty() && !options.skip.empty()) return Usage("--only and --skip exclude each other");
  return std::nullopt;
}

std::optional<probe::Error> Check(Raw& raw, std::span<const std::string> modules) {
  using render::ColourChoice;
  constexpr std::array<std::pair<ColourChoice, std::string_view>, 3> kColours = {
      {{ColourChoice::kAuto, "auto"}, {ColourChoice::kAlways, "always"}, {ColourChoice::kNever, "never"}}};
  constexpr std::array<std::pair<Format, std::string_view>, 4> kFormats = {
      {{Format::kPlain, "plain"}, {Format::kJson, "json"}, {Format::kShell, "shell"}, {Format::kEnv, "env"}}};
  Options& options = raw.options;
  if (auto error = CheckNames(options.only, "--only", modules)) return error;
  if (auto error = CheckNames(options.skip, "--skip", modules)) return error;
  if (auto error = ReadSeconds(raw.budget, "--budget", options.budget_s)) return error;
  if (auto error = ReadSeconds(raw.timeout, "--timeout", options.timeout_s)) return error;
  if (auto error = Choose(raw.color, "--color", kColours, options.colour)) return error;
  if (auto error = Choose(raw.use, "--for", probe::EnumNames<Use>::kNames, options.use)) return error;
  if (auto error = Choose(raw.format, "--format", kFormats, options.format)) return error;
  if (options.json && options.format != Format::kPlain && options.format != Format::kJson) {
    return Usage("--json and --format exclude each other");
  }
  options.json = options.json || options.format == Format::kJson;
  if (options.require) {
    if (auto error = CheckRequirement(*options.require)) return error;
  }
  if (auto error = CheckCombination(raw)) return error;
  const bool brief = raw.quick || options.budget_s || options.command == Command::kRecommend;
  options.effort = raw.thorough ? Effort::kThorough : brief ? Effort::kQuick : Effort::kNormal;
  options.cache = !raw.no_cache;
  options.calibrate = !raw.no_calibrate;
  return std::nullopt;
}

// CLI11's help without its double blank lines.
std::string Tidy(std::string text) {
  for (auto at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n")) text.erase(at, 1);
  return text;
}

// CLI11's own sentence, on one line.
std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return probe::CleanText(text, 300);
}

}  // namespace

std::string VersionText(const std::string& version) {
  const auto needed = probe::system::NewestGlibcNeeded();
  return fmt::format("whichgpu {}{}", version,
                     needed ? fmt::format(" (needs glibc {} or newer)", *needed) : "");
}

std::string_view NameOfCommand(Command command) {
  return std::find_if(kCommands.begin(), kCommands.end(),
                      [&](const auto& row) { return row.first == command; })
      ->second;
}

probe::Result<Invocation> ParseArguments(std::span<const std::string> arguments,
                                         std::span<const std::string> modules, const std::string& version) {
  const auto spelled = Spelled(arguments);
  if (!spelled) return spelled.error();
  Raw raw;
  CLI::App app{"Which compute backend to use here, how fast it really is, and why one does not work",
               "whichgpu"};
  app.footer(kFooter);
  app.set_version_flag("--version", version);
  app.allow_extras();
  app.fallthrough();
  AddDetectionOptions(app, raw);
  AddMeasuringOptions(app, raw);
  AddOutputOptions(app, raw);
  app.add_subcommand("list", "What is here; no kernel runs")->fallthrough()->footer(kListFooter);
  CLI::App* recommend = app.add_subcommand("recommend", "The one backend to use, for scripts")->fallthrough();
  recommend->footer(kRecommendFooter);
  recommend->add_option("--for", raw.use, "inference, prefill, decode or training")->type_name("USE");
  recommend->add_option("--format", raw.format, "plain (one token), json, shell or env (for eval)")
      ->type_name("HOW");
  recommend->add_flag("--why", raw.options.why, "The reasons too, on stderr");
  recommend
      ->add_option("--require", raw.options.require,
                   "Exit with 1 unless the answer is this runtime, or a gpu")
      ->type_name("WHAT");
  CLI::App* compare =
      app.add_subcommand("compare", "What became slower or faster between two reports")->fallthrough();
  compare->footer(kCompareFooter);
  compare->add_option("A.json", raw.options.base, "What 'whichgpu --json' printed before")
      ->required()
      ->type_name("");
  compare->add_option("B.json", raw.options.other, "What it printed after")->required()->type_name("");
  try {
    app.parse(std::vector<std::string>(spelled->rbegin(), spelled->rend()));
  } catch (const CLI::Success& request) {
    if (request.get_name() == "CallForVersion") return Invocation{std::nullopt, version + "\n"};
    const auto parsed = app.get_subcommands();
    return Invocation{std::nullopt, Tidy(parsed.empty() ? app.help() : parsed.front()->help("whichgpu"))};
  } catch (const CLI::ParseError& error) {
    return Usage(OneLine(error.what()));
  }
  if (!app.remaining(true).empty()) return Unexpected(app);
  for (const auto& [command, name] : kCommands) {
    if (command != Command::kReport && app.get_subcommand(std::string(name))->parsed())
      raw.options.command = command;
  }
  if (auto error = Check(raw, modules)) return *error;
  return Invocation{raw.options, ""};
}

}  // namespace report
