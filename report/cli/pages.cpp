// SPDX-License-Identifier: MIT
#include "report/cli/pages.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "probe/core/text.h"
#include "report/html/html.h"
#include "report/store/page_file.h"

namespace report {
namespace {

using File = std::pair<std::string_view, const std::optional<std::string>*>;

std::array<File, 2> FilesOf(const Options& options) {
  return {File{"--html", &options.html}, File{"--svg", &options.svg}};
}

std::optional<Problem> Written(const probe::Status& status) {
  if (status) return std::nullopt;
  return Problem{kExitInternal, probe::Describe(status.error())};
}

}  // namespace

std::optional<Problem> CheckPages(const Options& options) {
  for (const auto& [option, file] : FilesOf(options)) {
    if (!*file) continue;
    if (const auto status = CheckPageFile(option, **file); !status) return BadInput(status.error());
    if (options.command != Command::kCompare) continue;
    for (const auto& input : {options.base, options.other}) {
      if (AreOneFile(input, **file))
        return BadInput(Usage(fmt::format("{}: {} is one of the two that are compared; name another file",
                                          option, probe::CleanText(**file, 300))));
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
