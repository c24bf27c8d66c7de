// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "report/targets/build.h"

namespace report::targets {
namespace {

std::string VisibleOf(const Recommendation& answer) {
  const auto found = std::find_if(answer.environment.begin(), answer.environment.end(),
                                  [](const Selection& one) { return one.selects == Selects::kDevice; });
  return found == answer.environment.end() ? "" : found->value;
}

constexpr std::string_view kArchitecture = "{arch}";

using Places = std::array<std::pair<std::string_view, std::string>, 3>;
Places PlacesOf(const Recommendation& answer) {
  return {{{"{architectures}", fmt::format("{}", fmt::join(answer.architectures, ";"))},
           {kArchitecture, answer.architecture},
           {"{visible}", VisibleOf(answer)}}};
}

// nullopt where a place has nothing to stand in it.
std::optional<std::string> Filled(std::string text, const Recommendation& answer) {
  for (const auto& [place, value] : PlacesOf(answer)) {
    for (auto at = text.find(place); at != std::string::npos; at = text.find(place, at + value.size())) {
      if (value.empty()) return std::nullopt;
      text.replace(at, place.size(), value);
    }
  }
  return text;
}

std::optional<std::string> Filled(const std::optional<std::string>& text, const Recommendation& answer) {
  return text ? Filled(*text, answer) : std::nullopt;
}

// All or nothing: what is left of a list is another list.
std::vector<std::string> AllFilled(const std::optional<std::vector<std::string>>& texts,
                                   const Recommendation& answer) {
  std::vector<std::string> filled;
  if (!texts) return filled;
  for (const std::string& text : *texts) {
    auto one = Filled(text, answer);
    if (!one) return {};
    filled.push_back(*std::move(one));
  }
  return filled;
}

std::vector<std::string> RequirementsOf(const Build& build, const Recommendation& answer) {
  std::vector<std::string> all;
  if (build.package) all.push_back(*build.package + build.version.value_or(""));
  if (build.packages) all.insert(all.end(), build.packages->begin(), build.packages->end());
  return AllFilled(all, answer);
}

// A shell takes bounds, blanks and lists for something else. Double quotes, which Windows knows too, where
// nothing in them means something to sh.
std::string Quoted(const std::string& word) {
  const bool plain =
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=+-,@%") ==
      std::string::npos;
  if (plain && !word.empty()) return word;
  if (word.find_first_of("\"$`\\!") == std::string::npos) return fmt::format("\"{}\"", word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::vector<std::string> TextsWithPlaces(const Build& build) {
  std::vector<std::string> texts;
  for (const auto* text : {&build.package, &build.asset, &build.image, &build.command}) {
    if (*text) texts.push_back(**text);
  }
  for (const auto* list : {&build.packages, &build.options, &build.cmake}) {
    if (*list) texts.insert(texts.end(), (*list)->begin(), (*list)->end());
  }
  return texts;
}

}  // namespace

Artefact ArtefactOf(const TargetTable& target, const Build& build, const Recommendation& answer) {
  Artefact artefact;
  artefact.id = build.id;
  artefact.requirements = RequirementsOf(build, answer);
  artefact.index = build.index;
  artefact.extra_index = build.extra_index.value_or(false);
  artefact.find_links = build.find_links;
  artefact.asset = Filled(build.asset, answer);
  artefact.provider = build.provider;
  artefact.image = Filled(build.image, answer);
  if (build.options) artefact.options = AllFilled(build.options, answer);
  artefact.cmake = AllFilled(build.cmake, answer);
  artefact.note = build.note;
  artefact.runs_pip = build.runs_pip.value_or(false);
  artefact.on_host = build.on_host.value_or(false);
  if (build.missing) {
    for (const Prerequisite& one : *build.missing) {
      const auto command = Filled(one.command, answer);
      artefact.missing.push_back(command ? fmt::format("{}: {}", one.text, *command) : one.text);
    }
  }
  artefact.source = build.source.value_or(target.source);
  artefact.date = build.date.value_or(target.date);
  return artefact;
}

std::optional<std::string> CommandOf(const Build& build, const Artefact& artefact,
                                     const Recommendation& answer) {
  if (build.command) return Filled(*build.command, answer);
  if (artefact.requirements.empty()) return std::nullopt;
  std::string command = "pip install";
  for (const std::string& requirement : artefact.requirements) command += " " + Quoted(requirement);
  if (artefact.index)
    command += fmt::format(" {} {}", artefact.extra_index ? "--extra-index-url" : "--index-url",
                           Quoted(*artefact.index));
  if (artefact.find_links) command += " --find-links " + Quoted(*artefact.find_links);
  return command;
}

std::string UnfilledPlace(const Build& build, const Recommendation& answer) {
  for (const std::string& text : TextsWithPlaces(build)) {
    for (const auto& [place, value] : PlacesOf(answer)) {
      if (value.empty() && text.find(place) != std::string::npos) return std::string(place);
    }
  }
  return "";
}

bool IsForOneArchitecture(const Build& build) {
  const auto texts = TextsWithPlaces(build);
  return std::any_of(texts.begin(), texts.end(),
                     [](const std::string& text) { return text.find(kArchitecture) != std::string::npos; });
}

}  // namespace report::targets
