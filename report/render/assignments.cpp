// SPDX-License-Identifier: MIT
// The answer as variables of a shell, of an environment and of CMake.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/report_names.h"
#include "report/render/device_words.h"
#include "report/render/faces.h"

namespace report::render {
namespace {

bool IsWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// Needs no quoting in any shell, and means nothing between the quotes of CMake.
std::string Safe(std::string_view text) {
  constexpr std::string_view kPlain = "_.:,#=-/";
  constexpr std::size_t kLongest = 256;
  std::string safe(text.substr(0, kLongest));
  std::replace_if(
      safe.begin(), safe.end(),
      [&](char c) { return !IsWord(c) && kPlain.find(c) == std::string_view::npos; }, '_');
  return safe;
}

// Of a program's table: as it is, or nothing, for an address with other signs is another one. In the name of
// a file the place of its version stays, which its readers fill.
std::string Whole(const std::string& text) {
  constexpr std::string_view kVersionPlace = "{version}";
  std::string plain = text;
  if (const auto at = plain.find(kVersionPlace); at != std::string::npos)
    plain.erase(at, kVersionPlace.size());
  std::erase_if(plain, [](char c) { return c == '@' || c == '+' || c == '%'; });
  return Safe(plain) == plain && text.size() == std::min<std::size_t>(text.size(), 256) ? text : "";
}

// "CUDA_VISIBLE_DEVICES=GPU-…": the first of the answer's variables that selects this; "" where there is
// none.
std::string Assignment(const Recommendation& answer, Selects selects) {
  const auto found = std::find_if(answer.environment.begin(), answer.environment.end(),
                                  [&](const Selection& variable) { return variable.selects == selects; });
  return found == answer.environment.end() ? "" : found->name + "=" + found->value;
}

using Variables = std::vector<std::pair<std::string_view, std::string>>;

// What a program's table has with blanks and signs in it: for the faces that can quote.
struct Texts {
  std::string command;
  std::vector<std::string> options;
};
Texts TextsOf(const Report& report) {
  Texts texts;
  if (report.recommendations.empty()) return texts;
  const auto& answer = report.recommendations.front();
  texts.command = answer.command.value_or("");
  if (!answer.artefact) return texts;
  texts.options = answer.artefact->cmake;
  if (const auto& options = answer.artefact->options)
    texts.options.insert(texts.options.end(), options->begin(), options->end());
  return texts;
}

// Between the quotes of a shell, which nothing but a quote ends.
std::string ShellQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

// Between brackets that nothing in the text ends, where CMake takes all as it is.
std::string CMakeQuoted(std::string_view text) {
  std::string equals = "=";
  while (text.find("]" + equals + "]") != std::string_view::npos || text.ends_with("]" + equals))
    equals += "=";
  return fmt::format("[{0}[{1}]{0}]", equals, text);
}

// Whether the memory that the answer's way has holds the work; "" where nobody says how much there is.
std::string FitsWord(const Score* score) {
  if (!score) return "";
  if (!score->fits.value_or(true)) return "no";
  return score->memory.IsTold(score->on_host_bytes) ? "yes" : "";
}

// All but the architectures, whatever is known. Values are safe to write between any quotes, or none.
Variables OwnVariables(const Report& report) {
  Variables all = {{"STATUS", "none"},     {"BACKEND", ""},     {"DEVICE", ""},     {"VISIBLE", ""},
                   {"DRIVER", ""},         {"NAME", ""},        {"VENDOR", ""},     {"ARCH", ""},
                   {"DRIVER_VERSION", ""}, {"API_VERSION", ""}, {"MEMORY_MIB", ""}, {"FREE_MIB", ""},
                   {"FITS", ""},           {"TARGET", ""},      {"ARTEFACT", ""},   {"INDEX", ""}};
  if (report.recommendations.empty()) return all;
  const auto& answer = report.recommendations.front();
  std::vector<std::string> values = {std::string(probe::NameOf(answer.basis)), Token(answer),
                                     answer.device_id, Assignment(answer, Selects::kDevice),
                                     Assignment(answer, Selects::kDriver)};
  if (const auto* device = FindDevice(report.devices, answer.device_id)) {
    const auto* view = FindView(*device, answer.backend, answer.driver.value_or(""));
    const auto told = [&](std::optional<std::string> probe::RuntimeDevice::* field) {
      return view ? (view->device.*field).value_or("") : "";
    };
    for (auto& value : {PlainName(device->name), VendorWord(*device), answer.architecture,
                        told(&probe::RuntimeDevice::driver_version), told(&probe::RuntimeDevice::api_version),
                        MibText(AllBytes(*device, view)), MibText(FreeBytes(*device, view)),
                        FitsWord(ScoreOf(report, answer))})
      values.push_back(value);
  }
  for (std::size_t i = 0; i < values.size(); ++i) all[i].second = Safe(values[i]);
  const std::array<std::string, 3> of_target = {answer.target.value_or(""), ArtefactWord(answer),
                                                answer.artefact ? answer.artefact->index.value_or("") : ""};
  for (std::size_t i = 0; i < of_target.size(); ++i)
    all[all.size() - of_target.size() + i].second = Whole(of_target[i]);
  return all;
}

// Those of all GPUs by the answer's backend, in the words of a build, between them what a list has.
Variables VariablesOf(const Report& report, std::string_view separator) {
  auto all = OwnVariables(report);
  std::vector<std::string> architectures;
  if (!report.recommendations.empty()) {
    for (const auto& one : report.recommendations.front().architectures) architectures.push_back(Safe(one));
  }
  all.emplace_back("ARCHITECTURES", fmt::format("{}", fmt::join(architectures, separator)));
  return all;
}

std::string Assignments(const Report& report, std::string_view quote) {
  std::string text;
  for (const auto& [name, value] : VariablesOf(report, ","))
    text += fmt::format("WHICHGPU_{}={}{}{}\n", name, quote, value, quote);
  return text;
}

}  // namespace

std::string ArtefactWord(const Recommendation& answer) {
  if (!answer.artefact) return "";
  for (const auto* name : {&answer.artefact->provider, &answer.artefact->asset, &answer.artefact->image}) {
    if (*name) return **name;
  }
  return answer.artefact->id;
}

namespace {

// For a shell, which a semicolon ends a command for.
std::string Joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words)
    line += (line.empty() ? "" : " ") + (word.find(';') == std::string::npos ? word : ShellQuoted(word));
  return line;
}

}  // namespace

