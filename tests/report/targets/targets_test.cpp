// SPDX-License-Identifier: MIT
// Machines and the builds that they should get, written by hand from what the makers of programs document
// (tests/report/targets/*.csv), held against the tables, each row of which must matter.
#include "report/targets/targets.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "probe/core/parse.h"
#include "report/assume/assume.h"
#include "report/core/report_names.h"
#include "report/decide/decide.h"

namespace report::targets {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// One line of a file: "machine",target,use,policy,backend,build,rule
struct Expected {
  std::vector<std::string> machine;  // a text of --assume for each device
  std::string target;
  Use use = Use::kInference;
  Policy policy = Policy::kMinimum;
  std::string backend;  // or "none"
  std::string build;
  std::string line;
};

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
    if (file.path().extension() != ".csv") continue;
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

const std::vector<Expected>& All() {
  static const auto all = ReadExpected();
  return all;
}

Report Answered(const std::vector<std::string>& machine, const TargetTable& target, Use use, Policy policy) {
  const auto& tables = EmbeddedTables();
  auto imagined = assume::Imagine(*tables, machine);
  if (!imagined) {
    ADD_FAILURE() << imagined.error().text;
    return {};
  }
  Record record;
  record.created = "2026-11-25T00:00:00Z";
  record.host = std::move(imagined->host);
  record.probes = std::move(imagined->probes);
  RunRequest request;
  request.command = "recommend";
  request.uses = {use};
  request.terms.target = target;
  request.terms.policy = policy;
  return Decide(request, *tables, record, {std::move(imagined->devices), {}});
}

using Answer = std::pair<std::string, std::string>;
Answer AnswerOf(const Report& report) {
  if (report.recommendations.empty()) return {"none", ""};
  const auto& answer = report.recommendations.front();
  return {answer.backend, answer.artefact ? answer.artefact->id : ""};
}

TEST(Targets, EveryMachineGetsTheBuildThatItsMakersDocument) {
  ASSERT_GE(All().size(), 200U);
  for (const Expected& expected : All()) {
    const auto table = EmbeddedTarget(expected.target);
    ASSERT_TRUE(table) << expected.target;
    const auto report = Answered(expected.machine, *table, expected.use, expected.policy);
    EXPECT_EQ(AnswerOf(report), Answer(expected.backend, expected.build))
        << expected.line << "\n"
        << (report.no_answer ? report.no_answer->reason : "");
  }
}

// A table of which nobody would notice that a row is gone has a row too many, or a line too few.
TEST(Targets, EveryRowIsSomeMachinesAnswer) {
  for (const std::string& name : TargetNames()) {
    const auto table = EmbeddedTarget(name);
    ASSERT_TRUE(table) << name;
    for (std::size_t i = 0; i < table->builds.size(); ++i) {
      auto without = *table;
      without.builds.erase(without.builds.begin() + static_cast<std::ptrdiff_t>(i));
      const bool matters = std::any_of(All().begin(), All().end(), [&](const Expected& expected) {
        return expected.target == name && expected.build == table->builds[i].id &&
               AnswerOf(Answered(expected.machine, without, expected.use, expected.policy)) !=
                   Answer(expected.backend, expected.build);
      });
      EXPECT_TRUE(matters) << name << " " << table->builds[i].id;
    }
  }
}

}  // namespace
}  // namespace report::targets
