// SPDX-License-Identifier: MIT
#include "report/cli/pages.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "probe/core/text.h"
#include "report/html/html.h"
#include "report/store/input.h"
#include "report/store/page_file.h"

namespace report {
namespace {

struct File {
  std::string_view option;
  std::string_view what;
  const std::optional<std::string>* path;
};

std::array<File, 2> FilesOf(const Options& options) {
  return {File{"--html", "page", &options.html}, File{"--svg", "picture", &options.svg}};
}

// What the run reads or writes beside, with what a file is that lies there.
std::vector<std::pair<std::string, std::string_view>> InputsOf(const Options& options) {
  if (options.command == Command::kCompare)
    return {{options.base, "one of the two that are compared"},
            {options.other, "one of the two that are compared"}};
  std::vector<std::pair<std::string, std::string_view>> inputs;
  const auto add = [&](const std::optional<std::string>& path, std::string_view what) {
    if (path) inputs.emplace_back(*path, what);
  };
  add(options.request_file, "the request");
  add(options.run.replay_dir, "a part of the record");
  add(options.run.record_dir, "where the record is kept");
  return inputs;
}

std::optional<Problem> Written(const probe::Status& status) {
  if (status) return std::nullopt;
  return Problem{kExitInternal, probe::Describe(status.error())};
}

}  // namespace

std::optional<Problem> CheckPages(const Options& options) {
  for (const auto& [option, what_it_is, file] : FilesOf(options)) {
    if (!*file) continue;
    if (const auto status = CheckPageFile(option, what_it_is, **file); !status)
      return BadInput(status.error());
    const auto refuse = [&, name = option, path = **file](std::string_view what) {
      return BadInput(
          Usage(fmt::format("{}: {} is {}; name another file", name, probe::CleanText(path, 300), what)));
    };
    for (const auto& [input, what] : InputsOf(options)) {
      const bool is_it =
          input == kStandardInput ? IsOpenAs(**file, STDIN_FILENO) : IsAtOrBelow(**file, input);
      if (is_it) return refuse(what);
    }
    for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
      if (IsOpenAs(**file, descriptor)) return refuse("where what is printed goes");
    }
  }
  if (options.html && options.svg && AreOneFile(*options.html, *options.svg))
    return BadInput(Usage("--html and --svg name one file; each needs its own"));
  return std::nullopt;
}

std::optional<Problem> WritePages(const Options& options, const Tables& tables, const Report& report) {
  if (options.html) {
    if (auto problem = Written(WritePage(*options.html, html::ReportPage(tables, report)))) return problem;
  }
  if (!options.svg) return std::nullopt;
  return Written(WritePage(*options.svg, html::RooflinePicture(tables, report)));
}

std::optional<Problem> WritePages(const Options& options, const Comparison& comparison) {
  if (!options.html) return std::nullopt;
  return Written(WritePage(*options.html, html::ComparisonPage(comparison)));
}

}  // namespace report
