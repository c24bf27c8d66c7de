// SPDX-License-Identifier: MIT
// The command line: what was asked for, or one sentence on what is wrong with it. Looks at nothing but the
// arguments and the names of the registered modules.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/result.h"
#include "report/core/report.h"
#include "report/render/terminal.h"

namespace report {

enum class Command { kReport, kList, kRecommend, kCompare };
enum class Format { kPlain, kJson, kShell, kEnv };
enum class Effort { kQuick, kNormal, kThorough };

struct Options {
  Command command = Command::kReport;
  bool json = false;
  std::vector<std::string> only;
  std::vector<std::string> skip;
  std::optional<std::string> device;
  Effort effort = Effort::kNormal;  // recommend: quick unless asked for more
  std::optional<double> budget_s;   // of all measuring together
  std::optional<double> timeout_s;  // of one module's detection
  bool calibrate = true;
  bool cache = true;  // recommend: whether an earlier run's measurements may answer
  std::optional<std::string> record_dir;
  bool record_ids = false;
  std::optional<std::string> replay_dir;
  std::optional<std::string> request_file;  // what to predict in the place of the reference request
  std::string sysroot = "/";
  bool exit_code = false;
  render::ColourChoice colour = render::ColourChoice::kAuto;
  bool verbose = false;
  bool retry_crashed = false;
  Format format = Format::kPlain;      // recommend
  bool why = false;                    // recommend: the reasons too, on stderr
  Use use = Use::kInference;           // recommend
  std::optional<std::string> require;  // recommend: "gpu" or a runtime's name
  std::string base;                    // compare: the files
  std::string other;
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

// "whichgpu 0.2.0 (needs glibc 2.34 or newer)".
[[nodiscard]] std::string VersionText(const std::string& version);

// The command's name in JSON: "report", "list", "recommend", "compare".
[[nodiscard]] std::string_view NameOfCommand(Command command);

}  // namespace report
