// SPDX-License-Identifier: MIT
#include "tests/report/targets/expected.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>

#include "probe/core/parse.h"
#include "report/assume/assume.h"
#include "report/core/report_names.h"
#include "report/decide/decide.h"

namespace report::targets {
namespace {

template <class E>
E Named(std::string_view name) {
  for (const auto& [value, known] : probe::EnumNames<E>::kNames) {
    if (known == name) return value;
  }
  ADD_FAILURE() << name << " is no name";
  return {};
}

std::vector<std::string> Devices(std::string_view text) {
  std::vector<std::string> devices;
  constexpr std::string_view kAnd = " + ";
  while (!text.empty()) {
    const auto end = std::min(text.find(kAnd), text.size());
    devices.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + kAnd.size(), text.size()));
  }
  return devices;
}

std::vector<Expected> ReadExpected() {
  std::vector<Expected> all;
  const char* folder = std::getenv("WHICHGPU_TARGETS");  // ctest says it
  if (!folder) return all;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".csv" || file.path().stem() == "bounds") continue;
    std::ifstream stream(file.path());
    std::string line;
    std::getline(stream, line);  // the heading
    while (std::getline(stream, line)) {
      std::string_view rest = line;
      if (rest.empty() || rest.front() == '#') continue;
      rest.remove_prefix(1);
      Expected expected{Devices(probe::TakeUpTo(rest, '"')), "", {}, {}, "", "", line};
      rest.remove_prefix(1);
      expected.target = probe::TakeUpTo(rest, ',');
      expected.use = Named<Use>(probe::TakeUpTo(rest, ','));
      expected.policy = Named<Policy>(probe::TakeUpTo(rest, ','));
      expected.backend = probe::TakeUpTo(rest, ',');
      expected.build = probe::TakeUpTo(rest, ',');
      all.push_back(std::move(expected));
    }
  }
  return all;
}

}  // namespace

const std::vector<Expected>& AllExpected() {
  static const auto all = ReadExpected();
  return all;
}

namespace {

// Machines stand in many lines.
const assume::Machine* Imagined(const std::vector<std::string>& machine) {
  static std::map<std::vector<std::string>, assume::Machine> known;
  if (const auto found = known.find(machine); found != known.end()) return &found->second;
  auto imagined = assume::Imagine(*EmbeddedTables(), machine);
  if (!imagined) {
    ADD_FAILURE() << imagined.error().text;
    return nullptr;
  }
  return &known.emplace(machine, *std::move(imagined)).first->second;
}

}  // namespace

namespace {

Report DecidedOn(const Expected& expected, const RunRequest& request) {
  const auto* imagined = Imagined(expected.machine);
  if (!imagined) return {};
  Record record;
  record.created = "2026-11-25T00:00:00Z";
  record.host = imagined->host;
  record.probes = imagined->probes;
  return Decide(request, *EmbeddedTables(), record, {imagined->devices, {}});
}

}  // namespace

Report Answered(const Expected& expected, const TargetTable& target) {
  RunRequest request;
  request.command = "recommend";
  request.uses = {expected.use};
  request.terms.target = target;
  request.terms.policy = expected.policy;
  return DecidedOn(expected, request);
}

Report Reported(const Expected& expected) {
  RunRequest request;
  request.command = kWholeReport;
  request.uses = {expected.use};
  return DecidedOn(expected, request);
}

Answer AnswerOf(const Report& report) {
  if (report.recommendations.empty()) return {"none", ""};
  const auto& answer = report.recommendations.front();
  return {answer.backend, answer.artefact ? answer.artefact->id : ""};
}

}  // namespace report::targets
