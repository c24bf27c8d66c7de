// SPDX-License-Identifier: MIT
#include "report/cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "data/help.h"
#include <CLI/CLI.hpp>

#include "probe/core/text.h"
#include "report/cli/elf_requirements.h"
#include "report/cli/interface.h"
#include "report/core/report_names.h"
#include "report/core/suggest.h"
#include "report/core/targets.h"

namespace report {
namespace {

constexpr std::string_view kProgram = "whichgpu";
constexpr std::array<std::pair<Command, std::string_view>, 7> kCommands = {{
    {Command::kReport, "report"},
    {Command::kList, "list"},
    {Command::kRecommend, "recommend"},
    {Command::kQuery, "query"},
    {Command::kCompare, "compare"},
    {Command::kDescribe, "describe"},
    {Command::kSchema, "schema"},
}};

// The command whose operand is the name of another.
constexpr const char* kNamesCommands = "schema";

// `text` of data/help is what --help says last.
CLI::App* AddCommand(CLI::App& app, const char* name, const char* description, std::string_view text) {
  return app.add_subcommand(name, description)->fallthrough()->footer(std::string(text));
}

void AddDetectionOptions(CLI::App& app, RawOptions& raw) {
  Options& options = raw.options;
  app.option_defaults()->group("What to look at");
  app.add_option("--only", options.run.only, "Ask only these modules (comma list)")
      ->delimiter(',')
      ->type_name("NAMES");
  app.add_option("--skip", options.run.skip, "Ask all but these modules")->delimiter(',')->type_name("NAMES");
  app.add_option("--device", options.run.device,
                 "Only this device: an id, the start of one, or part of a name")
      ->type_name("ID");
  app.add_option("--timeout", raw.timeout, "Seconds a module may take to enumerate (10)")->type_name("S");
  app.add_option("--sysroot", options.run.sysroot,
                 "Survey the files below DIR instead of this machine; loads no runtime")
      ->type_name("DIR");
  app.add_option("--assume", options.run.assume, "For another machine, by device: \"name=RTX 3060,os=linux\"")
      ->type_name("WORDS")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--assume-machine", raw.machine, "The same for one that is known by a name: dgx-spark")
      ->type_name("NAME");
  app.add_flag("--retry-crashed", options.run.retry_crashed,
               "Try again what earlier runs never saw the end of");
}

void AddMeasuringOptions(CLI::App& app, RawOptions& raw) {
  app.option_defaults()->group("How to measure");
  app.add_flag("--quick", raw.quick, "Measure for a third of the usual time");
  app.add_flag("--thorough", raw.thorough, "Measure for five times the usual time");
  app.add_option("--budget", raw.budget, "Seconds for all measuring together")->type_name("S");
  app.add_flag("--no-calibrate", raw.no_calibrate, "Measure nothing; answer from facts alone");
  app.add_flag("--measure,--no-cache", raw.no_cache,
               "Measure even where an earlier run's figures still hold");
  app.add_option("--request", raw.options.request_file, "Predict the model of this JSON file (docs/score.md)")
      ->type_name("FILE");
}

void AddOutputOptions(CLI::App& app, RawOptions& raw) {
  Options& options = raw.options;
  app.option_defaults()->group("What to print and keep");
  app.add_flag("--json", options.json, "One JSON object on stdout");
  AddPageOptions(app, raw);
  app.add_option("--record", options.run.record_dir, "Keep everything seen in the new directory DIR")
      ->type_name("DIR");
  app.add_flag("--record-ids", options.run.record_ids, "Keep device UUIDs in a record as they are");
  app.add_option("--replay", options.run.replay_dir, "Answer from a record instead of this machine")
      ->type_name("DIR");
  app.add_flag("--exit-code", options.exit_code,
               "Exit with 0: usable GPU, 10: none, 11: one not usable, 12: not known");
  app.add_option("--color", raw.color, "auto, always or never")->type_name("WHEN");
  app.add_flag("--details", options.details,
               "The whole report: devices, figures, rankings, what was not used");
  app.add_flag("--verbose", options.verbose, "That with every way that was tried, every path and sample");
  app.option_defaults()->group("Options");
}

void AddRecommend(CLI::App& app, RawOptions& raw) {
  Terms& terms = raw.options.run.terms;
  CLI::App* recommend =
      AddCommand(app, "recommend", "The one backend to use, for scripts", data::help::kRecommend);
  recommend->add_option("--for", raw.use, "inference, prefill, decode or training")->type_name("USE");
  recommend->add_option("--format", raw.format, "plain, json, shell, env, cmake, pip or dockerfile")
      ->type_name("HOW");
  recommend->add_flag("--why", raw.options.why, "The reasons too, on stderr");
  recommend
      ->add_option("--require", raw.options.require,
                   "Exit with 1 unless the answer is this runtime, or a gpu")
      ->type_name("WHAT");
  recommend->add_option("--among", terms.among, "Choose from these backends alone: what you have builds for")
      ->delimiter(',')
      ->type_name("NAMES");
  recommend->add_option("--exclude", terms.exclude, "Choose none of these backends and devices")
      ->delimiter(',')
      ->type_name("NAMES");
  recommend->add_option("--min-memory", raw.min_memory, "Choose only where so much memory can be used: 12GiB")
      ->type_name("SIZE");
  recommend->add_option("--target", raw.options.target, "What is to run: pytorch, llama.cpp, ollama, ...")
      ->type_name("NAME");
  recommend
      ->add_option("--policy", raw.policy,
                   "Of its builds: minimum (the driver runs it) or tested (by its makers)")
      ->type_name("WHICH");
  recommend->add_option("--tables", raw.options.tables, "A folder with newer tables of such programs")
      ->type_name("DIR");
  recommend->add_option("--can", raw.can, "Exit with 1 unless this backend works here, be it the best or not")
      ->type_name("NAME");
}

void AddQuery(CLI::App& app, RawOptions& raw) {
  QueryRequest& query = raw.options.query;
  CLI::App* command = AddCommand(app, "query", "Single fields, a line a device: name, driver, tokens_per_s",
                                 data::help::kQuery);
  command->add_option("FIELDS", query.fields, "What to print, in this order (--list-fields)")
      ->delimiter(',')
      ->type_name("");
  command->add_flag("--list-fields", query.list, "Name the fields that there are, with units");
  command->add_flag("--best", query.best, "The first line alone: the answer's device");
  command->add_flag("--gpu", query.gpus, "Lines of GPUs alone");
  command->add_flag("--usable", query.usable, "Lines of what works alone; exit code 1 where nothing does");
  command->add_flag("--all", query.all, "A line for every way, not for a device's best alone");
  command->add_option("--backend", query.backends, "Lines of these backends alone, usable or not")
      ->delimiter(',')
      ->type_name("NAMES");
  command->add_flag("--csv", raw.csv, "With a head, as RFC 4180 has it");
  command->add_flag("--tsv", raw.tsv, "With a head; tabs between");
  command->add_flag("--markdown", raw.markdown, "As a table of Markdown");
}

// Commands that look at no machine.
void AddBookish(CLI::App& app, RawOptions& raw) {
  CLI::App* compare =
      AddCommand(app, "compare", "What became slower or faster between two reports", data::help::kCompare);
  compare->add_option("A.json", raw.options.base, "What 'whichgpu --json' printed before")
      ->required()
      ->type_name("");
  compare->add_option("B.json", raw.options.other, "What it printed after")->required()->type_name("");
  AddCommand(app, "describe", "What a word of the report means", data::help::kDescribe)
      ->add_option("WORD", raw.options.words,
                   "A figure, as the report or JSON names it; without one all of them")
      ->type_name("");
  AddCommand(app, kNamesCommands, "The schema of a command's JSON", data::help::kSchema)
      ->add_option("COMMAND", raw.options.schema, "Whose; without one the names of all that have one")
      ->type_name("");
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

std::vector<std::string> CommandNames() {
  std::vector<std::string> commands;
  for (const auto& [command, name] : kCommands) {
    if (command != Command::kReport) commands.emplace_back(name);
  }
  return commands;
}

// A command line around "--", behind which nothing is an option or a command, POSIX utility syntax guideline
// 10.
struct Divided {
  std::vector<std::string> parsed;    // by the parser
  std::vector<std::string> operands;  // behind the mark
  bool are_refused = false;           // operands, which are not in `parsed` then
};

// Only these have operands. Elsewhere the parser would look for options and commands among them.
Divided DivideAtMark(std::vector<std::string> arguments) {
  const auto mark = std::find(arguments.begin(), arguments.end(), "--");
  if (mark == arguments.end()) return {std::move(arguments), {}};
  Divided out{{}, {mark + 1, arguments.end()}};
  const auto is_operand_command = [](const std::string& word) {
    return word == "compare" || word == "query" || word == "describe" || word == kNamesCommands;
  };
  const bool has_operands = std::find_if(arguments.begin(), mark, is_operand_command) != mark;
  if (!has_operands || out.operands.empty()) arguments.erase(mark, arguments.end());
  out.are_refused = !has_operands && !out.operands.empty();
  out.parsed = std::move(arguments);
  return out;
}

probe::Error TakesNo(const CLI::App& app, const std::string& word) {
  const auto given = app.get_subcommands();
  if (given.empty())
    return Usage(
        fmt::format("'{}' stands behind '--', where no command is looked for; the report takes no names",
                    probe::CleanText(word, 64)));
  const auto programs = TargetNames();
  const bool is_program = given.front()->get_name() == "recommend" &&
                          std::find(programs.begin(), programs.end(), word) != programs.end();
  return Usage(fmt::format("{} takes no '{}'{}", given.front()->get_name(), probe::CleanText(word, 64),
                           is_program ? fmt::format("; --target {} asks for that program", word) : ""));
}

// The first of the operands that has no place. Behind the mark CLI11 2.1 passes over one that is called as a
// command is.
std::optional<std::string> PassedOver(const CLI::App& command, const std::vector<std::string>& operands) {
  std::vector<std::string> taken;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) return std::nullopt;
    taken.insert(taken.end(), option->results().begin(), option->results().end());
  }
  for (const std::string& operand : operands) {
    const auto place = std::find(taken.begin(), taken.end(), operand);
    if (place == taken.end()) return operand;
    taken.erase(place);
  }
  return std::nullopt;
}

// The first of the arguments that nothing accepted, with what was probably meant.
probe::Error Unexpected(const CLI::App& app, std::string word, const std::vector<std::string>& operands) {
  if (std::find(operands.begin(), operands.end(), word) != operands.end()) return TakesNo(app, word);
  if (!word.starts_with("-")) {
    const auto shown = probe::CleanText(word, 64);
    const auto& uses = probe::EnumNames<Use>::kNames;
    if (std::any_of(uses.begin(), uses.end(), [&](const auto& row) { return row.second == word; }))
      return Usage(fmt::format("'{0}' is no command; did you mean 'recommend --for {0}'?", shown));
    if (!app.get_subcommands().empty()) return TakesNo(app, word);
    return Usage(fmt::format("there is no command '{}'{}", shown, Hint(word, CommandNames())));
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

// What schema is asked for is called as the commands are: behind the mark the parser takes it for none.
std::vector<std::string> WithNamesBehindMark(std::vector<std::string> words) {
  const auto is_command = [](const std::string& word) {
    return std::any_of(kCommands.begin(), kCommands.end(),
                       [&](const auto& known) { return known.second == word; });
  };
  if (words.empty() || words.front() != kNamesCommands) return words;
  const auto mark = std::find(words.begin(), words.end(), "--");
  const auto names = std::stable_partition(words.begin() + 1, mark,
                                           [&](const std::string& word) { return !is_command(word); });
  if (names != mark) words.insert(names, "--");
  return words;
}

// 'help', 'help COMMAND' and 'version' are words for the flags.
probe::Result<std::vector<std::string>> Spelled(std::span<const std::string> arguments) {
  auto spelled = WithNamesBehindMark({arguments.begin(), arguments.end()});
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

// What looks at no machine: an option that says how to look at one would be ignored.
struct Bookish {
  std::string_view command;
  std::string_view takes;
  std::string_view usage;
  std::vector<std::string_view> options;
};

std::span<const Bookish> BookishCommands() {
  static const std::array kAll = {
      Bookish{"compare", "two files", "compare A.json B.json", {"--json", "--html", "--color", "--verbose"}},
      Bookish{"describe", "a word of the report", "describe noisy", {"--json", "--color"}},
      Bookish{kNamesCommands, "the name of a command", "schema report", {}}};
  return kAll;
}

std::optional<probe::Error> Misplaced(const CLI::App& app) {
  for (const Bookish& of : BookishCommands()) {
    if (!app.got_subcommand(std::string(of.command))) continue;
    for (const CLI::Option* option : app.get_options()) {
      const auto name = option->get_name();
      if (option->count() > 0 && std::find(of.options.begin(), of.options.end(), name) == of.options.end())
        return Usage(
            fmt::format("{} takes {} and no {}: 'whichgpu {}'", of.command, of.takes, name, of.usage));
    }
  }
  return std::nullopt;
}

void Define(CLI::App& app, RawOptions& raw, const std::string& version) {
  app.description("Which compute backend to use here, how fast it really is, and why one does not work");
  app.name(std::string(kProgram));
  app.footer(std::string(data::help::kReport));
  app.set_version_flag("--version", version);
  app.allow_extras();
  app.fallthrough();
  AddDetectionOptions(app, raw);
  AddMeasuringOptions(app, raw);
  AddOutputOptions(app, raw);
  AddCommand(app, "list", "What is here; no kernel runs", data::help::kList);
  AddRecommend(app, raw);
  AddQuery(app, raw);
  AddBookish(app, raw);
}

// Of the program's own options those that the command takes.
std::vector<std::string> SharedWith(std::string_view command, const InterfaceCommand& program) {
  for (const Bookish& of : BookishCommands()) {
    if (of.command == command) return {of.options.begin(), of.options.end()};
  }
  std::vector<std::string> all;
  for (const InterfaceOption& option : program.options) all.push_back(option.names.back());
  return all;
}

Interface InterfaceOfAll(const CLI::App& app, std::span<const std::string> modules) {
  Interface all{InterfaceOf(app, std::string(kProgram), modules), {}};
  for (const CLI::App* sub : app.get_subcommands({})) {
    auto command = InterfaceOf(*sub, fmt::format("{} {}", kProgram, sub->get_name()), modules);
    command.shared = SharedWith(sub->get_name(), all.program);
    for (const InterfaceOption& own : command.options) std::erase(command.shared, own.names.back());
    all.commands.push_back(std::move(command));
  }
  return all;
}

std::string HelpFor(const CLI::App& app, std::span<const std::string> modules) {
  const auto all = InterfaceOfAll(app, modules);
  const auto parsed = app.get_subcommands();
  if (parsed.empty()) return HelpText(all.program, all.commands);
  const auto command = std::find_if(all.commands.begin(), all.commands.end(), [&](const auto& known) {
    return ShortName(known) == parsed.front()->get_name();
  });
  return HelpText(*command, {});
}

// What the parser says of an option, in words that are the same in every version of it.
probe::Error Malformed(CLI::App& app, std::string text) {
  if (auto error = Misplaced(app)) return *error;
  const auto start = std::min(text.find("--"), text.size());
  const auto name = text.substr(start, text.find_first_not_of("-abcdefghijklmnopqrstuvwxyz", start) - start);
  auto apps = app.get_subcommands();
  apps.push_back(&app);
  for (const CLI::App* of : apps) {
    const auto* option = of->get_option_no_throw(name);
    if (!option) continue;
    if (option->get_type_name().empty()) return Usage(name + " takes no value");
    if (option->count() > 1) return Usage(name + " stands more than once, and has one value");
    return Usage(fmt::format("{0} lacks its value: {0} {1}", name, option->get_type_name()));
  }
  if (app.got_subcommand("compare"))
    return Usage("compare takes two files: 'whichgpu compare A.json B.json'");
  std::replace(text.begin(), text.end(), '\n', ' ');
  return Usage(probe::CleanText(text, 300));
}

}  // namespace

std::string VersionText(const std::string& version) {
  const auto needed = NewestGlibcNeeded();
  return fmt::format("whichgpu {}{}", version,
                     needed ? fmt::format(" (needs glibc {} or newer)", *needed) : "");
}

Interface DescribeInterface(std::span<const std::string> modules) {
  RawOptions raw;
  CLI::App app;
  Define(app, raw, "");
  return InterfaceOfAll(app, modules);
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
  const Divided divided = DivideAtMark(*spelled);
  RawOptions raw;
  CLI::App app;
  Define(app, raw, version);
  if (auto error = Misread(app, divided.parsed)) return *error;
  try {
    app.parse(std::vector<std::string>(divided.parsed.rbegin(), divided.parsed.rend()));
  } catch (const CLI::Success& request) {
    if (request.get_name() == "CallForVersion") return Invocation{std::nullopt, version + "\n"};
    return Invocation{std::nullopt, HelpFor(app, modules)};
  } catch (const CLI::ParseError& error) {
    return Malformed(app, error.what());
  }
  if (auto error = Misplaced(app)) return *error;
  auto rest = app.remaining(true);
  std::erase(rest, "--");
  if (!rest.empty()) return Unexpected(app, rest.front(), divided.operands);
  if (divided.are_refused) return TakesNo(app, divided.operands.front());
  if (const auto given = app.get_subcommands(); given.size() > 1) {
    return Usage(
        fmt::format("{} and {} are two commands; one at a time", given[0]->get_name(), given[1]->get_name()));
  }
  for (const CLI::App* command : app.get_subcommands()) {
    if (const auto word = PassedOver(*command, divided.operands)) return TakesNo(app, *word);
  }
  for (const auto& [command, name] : kCommands) {
    if (command != Command::kReport && app.get_subcommand(std::string(name))->parsed())
      raw.options.command = command;
  }
  if (auto error = CheckOptions(raw, modules)) return *error;
  return Invocation{raw.options, ""};
}

}  // namespace report