std::string TargetLine(const Recommendation& answer) {
  if (answer.command) return *answer.command;
  if (!answer.artefact) return Token(answer);
  const auto& artefact = *answer.artefact;
  if (!artefact.cmake.empty()) return Joined(artefact.cmake);
  if (artefact.options) return Joined(*artefact.options);
  return ArtefactWord(answer);
}

std::string Shell(const Report& report) {
  const auto texts = TextsOf(report);
  return Assignments(report, "'") +
         fmt::format("WHICHGPU_COMMAND={}\nWHICHGPU_OPTIONS={}\n", ShellQuoted(texts.command),
                     ShellQuoted(fmt::format("{}", fmt::join(texts.options, " "))));
}

std::string Env(const Report& report) { return Assignments(report, ""); }

std::string Pip(const Report& report) {
  if (report.recommendations.empty() || !report.recommendations.front().artefact) return "";
  const auto& artefact = *report.recommendations.front().artefact;
  if (artefact.requirements.empty()) return "";
  std::string text;
  if (artefact.index)
    text +=
        fmt::format("{} {}\n", artefact.extra_index ? "--extra-index-url" : "--index-url", *artefact.index);
  if (artefact.find_links) text += fmt::format("--find-links {}\n", *artefact.find_links);
  return text + fmt::format("{}\n", fmt::join(artefact.requirements, "\n"));
}

std::string Dockerfile(const Report& report) {
  if (report.recommendations.empty()) return "";
  const auto& answer = report.recommendations.front();
  if (report.host.system.value_or("linux") != "linux") return "";
  if (answer.artefact && answer.artefact->image) return fmt::format("FROM {}\n", *answer.artefact->image);
  if (answer.artefact && answer.artefact->on_host) return "";
  return answer.command ? fmt::format("RUN {}\n", *answer.command) : "";
}

std::string CMake(const Report& report) {
  std::string text;
  for (const auto& [name, value] : VariablesOf(report, ";"))
    text += fmt::format("set(WHICHGPU_{} \"{}\")\n", name, value);
  const auto texts = TextsOf(report);
  text += fmt::format("set(WHICHGPU_COMMAND {})\n", CMakeQuoted(texts.command));
  // A list's words, of which one may have semicolons of its own.
  std::vector<std::string> options;
  for (std::string option : texts.options) {
    for (auto at = option.find(';'); at != std::string::npos; at = option.find(';', at + 2))
      option.insert(at, "\\");
    options.push_back(CMakeQuoted(option));
  }
  text += fmt::format("set(WHICHGPU_OPTIONS {})\n",
                      options.empty() ? "\"\"" : fmt::format("{}", fmt::join(options, " ")));
  return text;
}

}  // namespace report::render
