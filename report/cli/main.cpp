// SPDX-License-Identifier: MIT
// The program: reads the command line, produces a report, prints one face of it, and chooses the exit code.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "probe/core/text.h"
#include "probe/isolate/child.h"
#include "probe/isolate/crash_marker.h"
#include "probe/isolate/interrupt.h"
#include "probe/registry.h"
#include "probe/system/environment.h"
#include "probe/system/limits.h"
#include "probe/system/process.h"
#include "probe/system/this_process.h"
#include "report/cli/options.h"
#include "report/cli/output.h"
#include "report/cli/pages.h"
#include "report/compare/compare.h"
#include "report/core/devices.h"
#include "report/core/tables.h"
#include "report/render/bound.h"
#include "report/render/describe.h"
#include "report/render/faces.h"
#include "report/render/fields.h"
#include "report/render/schema.h"
#include "report/render/terminal.h"
#include "report/run/pipeline.h"
#include "report/run/tasks.h"
#include "report/store/input.h"

namespace {

using report::Command;
using report::Options;
namespace render = report::render;

constexpr int kExitUnmet = 1;
constexpr int kExitUnknown = 4;   // of compare: it cannot tell
constexpr int kSignalBase = 128;  // a shell's code for "ended by signal n"
constexpr std::size_t kMaxMessageBytes = 500;

// The one of this process; nothing before its handlers are installed, when a signal still ends it.
probe::isolate::Interrupt interrupt;

// To stderr, which is nobody's result: what can not be written is not missed.
void Tell(const std::string& text) {
  if (report::Deliver(STDERR_FILENO, text, interrupt) == EINTR) _exit(kSignalBase + interrupt.signal->load());
}

void Say(const std::string& prefix, const std::string& text) {
  Tell(prefix + probe::CleanText(text, kMaxMessageBytes) + "\n");
}

int Complain(const report::Problem& problem) {
  Say("whichgpu: ", problem.text);
  return problem.exit_code;
}

// A failed write is 3. A reader that went away has what it wanted.
int Print(const std::string& text) {
  const int error = report::Deliver(STDOUT_FILENO, text, interrupt);
  if (error == 0) return 0;
  if (error == EINTR) return kSignalBase + interrupt.signal->load();
  const auto limit = probe::system::LimitBehind(error);
  return Complain({report::kExitInternal,
                   "the result can not be written to standard output" + (limit.empty() ? "" : ": " + limit)});
}

int ComplainOfMemory() {
  const auto limit = probe::system::LimitBehind(ENOMEM);
  return Complain({report::kExitInternal, limit.empty() ? "there is not enough memory" : limit});
}

// Where not even an exception has room, nothing may be allocated any more.
[[noreturn]] void EndWithoutException() {
  constexpr std::size_t kLittle = 4096;
  // Volatile, for a compiler may leave out what is only compared with null.
  void* volatile room = std::malloc(kLittle);  // NOLINT(cppcoreguidelines-no-malloc): new would throw
  std::fputs(room ? "whichgpu: internal error\n" : "whichgpu: there is not enough memory (ulimit -v, -d)\n",
             stderr);
  _exit(report::kExitInternal);
}

// What is taken apart after an allocation failed may allocate itself, nlohmann's values do. No driver is to
// blame.
void OnTerminate() {
  probe::isolate::BlankHeldMarkers();
  try {
    const auto thrown = std::current_exception();
    if (!thrown) EndWithoutException();
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    try {
      _exit(ComplainOfMemory());
    } catch (const std::exception&) {
      std::fputs("whichgpu: there is not enough memory\n", stderr);
      _exit(report::kExitInternal);
    }
  } catch (...) {
    std::fputs("whichgpu: internal error\n", stderr);
  }
  _exit(report::kExitInternal);
}

std::terminate_handler of_the_library = nullptr;

// Before the libraries' objects are made, which allocate: nobody could catch what that throws.
[[gnu::constructor(101)]] void HandleTerminateFromTheStart() {
  of_the_library = std::set_terminate(OnTerminate);
}

std::string RecommendText(const Options& options, const report::Report& report) {
  if (options.format == report::Format::kShell) return render::Shell(report);
  if (options.format == report::Format::kEnv) return render::Env(report);
  if (options.format == report::Format::kCMake) return render::CMake(report);
  if (options.format == report::Format::kPip) return render::Pip(report);
  if (options.format == report::Format::kDockerfile) return render::Dockerfile(report);
  if (report.recommendations.empty()) return "";
  const auto& answer = report.recommendations.front();
  return (options.target ? render::TargetLine(answer) : render::Token(answer)) + "\n";
}

std::string Face(const Options& options, const report::Tables& tables, const report::Report& report,
                 const render::TerminalOptions& terminal) {
  if (options.json) return render::Json(report, report::NameOfCommand(options.command));
  switch (options.command) {
    case Command::kReport:
      return options.details || options.verbose ? render::Text(tables, report, terminal)
                                                : render::Screen(tables, report, terminal);
    case Command::kList:
      return render::ListText(tables, report, terminal);
    case Command::kQuery:
    case Command::kCompare:
    case Command::kDescribe:
    case Command::kSchema:
      break;  // have faces of their own
    case Command::kRecommend:
      return RecommendText(options, report);
  }
  return "";
}

// Why the format has nothing for the build: "had by no command and in no image". The lines of a Dockerfile
// run in Linux.
std::string WhyNotInFormat(report::Format format, const report::Report& report) {
  if (format == report::Format::kPip) return "no Python package";
  const auto system = report.host.system.value_or("linux");
  if (system != "linux") return fmt::format("for {}, and the lines of a Dockerfile are for Linux", system);
  const auto& artefact = report.recommendations.front().artefact;
  return artefact && artefact->on_host ? "installed on the machine itself, and in an image by no line"
                                       : "had by no command and in no image";
}

int ExitCode(const Options& options, const report::Tables& tables, const report::Report& report,
             int interrupted_by) {
  if (interrupted_by != 0) return kSignalBase + interrupted_by;
  if (report.no_answer) return Complain({kExitUnmet, render::NoAnswerText(*report.no_answer)});
  if (options.command == Command::kRecommend && report.recommendations.empty())
    return Complain({kExitUnmet, "there is no answer: the recorded run was interrupted before it had one"});
  const bool installs =
      options.format == report::Format::kPip || options.format == report::Format::kDockerfile;
  if (installs && RecommendText(options, report).empty())
    return Complain({kExitUnmet, fmt::format("{}'s build for {} is {}", *options.target,
                                             report.recommendations.front().backend,
                                             WhyNotInFormat(options.format, report))});
  if (options.require && !render::Meets(report, *options.require)) {
    return Complain({kExitUnmet, render::UnmetText(tables, report, *options.require)});
  }
  return options.exit_code ? static_cast<int>(render::ExitCodeOf(report)) : 0;
}

// `but`: those that were told already.
void TellWarnings(const report::Report& report, const std::vector<report::Warning>& but = {}) {
  for (const auto& warning : render::ToldWarnings(report.warnings)) {
    const bool is_told =
        std::any_of(but.begin(), but.end(), [&](const auto& told) { return told.text == warning.text; });
    if (!is_told) Say("whichgpu: warning: ", warning.text);
  }
}

// Of what a word and an assignment show nothing: whether anything holds the work, and whether the way was
// seen to work here.
bool IsTold(const report::Warning& warning) {
  switch (warning.kind) {
    case report::WarningKind::kNothingFits:
    case report::WarningKind::kMemoryUntold:
    case report::WarningKind::kHeldByOther:
    case report::WarningKind::kUnseenHere:
    case report::WarningKind::kFailsBeside:
      return true;
    case report::WarningKind::kEstimated:
    case report::WarningKind::kOther:
    case report::WarningKind::kLimit:
    case report::WarningKind::kNotMounted:
    case report::WarningKind::kLeftOut:
      return false;
  }
  return false;
}

void TellOfAnswer(const report::Report& report) {
  if (report.recommendations.empty()) return;
  for (const report::Warning& warning : report.recommendations.front().warnings) {
    if (IsTold(warning)) Say("whichgpu: warning: ", warning.text);
  }
}

// What whoever runs the command has to know: of the faces JSON alone says it.
void TellOfBuild(const report::Report& report) {
  if (report.recommendations.empty() || !report.recommendations.front().artefact) return;
  const auto& answer = report.recommendations.front();
  for (const std::string& missing : answer.artefact->missing) Say("whichgpu: it needs: ", missing);
  if (answer.artefact->note) Say("whichgpu: note: ", *answer.artefact->note);
  const auto told = render::ToldWarnings(report.warnings);
  for (const report::Warning& warning : answer.warnings) {
    const bool was_said = IsTold(warning) || std::find(told.begin(), told.end(), warning) != told.end();
    if (!was_said) Say("whichgpu: note: ", warning.text);
  }
}

render::TerminalOptions TerminalOf(int descriptor, const Options& options,
                                   const probe::system::Environment& environment) {
  auto terminal = render::DecideTerminal(
      render::Inspect(descriptor), [&](std::string_view name) { return environment.Get(name); },
      options.colour);
  terminal.verbose = options.verbose;
  return terminal;
}

int PrintQuery(const Options& options, const report::Tables& tables, const report::Report& report) {
  const auto answer = render::Query(tables, report, options.query);
  if (const int code = Print(answer.text); code != 0) return code;
  if (answer.has_rows) return 0;
  return Complain({kExitUnmet, "no device matches"});
}

int RunCompare(const Options& options, const probe::system::Environment& environment) {
  const auto comparison = report::CompareFiles(options.base, options.other, WHICHGPU_VERSION);
  if (!comparison) return Complain({report::kExitUsage, comparison.error().text});
  const auto unwritten = report::WritePages(options, *comparison);
  const int code = Print(
      options.json ? render::ComparisonJson(*comparison)
                   : render::ComparisonText(*comparison, TerminalOf(STDOUT_FILENO, options, environment)));
  if (code != 0) return code;
  if (unwritten) return Complain(*unwritten);
  if (report::compare::HasRegression(comparison->rows)) return kExitUnmet;
  return comparison->conclusive ? 0 : kExitUnknown;
}

int RunDescribe(const Options& options, const probe::system::Environment& environment) {
  const auto word = fmt::format("{}", fmt::join(options.words, " "));
  const auto text = options.json ? render::DescribeJson(word, WHICHGPU_VERSION)
                                 : render::Describe(word, TerminalOf(STDOUT_FILENO, options, environment));
  return text ? Print(*text) : Complain({report::kExitUsage, text.error().text});
}

int RunSchema(const Options& options) {
  if (!options.schema) return Print(render::SchemaNames());
  const auto text = render::Schema(*options.schema);
  return text ? Print(*text) : Complain({report::kExitUsage, text.error().text});
}

// Where nothing but files is read there is nothing to save: a signal ends the run at once, with its code.
// Those that the caller ignores stay ignored.
void EndAtOnceOnSignals() {
  for (const int number : probe::isolate::EndingSignals()) {
    struct sigaction action{};
    if (sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = [](int arrived) { _exit(kSignalBase + arrived); };
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

bool CanShowProgress(const probe::system::Environment& environment) {
  return render::Inspect(STDERR_FILENO).terminal && environment.Get("TERM").value_or("dumb") != "dumb";
}

// Within the width that somebody says; what nobody looks at stays in the columns that it has.
int PrintHelp(const std::string& text, const probe::system::Environment& environment) {
  const auto descriptor = render::Inspect(STDOUT_FILENO);
  const bool is_version = text.find('\n') + 1 == text.size();
  const auto get = [&](std::string_view name) { return environment.Get(name); };
  if (is_version || !render::SaidWidth(descriptor, get)) return Print(text);
  const auto terminal = render::DecideTerminal(descriptor, get, render::ColourChoice::kNever);
  return Print(report::Narrowed(text, terminal.width));
}

// Writes pages, prints the face that was asked for and tells beside it; the exit code.
int Show(const Options& options, const report::Produced& outcome,
         const probe::system::Environment& environment) {
  const auto unwritten = report::WritePages(options, outcome.tables, outcome.report);
  if (const int code = Print(
          Face(options, outcome.tables, outcome.report, TerminalOf(STDOUT_FILENO, options, environment)));
      code != 0) {
    return code;
  }
  if (options.why) {
    Tell(render::Why(outcome.tables, outcome.report, TerminalOf(STDERR_FILENO, options, environment)));
  }
  if (options.command == Command::kRecommend && !options.json && !options.why) {
    TellOfAnswer(outcome.report);
    if (options.target) TellOfBuild(outcome.report);
  }
  if (options.json || options.command == Command::kRecommend) {
    const auto& answers = outcome.report.recommendations;
    const bool are_told = options.why && !answers.empty();
    TellWarnings(outcome.report, are_told ? answers.front().warnings : std::vector<report::Warning>());
  }
  if (outcome.interrupted_by != 0 && !options.json)
    Say("whichgpu: ", "interrupted before everything was asked");
  if (outcome.problem) return Complain(*outcome.problem);
  if (unwritten) return Complain(*unwritten);
  return ExitCode(options, outcome.tables, outcome.report, outcome.interrupted_by);
}

int Run(const std::vector<std::string>& arguments) {
  std::vector<std::string> modules;
  for (const probe::Module& module : probe::Modules()) modules.emplace_back(module.name);
  const auto invocation = report::ParseArguments(arguments, modules, report::VersionText(WHICHGPU_VERSION));
  if (!invocation) return Complain({report::kExitUsage, invocation.error().text});
  const auto environment = probe::system::Environment::OfProcess();
  if (!invocation->options) return PrintHelp(invocation->text, environment);

  Options options = *invocation->options;
  if (options.command == Command::kCompare || options.run.replay_dir) EndAtOnceOnSignals();
  if (const auto problem = report::CheckPages(options)) return Complain(*problem);
  if (options.command == Command::kCompare) return RunCompare(options, environment);
  if (options.command == Command::kDescribe) return RunDescribe(options, environment);
  if (options.command == Command::kSchema) return RunSchema(options);
  if (options.query.list) return Print(render::FieldList());
  if (options.request_file) {
    auto workload = report::ReadRequest(*options.request_file);
    if (!workload) return Complain(report::BadInput(workload.error()));
    options.run.workload = *std::move(workload);
  }
  if (options.target) {
    auto table = report::ReadTarget(*options.target, options.tables);
    if (!table) return Complain(report::BadInput(table.error()));
    options.run.terms.target = *std::move(table);
  }
  report::Progress progress(CanShowProgress(environment));
  const auto produced = report::Produce(
      options.run, {WHICHGPU_VERSION, interrupt, [&](const std::string& doing) { progress.Show(doing); }});
  progress.Clear();
  if (const auto* problem = std::get_if<report::Problem>(&produced)) return Complain(*problem);
  const auto& outcome = std::get<report::Produced>(produced);
  if (options.command == Command::kQuery) {
    if (!options.run.facts_suffice) TellWarnings(outcome.report);
    const int code = PrintQuery(options, outcome.tables, outcome.report);
    return outcome.interrupted_by != 0 ? kSignalBase + outcome.interrupted_by : code;
  }
  return Show(options, outcome, environment);
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto returned = probe::system::ReturnLentPrivileges(); !returned) {
    std::fputs("whichgpu: the privileges of this set-uid copy can not be given up\n", stderr);
    return report::kExitInternal;
  }
  // For drivers too: a folder that one makes in our cache without a right to it would fail every later run.
  probe::system::KeepOwnersPermissions();
  if (probe::isolate::IsChild(argc, argv)) {
    std::set_terminate(of_the_library);  // a driver's exception is to end its child as it ends any program
    probe::isolate::RunChild(argc, argv, report::Tasks());
  }
  for (const int failed_write : {SIGPIPE, SIGXFSZ}) std::signal(failed_write, SIG_IGN);
  if (const auto missing = probe::system::RaiseWhatIsNeeded(); !missing.empty())
    return Complain({report::kExitInternal, missing});
  try {
    const auto installed = probe::isolate::InstallInterruptHandlers();
    if (!installed) return Complain({report::kExitInternal, probe::Describe(installed.error())});
    interrupt = *installed;
    return Run({argv + std::min(argc, 1), argv + argc});
  } catch (const std::bad_alloc&) {
    return ComplainOfMemory();
  } catch (const std::exception& error) {
    return Complain({report::kExitInternal, fmt::format("internal error: {}", error.what())});
  }
}
