// SPDX-License-Identifier: MIT
// The command line: what was asked for, or one sentence on what is wrong with it. Looks at nothing but the
// arguments and the names of the registered modules.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probe/core/names.h"
#include "probe/core/result.h"
#include "report/cli/interface.h"
#include "report/core/query.h"
#include "report/core/report.h"
#include "report/core/run_request.h"
#include "report/render/terminal.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own
class App;
}

namespace report {

enum class Command { kReport, kList, kRecommend, kQuery, kCompare, kDescribe, kSchema };
enum class Format { kPlain, kJson, kShell, kEnv, kCMake, kPip, kDockerfile };

struct Options {
  Command command = Command::kReport;
  RunRequest run;                           // all but its workload, which stands in a file
  std::optional<std::string> request_file;  // what to predict in the place of the reference request
  bool json = false;
  bool exit_code = false;
  render::ColourChoice colour = render::ColourChoice::kAuto;
  bool details = false;  // the whole report in the place of one screen
  bool verbose = false;
  Format format = Format::kPlain;      // recommend
  bool why = false;                    // recommend: the reasons too, on stderr
  std::optional<std::string> require;  // recommend: "gpu" or a runtime's name
  std::optional<std::string> target;   // recommend: the program, whose table stands in a file
  std::optional<std::string> tables;   // recommend: the folder that has it, before this build's
  QueryRequest query;                  // query
  std::optional<std::string> html;     // report, compare: a file for their page
  std::optional<std::string> svg;      // report: a file for its rooflines
  std::string base;                    // compare: the files
  std::string other;
  std::vector<std::string> words;     // describe: one word of the report, of several words
  std::optional<std::string> schema;  // schema: whose
};

// What to do with a command line: run it, or print `text` on stdout and stop (--help, --version).
struct Invocation {
  std::optional<Options> options;
  std::string text;
};

// The error's text is one line for stderr: what was wrong, what would be right. modules: names that --only
// and --skip accept; version: what --version prints.
[[nodiscard]] probe::Result<Invocation> ParseArguments(std::span<const std::string> arguments,
                                                       std::span<const std::string> modules,
                                                       const std::string& version);

// All that it knows. `modules` as above.
[[nodiscard]] Interface DescribeInterface(std::span<const std::string> modules);

// "whichgpu 0.2.0 (needs glibc 2.34 or newer)".
[[nodiscard]] std::string VersionText(const std::string& version);

// The command's name in JSON: "report", "list", "recommend", "query", "compare", "describe",
// "schema".
[[nodiscard]] std::string_view NameOfCommand(Command command);

// What the parser fills before it is checked.
struct RawOptions {
  Options options;  // those that need no check, and the command
  std::string color = "auto";
  std::string use = "inference";
  std::string format = "plain";
  std::string policy = "minimum";
  std::optional<std::string> budget;
  std::optional<std::string> timeout;
  std::optional<std::string> min_memory;
  std::optional<std::string> can;
  std::optional<std::string> machine;
  bool quick = false;
  bool thorough = false;
  bool no_calibrate = false;
  bool no_cache = false;
  bool csv = false;  // query
  bool tsv = false;
  bool markdown = false;
};

// An error in what the user wrote.
[[nodiscard]] inline probe::Error Usage(std::string text) { return {"", std::nullopt, "", std::move(text)}; }

// Fills the rest of raw.options; or says what is wrong with the first word that is, and what would be right.
// `modules` are the names that --only and --skip know.
[[nodiscard]] std::optional<probe::Error> CheckOptions(RawOptions& raw, std::span<const std::string> modules);

// A runtime's token or one of `others`; the error lists all, and names the token where a maker was named.
[[nodiscard]] std::optional<probe::Error> CheckToken(const std::string& word, const char* option,
                                                     std::vector<std::string> others = {});

// The part of it that says what query prints. The fields' names are those of report/render/fields.h.
[[nodiscard]] std::optional<probe::Error> CheckQuery(RawOptions& raw);

// The part that says which pages are kept in files (options_pages.cpp).
void AddPageOptions(CLI::App& app, RawOptions& raw);
[[nodiscard]] std::optional<probe::Error> CheckPageOptions(const Options& options);

// What the parser takes for something else: a value of a flag for whether it is given, a list of which
// nothing is left for one whose value follows, and one with a stray comma for one without.
[[nodiscard]] std::optional<probe::Error> Misread(const CLI::App& app, const std::vector<std::string>& words);

// The part of it that says what an answer has to be.
[[nodiscard]] std::optional<probe::Error> CheckTerms(RawOptions& raw);

}  // namespace report

namespace probe {

WHICHGPU_NAMES(report::Format, {kPlain, "plain"}, {kJson, "json"}, {kShell, "shell"}, {kEnv, "env"},
               {kCMake, "cmake"}, {kPip, "pip"}, {kDockerfile, "dockerfile"})
WHICHGPU_NAMES(report::render::ColourChoice, {kAuto, "auto"}, {kAlways, "always"}, {kNever, "never"})

}  // namespace probe
