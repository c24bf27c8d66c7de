// SPDX-License-Identifier: MIT
// The report on one screen: what fits, what goes first, and what is counted instead.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/render/faces.h"
#include "tests/report/golden.h"
#include "tests/report/machines.h"

namespace report::render {
namespace {

using kernels::Dtype;
using kernels::Kernel;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

TerminalOptions Options(int width) { return {width, false, true, false}; }

std::string Rendered(const Report& report, int width = 80) {
  return Screen(testing::TestTables(), report, Options(width));
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::size_t Limit(const Report& report) {
  return std::count_if(report.devices.begin(), report.devices.end(), IsGpu) > 1 ? 20 : 15;
}

Finding Problem(std::string id, std::string summary, std::string fix, std::optional<std::string> command) {
  Finding finding;
  finding.id = std::move(id);
  finding.severity = Severity::kDegraded;
  finding.summary = std::move(summary);
  finding.fix.push_back({std::move(fix), std::move(command), true});
  return finding;
}

TEST(Screen, GoldenReports) {
  for (const auto& machine : testing::Machines()) {
    const auto report = testing::Decided(machine.build());
    for (const int width : {40, 80, 140})
      testing::ExpectGolden(fmt::format("screen/{}.{}", machine.name, width), Rendered(report, width));
  }
}

TEST(Screen, HasAtMostFifteenLinesOrTwentyWithSeveralGpus) {
  for (const auto& machine : testing::Machines()) {
    auto report = testing::Decided(machine.build());
    for (int problem = 0; problem < 9; ++problem) {
      for (const int width : {80, 100, 200})
        EXPECT_LE(LinesOf(Rendered(report, width)).size(), Limit(report)) << machine.name << " at " << width;
      const auto name = fmt::format("problem {}", problem);
      report.findings.push_back(Problem(name, name, "mend " + name, "mend-" + std::to_string(problem)));
      report.warnings.emplace_back("warning " + name);
    }
  }
}

TEST(Screen, BeginsWithTheAnswer) {
  for (const auto& machine : testing::Machines()) {
    const auto report = testing::Decided(machine.build());
    if (report.recommendations.empty()) continue;
    EXPECT_EQ(0U, Rendered(report).find("Use " + report.recommendations.front().backend + " on "))
        << machine.name;
  }
}

TEST(Screen, HasALineAWayWithItsDevicesName) {
  const auto report = testing::Decided(testing::DiscreteAndIntegrated());
  const auto lines = LinesOf(Rendered(report));
  for (const auto& score : report.scores) {
    if (score.use != Use::kInference || !score.eligible) continue;
    const auto device = DeviceName(report.devices, score.device_id).substr(0, 18);
    EXPECT_EQ(1, std::count_if(lines.begin(), lines.end(),
                               [&](const std::string& line) {
                                 return line.find(". " + score.runtime) == 2 &&
                                        line.find(device) != std::string::npos &&
                                        line.find(TokensText(score.writing_tokens_per_s->value)) !=
                                            std::string::npos;
                               }))
        << score.runtime;
  }
}

TEST(Screen, ShowsWhatIsNoisyAsARange) {
  auto report = testing::Processor();
  for (auto& m : report.measurements) m.quality = backends::Quality::kNoisy;
  report = testing::Decided(std::move(report));
  const auto& range = *report.recommendations.front().writing_tokens_per_s;
  const auto shown = TokensText(range.low) + "\u2013" + TokensText(range.high);
  const auto lines = LinesOf(Rendered(report));
  const auto line = std::find_if(lines.begin(), lines.end(),
                                 [](const std::string& one) { return one.find(" 1. cpu") == 0; });
  ASSERT_NE(line, lines.end());
  EXPECT_THAT(*line, HasSubstr(shown));
  EXPECT_THAT(*line, EndsWith("noisy"));
  EXPECT_THAT(*line, Not(ContainsRegex("  " + TokensText(range.value) + "  ")));
  EXPECT_THAT(lines.front(), HasSubstr(": " + shown + " tokens/s"));
  EXPECT_THAT(Rendered(report), ContainsRegex("device +tokens/s +first token +in all"));
}

TEST(Screen, EqualDevicesShareALine) {
  Report report = testing::Processor();
  for (int number = 1; number <= 8; ++number) {
    auto card =
        testing::Gpu(fmt::format("0000:0{}:00.0", number), "NVIDIA H100", probe::DeviceKind::kDiscrete, 80);
    testing::AddView(card, "cuda", "NVIDIA", probe::DeviceKind::kDiscrete);
    testing::Measure(report, card.id, "cuda", "NVIDIA", Kernel::kGemm, 4e14, Dtype::kFp16);
    testing::Measure(report, card.id, "cuda", "NVIDIA", Kernel::kRead, 3e12, Dtype::kFp32);
    report.devices.insert(report.devices.end() - 1, card);
  }
  const auto text = Rendered(testing::Decided(report));
  EXPECT_THAT(text, HasSubstr("cuda     8 x NVIDIA H100"));
  EXPECT_THAT(text, Not(HasSubstr("more way")));
}

// One of several that a variable hides has no way, and is counted all the same.
TEST(Screen, EqualDevicesThatAVariableHidesAreCounted) {
  for (const int shown : {1, 2}) {
    Report report;
    for (int i = 1; i <= shown + 1; ++i) {
      auto card =
          testing::Gpu(fmt::format("0000:0{}:00.0", i), "NVIDIA H100", probe::DeviceKind::kDiscrete, 80);
      if (i <= shown) {
        testing::AddView(card, "cuda", "NVIDIA", probe::DeviceKind::kDiscrete);
        testing::Measure(report, card.id, "cuda", "NVIDIA", Kernel::kGemm, 4e14, Dtype::kFp16);
        testing::Measure(report, card.id, "cuda", "NVIDIA", Kernel::kRead, 3e12, Dtype::kFp32);
      } else {
        card.hardware->kernel_driver = "nvidia";
        card.hardware->facts.push_back({"hidden_by", "CUDA_VISIBLE_DEVICES"});
      }
      report.devices.push_back(card);
    }
    auto& probe =
        report.probes.emplace_back(testing::Probe("cuda", probe::Outcome::kOk, probe::Stage::kDone));
    probe.environment = {{"CUDA_VISIBLE_DEVICES", "0"}};
    const auto text = Rendered(testing::Decided(report), 100);
    EXPECT_THAT(text, HasSubstr(fmt::format("cuda     {} of {} NVIDIA H100", shown, shown + 1)));
    EXPECT_THAT(text, HasSubstr(fmt::format("NVIDIA H100 (pci:0000:0{}:00.0) is hidden by", shown + 1)));
  }
}

// What a driver said of each is long, and does not make one of them.
TEST(Screen, ALongProblemOfSeveralSaysOfHowMany) {
  Report report = testing::Processor();
  for (int number = 1; number <= 8; ++number) {
    auto card =
        testing::Gpu(fmt::format("0000:0{}:00.0", number), "NVIDIA H100", probe::DeviceKind::kDiscrete, 80);
    report.devices.insert(report.devices.end() - 1, card);
  }
  report = testing::Decided(report);
  report.findings.clear();
  for (int number = 1; number <= 8; ++number) {
    auto finding =
        Problem(fmt::format("unreached.{}", number), "no runtime reaches it: ", "reinstall it", {});
    for (int word = 0; word < 60; ++word) finding.summary += "libnowhere.so ";
    finding.device_id = fmt::format("pci:0000:0{}:00.0", number);
    report.findings.push_back(std::move(finding));
  }
  EXPECT_THAT(Rendered(report), ContainsRegex("; 7[ \n]+more[ \n]+alike"));
}

TEST(Screen, CountsWhatHasNoRoom) {
  auto report = testing::Decided(testing::Processor());
  for (const char* name : {"one", "two", "three", "four", "five", "six"})
    report.findings.push_back(
        Problem(name, fmt::format("problem {}", name), fmt::format("mend {}", name), name));
  const auto lines = LinesOf(Rendered(report));
  const auto shown = std::count_if(lines.begin(), lines.end(),
                                   [](const std::string& line) { return line.find("\u2717 problem ") == 0; });
  EXPECT_GE(shown, 1);
  EXPECT_THAT(lines.back(), HasSubstr(fmt::format("{} more problems", 6 - shown)));
  EXPECT_THAT(lines.back(), EndsWith("whichgpu --details"));
}

TEST(Screen, OneFixIsToldOnce) {
  auto report = testing::Decided(testing::Processor());
  const auto before = LinesOf(Rendered(report)).back();
  report.findings.push_back(Problem("one", "the first of two", "mend both", "mend"));
  report.findings.push_back(Problem("two", "the second of two", "mend both", "mend"));
  const auto text = Rendered(report);
  EXPECT_THAT(text, HasSubstr("\u2717 the first of two\n\u2192 mend both\n   sudo mend\n"));
  EXPECT_THAT(text, Not(HasSubstr("second of two")));
  EXPECT_THAT(text, Not(HasSubstr("more problem"))) << "it is the same one";
}

}  // namespace
}  // namespace report::render
