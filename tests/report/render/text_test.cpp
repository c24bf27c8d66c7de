// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/wording.h"
#include "report/render/faces.h"
#include "tests/report/commands.h"
#include "tests/report/golden.h"
#include "tests/report/machines.h"

namespace report::render {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TerminalOptions Options(int width, bool unicode = true) { return {width, false, unicode, false}; }

std::string Rendered(const Report& report, const TerminalOptions& options) {
  return Text(testing::TestTables(), report, options);
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Text, GoldenReports) {
  for (const auto& machine : testing::Machines()) {
    const auto report = testing::Decided(machine.build());
    for (const int width : {60, 80, 160}) {
      testing::ExpectGolden(fmt::format("{}.{}", machine.name, width), Rendered(report, Options(width)));
    }
  }
  testing::ExpectGolden("processor.80.ascii",
                        Rendered(testing::Decided(testing::Processor()), Options(80, false)));
  testing::ExpectGolden("processor.40", Rendered(testing::Decided(testing::Processor()), Options(40)));
  TerminalOptions verbose = Options(100);
  verbose.verbose = verbose.colour = true;
  testing::ExpectGolden("broken_driver.100.verbose",
                        Rendered(testing::Decided(testing::BrokenDriver()), verbose));
}

TEST(ListText, GoldenLists) {
  for (const char* name : {"processor", "broken_driver"}) {
    const auto machines = testing::Machines();
    const auto machine =
        std::find_if(machines.begin(), machines.end(), [&](const auto& m) { return m.name == name; });
    testing::ExpectGolden(fmt::format("{}.list", name),
                          ListText(testing::TestTables(), testing::Decided(machine->build()), Options(80)));
  }
}

TEST(Text, TheFirstLinesHoldTheWholeAnswer) {
  for (const auto& machine : testing::Machines()) {
    const auto report = testing::Decided(machine.build());
    const auto& answer = report.recommendations.front();
    for (const int width : {60, 80, 160}) {
      const auto lines = LinesOf(Rendered(report, Options(width)));
      ASSERT_GE(lines.size(), 4U);
      const auto head = lines[0] + "\n" + lines[1] + "\n" + lines[2] + (width < 80 ? "\n" + lines[3] : "");
      EXPECT_THAT(head, HasSubstr("Use " + answer.backend + " on ")) << machine.name;
      EXPECT_THAT(head, HasSubstr("because ")) << machine.name;
      if (answer.tokens_per_s) {
        EXPECT_THAT(head, ::testing::ContainsRegex("[0-9] tokens/s")) << machine.name;
        EXPECT_THAT(head, HasSubstr("first token after ")) << machine.name;
      }
    }
  }
}

TEST(Text, NoLineIsWiderThanTheTerminalOrEndsInABlank) {
  for (const auto& machine : testing::Machines()) {
    const auto report = testing::Decided(machine.build());
    const auto commands = testing::CommandsOf(report);
    for (const bool unicode : {true, false}) {
      for (int width = kMinWidth; width <= 120; width += 7) {
        for (const auto& line : LinesOf(Rendered(report, Options(width, unicode)))) {
          EXPECT_TRUE(DisplayWidth(line) <= width || testing::HoldsOneOf(commands, line))
              << machine.name << " at " << width << ": " << line;
          EXPECT_FALSE(line.ends_with(' ')) << machine.name << " at " << width << ": " << line;
        }
      }
    }
  }
}

TEST(Text, NoFigureRunsIntoItsNameOrLosesItsQuality) {
  const auto report = testing::Decided(testing::TwoCards());
  for (int width = 48; width <= 160; ++width) {
    int rates = 0;
    for (const auto& line : LinesOf(Rendered(report, Options(width)))) {
      const auto rate = line.find(" GB/s ");
      if (rate == std::string::npos || !line.starts_with("    ")) continue;
      ++rates;
      EXPECT_TRUE(line.ends_with("good") || line.find(" good ") != std::string::npos)
          << width << ": " << line;
    }
    EXPECT_GE(rates, 4) << width;
    EXPECT_THAT(Rendered(report, Options(width)), ::testing::ContainsRegex("copy to pci:0000:c1:00.0[ \n]"));
  }
}

TEST(Text, WithoutUtf8EverythingIsAscii) {
  for (const auto& machine : testing::Machines()) {
    for (const char c : Rendered(testing::Decided(machine.build()), Options(80, false))) {
      ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << machine.name << ": byte " << static_cast<int>(c);
    }
  }
}

TEST(Text, ColourChangesNothingButTheColour) {
  for (const auto& machine : testing::Machines()) {
    const auto report = testing::Decided(machine.build());
    TerminalOptions coloured = Options(80);
    coloured.colour = true;
    const auto text = Rendered(report, coloured);
    EXPECT_THAT(text, HasSubstr("\x1b[1m"));
    EXPECT_EQ(std::regex_replace(text, std::regex("\x1b\\[[0-9]m|\x1b\\[[0-9][0-9]m"), ""),
              Rendered(report, Options(80)));
  }
}

TEST(Text, ForeignTextCannotReachTheTerminal) {
  const auto text = Rendered(testing::Decided(testing::Hostile()), Options(80));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\x07")));
  EXPECT_THAT(text, Not(HasSubstr("\u202e")));
  EXPECT_LT(LinesOf(text).size(), 80U);
}

// Of every figure with that kernel: what became of it instead.
void Spoil(Report& report, kernels::Kernel kernel, backends::MeasurementStatus status) {
  for (auto& m : report.measurements) {
    if (m.kernel != kernel) continue;
    m.status = status;
    m.verified = false;
    m.rate = m.max_relative_error = std::nullopt;
  }
}

TEST(Text, AFigureThatTimeRanOutBeforeIsSaidAndEstimated) {
  auto machine = testing::Processor();
  Spoil(machine, kernels::Kernel::kRead, backends::MeasurementStatus::kOverBudget);
  const auto text = Rendered(testing::Decided(machine), Options(160));
  EXPECT_THAT(text, HasSubstr("its memory speed is estimated from facts: the time budget ran out"));
  EXPECT_THAT(text, HasSubstr("--thorough gives more"));
  EXPECT_THAT(text, HasSubstr("\nInference  "));
  EXPECT_THAT(text, Not(HasSubstr("nothing was measured")));
}

TEST(Text, WhatWasMeasuredAndIsOfNoUseIsNotCalledUnmeasured) {
  auto machine = testing::DiscreteAndIntegrated();
  std::erase_if(machine.devices,
                [](const auto& device) { return device.kind != probe::DeviceKind::kDiscrete; });
  auto& card = machine.devices.at(0);
  card.memory.total_bytes = card.memory.free_bytes = std::uint64_t{256} << 20U;
  for (auto& view : card.views) view.device.memory_total_bytes = view.device.memory_free_bytes = std::nullopt;
  const auto text = Rendered(testing::Decided(machine), Options(160));
  EXPECT_THAT(text, HasSubstr("not predicted: cuda on "));
  EXPECT_THAT(text, HasSubstr("256 MiB are free"));
  EXPECT_THAT(text, Not(HasSubstr("nothing was measured")));
}

TEST(Text, SectionsWithoutAPredictionSayWhy) {
  auto machine = testing::Processor();
  Spoil(machine, kernels::Kernel::kRead, backends::MeasurementStatus::kCrashed);
  const auto text = Rendered(testing::Decided(machine), Options(160));
  EXPECT_THAT(text, HasSubstr("Use cpu on Intel Xeon Processor; its speed is not known\n"));
  EXPECT_THAT(text,
              HasSubstr("because there is no GPU in this machine; its memory read crashed the driver\n"));
  for (const char* title : {"Inference", "Training"})
    EXPECT_THAT(
        text, ::testing::ContainsRegex(std::string("\n") + title +
                                       "  [^\n]*\n    not predicted: its memory read crashed the driver\n"));
}

TEST(Text, AnInterruptedRunSaysSo) {
  Report report = testing::Nothing();
  report.interrupted = true;
  EXPECT_THAT(Rendered(testing::Decided(report), Options(80)),
              HasSubstr("No answer: the run was interrupted before there was one"));
  report = testing::Decided(testing::Server());
  report.interrupted = true;
  report.recommendations.clear();
  const auto late = Rendered(report, Options(80));
  EXPECT_THAT(late, Not(HasSubstr("before there was one")));
  EXPECT_THAT(late, HasSubstr("No answer: the run was interrupted before all that decides it was measured"));
}

TEST(Text, FiguresThatMakeNoSenseStillStandApart) {
  auto machine = testing::Processor();
  for (auto& m : machine.measurements) *m.rate *= 1e-7;
  const auto text = Rendered(testing::Decided(machine), Options(80));
  EXPECT_THAT(text, ::testing::ContainsRegex("Intel Xeon Processor  [0-9]+ days  [0-9]+ days"));
  EXPECT_THAT(text, ::testing::ContainsRegex("first token after [0-9]+ days"));
}

TEST(Text, OfTimesTheShortestIsTheBest) {
  auto machine = testing::Processor();
  testing::Measure(machine, "cpu:0", "cpu", "native", kernels::Kernel::kLaunch, 2e-6);
  testing::Measure(machine, "cpu:0", "vulkan", "llvmpipe", kernels::Kernel::kLaunch, 40e-6);
  const auto lines = LinesOf(Rendered(testing::Decided(machine), Options(80, false)));
  const auto bar = [&](std::string_view figure) {
    for (const auto& line : lines) {
      if (line.find("launch") != std::string::npos && line.find(figure) != std::string::npos) {
        return std::count(line.begin(), line.end(), '#');
      }
    }
    return std::ptrdiff_t{-1};
  };
  EXPECT_GT(bar("2.0 us"), 5 * bar("40 us"));
  EXPECT_GT(bar("40 us"), 0);
}

TEST(Text, EveryBlockHasItsRowsInOneOrder) {
  using kernels::Dtype;
  using kernels::Kernel;
  auto machine = testing::Processor();
  machine.measurements.clear();
  const std::vector<std::pair<Kernel, Dtype>> figures = {
      {Kernel::kLaunch, Dtype::kFp32}, {Kernel::kChain, Dtype::kFp32}, {Kernel::kTriad, Dtype::kFp32},
      {Kernel::kRead, Dtype::kU32},    {Kernel::kGemv, Dtype::kQ4},    {Kernel::kGemm, Dtype::kBf16},
      {Kernel::kGemm, Dtype::kFp32}};
  for (const auto& [kernel, dtype] : figures)
    testing::Measure(machine, "cpu:0", "cpu", "native", kernel, 1e9, dtype);
  const std::vector<std::pair<Kernel, Dtype>> reversed(figures.rbegin(), figures.rend());
  for (const auto& [kernel, dtype] : reversed)
    testing::Measure(machine, "cpu:0", "vulkan", "llvmpipe", kernel, 1e9, dtype);
  const auto text = Rendered(testing::Decided(machine), Options(100));
  const auto order = std::string(
      "fp32 matrix product.*bf16 matrix product.*q4 matrix-vector.*memory read.*memory triad.*fp32 "
      "arithmetic.*kernel launch");
  std::string line = text.substr(0, text.find("\nInference"));
  std::replace(line.begin(), line.end(), '\n', ' ');
  EXPECT_TRUE(std::regex_search(line, std::regex(order + ".*vulkan.*" + order))) << text;
}

TEST(Text, NarrowTerminalsKeepTheQualityAndTheLegendSaysWhatIsShown) {
  auto machine = testing::Processor();
  machine.measurements[0].quality = backends::Quality::kNoisy;
  const auto narrow = Rendered(testing::Decided(machine), Options(40));
  EXPECT_THAT(narrow, HasSubstr("\nDevices  checked\n"));
  EXPECT_THAT(narrow, HasSubstr("\n    fp32 product 250 GFLOP/s noisy\n"));
  const auto wide = Rendered(testing::Decided(machine), Options(50));
  EXPECT_THAT(wide, HasSubstr("\nDevices  checked; ± 95 % interval\n"));
  EXPECT_THAT(wide, HasSubstr("±1.0 %   noisy\n"));
}

TEST(Text, AnIntervalThatIsMissingOrWiderThanItsFigureIsSaidSo) {
  auto machine = testing::Processor();
  machine.measurements[0].ci95 = std::nullopt;
  machine.measurements[1].ci95 = {0.2, 3.0};
  const auto text = Rendered(testing::Decided(machine), Options(100));
  EXPECT_THAT(text, ::testing::ContainsRegex("fp32 matrix product +250 GFLOP/s  ±\\?"));
  EXPECT_THAT(text, ::testing::ContainsRegex("read +27.0 GB/s  ±>100 %"));
}

TEST(Text, TheProductThatPredictsIsShownByTheNameThatTheArithmeticGivesIt) {
  auto machine = testing::Processor();
  testing::Measure(machine, "cpu:0", "cpu", "native", kernels::Kernel::kGemm, 200e9).shape = {512, 4096, 4096,
                                                                                              0, 0};
  const auto report = testing::Decided(machine);
  EXPECT_THAT(Rendered(report, Options(100)),
              ::testing::ContainsRegex("\n    fp32 prompt product +200 GFLOP/s"));
  EXPECT_THAT(report.recommendations[0].arithmetic.value_or(""),
              HasSubstr("prefill by fp32 prompt product 200 GFLOP/s"));
}

// A slow device's square product has as many rows as a prompt, and its prompt's fewer.
TEST(Text, NoNameOfAFigureStandsTwiceInABlock) {
  auto machine = testing::Processor();
  const auto is_product = [](const auto& m) {
    return m.runtime == "vulkan" && m.kernel == kernels::Kernel::kGemm;
  };
  const auto square = std::ranges::find_if(machine.measurements, is_product);
  ASSERT_NE(square, machine.measurements.end());
  auto prompt = *square;
  square->shape = {kPromptRows, kPromptRows, kPromptRows, 0, 0};
  prompt.shape = {32, 4096, 4096, 0, 0};
  *prompt.rate *= 1.03;
  machine.measurements.push_back(prompt);
  const auto lines = LinesOf(Rendered(testing::Decided(machine), Options(80)));
  EXPECT_EQ(std::ranges::count_if(
                lines, [](const std::string& line) { return line.starts_with("    fp32 matrix product"); }),
            3)
      << "one of the processor and one of each view";
}

TEST(Text, WhatWasPassedOverIsOneLineAndNoFailure) {
  auto machine = testing::Processor();
  auto& m = testing::Measure(machine, "cpu:0", "cpu", "native", kernels::Kernel::kGemm, 1);
  m.status = backends::MeasurementStatus::kOverBudget;
  m.verified = false;
  m.rate = std::nullopt;
  m.implementation = "own:avx2";
  m.reason = "needs about 5.6 s to be verified, 0 s are left";
  auto options = Options(160);
  options.verbose = true;
  EXPECT_THAT(Rendered(testing::Decided(machine), options),
              HasSubstr("\n    · fp32 matrix product 1024x1024x1024 by own:avx2 did not fit the time budget: "
                        "needs about 5.6 s\n"));
  machine.measurements.back().reason = std::string("arrays of 50 MiB ").append(backends::kInTheCaches);
  EXPECT_THAT(Rendered(testing::Decided(machine), options),
              HasSubstr("fp32 matrix product 1024x1024x1024 by own:avx2 was not measured: arrays of 50 MiB"));
}

TEST(Text, WhatADriverCountsAsUnitsIsNamed) {
  Report report;
  report.devices.push_back(testing::Gpu("0000:03:00.0", "Arc A770", probe::DeviceKind::kDiscrete, 16));
  report.devices[0].vendor = "Intel";
  report.devices[0].hardware->identity.ids = probe::PciIds{0x8086, 0x56a0, {}, {}, {}};
  auto& own = testing::AddView(report.devices[0], "level_zero", "Intel", probe::DeviceKind::kDiscrete);
  own.device.compute_units = 512;
  auto& mesa = testing::AddView(report.devices[0], "opencl", "rusticl", probe::DeviceKind::kDiscrete);
  mesa.device.compute_units = 1;
  mesa.device.facts = {{"compute_unit", "sub-slice"}};
  auto options = Options(160);
  EXPECT_THAT(Rendered(testing::Decided(report), options), Not(HasSubstr("execution units")));
  options.verbose = true;
  EXPECT_THAT(Rendered(testing::Decided(report), options),
              AllOf(HasSubstr("512 execution units"), HasSubstr("1 sub-slice\n")));
}

TEST(Text, TheRankingShowsWhatIsNoisyAsTheFirstLineDoes) {
  auto report = testing::Processor();
  for (auto& m : report.measurements) m.quality = backends::Quality::kNoisy;
  report = testing::Decided(std::move(report));
  const auto& answer = report.recommendations.front();
  const auto range = TokensRangeText(*answer.writing_tokens_per_s, "\u2013") + " tokens/s";
  const auto text = Rendered(report, Options(160));
  const auto first = text.find(range);
  ASSERT_NE(first, std::string::npos);
  EXPECT_NE(text.find(range, first + 1), std::string::npos) << text;
  EXPECT_EQ(text.find(" " + TokensText(answer.writing_tokens_per_s->value) + " tokens/s"), std::string::npos);
}

TEST(Text, AWarningOfBothUsesIsSaidOnce) {
  auto machine = testing::Processor();
  machine.measurements[0].quality = backends::Quality::kNoisy;
  const auto text = Rendered(testing::Decided(machine), Options(80));
  EXPECT_EQ(text.find("figures are noisy"), text.rfind("figures are noisy"));
}

TEST(Text, NoPromiseOfTheFirstLineIsBrokenOrOfTrainingThatDoesNotFit) {
  auto machine = testing::Tie();
  auto& host = machine.devices.back().memory;
  host.total_bytes = host.free_bytes = 4ULL << 30U;  // nothing could be brought from there
  for (const int width : {60, 80, 100}) {
    const auto lines = LinesOf(Rendered(testing::Decided(machine), Options(width)));
    const auto head = lines[0] + "|" + lines[1];
    for (const char* promise : {" 53 tokens/s,", " first token after 629 ms"})
      EXPECT_THAT(head, HasSubstr(promise)) << width;
    EXPECT_THAT(lines, Contains(StartsWith("Nothing here fits training: a step needs 21 GiB,")));
    EXPECT_THAT(head, Not(HasSubstr("423"))) << width;
  }
  machine.devices.front().memory.total_bytes = machine.devices.front().memory.free_bytes = 24ULL << 30U;
  EXPECT_THAT(LinesOf(Rendered(testing::Decided(machine), Options(100)))[0],
              HasSubstr("training 423 tokens/s"));
}

TEST(Text, NoSpeedIsPromisedForAModelThatTheProcessorDoesNotHold) {
  auto machine = testing::Processor();
  auto& memory = machine.devices.back().memory;
  memory.total_bytes = memory.free_bytes = memory.usable_bytes = 512ULL << 20U;
  const auto lines = LinesOf(Rendered(testing::Decided(machine), Options(160)));
  EXPECT_THAT(lines[0], StartsWith("Nothing here fits Llama 3 8B Q4_K_M: it needs 5.1 GiB, and cpu on "));
  EXPECT_THAT(lines, Contains(StartsWith("Nothing here fits training: a step needs 21 GiB, and cpu on ")));
  EXPECT_THAT(lines, Contains(HasSubstr("needs 5.1 GiB and 512 MiB are free; the speed is told as if it")));
  for (const auto& line : lines) EXPECT_THAT(line, Not(StartsWith("Use "))) << "of what does not work";
}

TEST(Text, NoSpeedIsPromisedForAModelThatNeitherCardNorProcessorHolds) {
  auto machine = testing::Tie();
  auto& card = machine.devices.front().memory;
  auto& host = machine.devices.back().memory;
  card.total_bytes = card.free_bytes = 3ULL << 30U;
  host.total_bytes = host.free_bytes = host.usable_bytes = 512ULL << 20U;
  const auto report = testing::Decided(machine);
  const auto lines = LinesOf(Rendered(report, Options(160)));
  EXPECT_THAT(lines[0], StartsWith("Nothing here fits Llama 3 8B Q4_K_M: it needs 5.1 GiB, and "));
  const auto& answer = report.recommendations.front();
  EXPECT_EQ(answer.use, Use::kInference);
  EXPECT_EQ(answer.device_id, "pci:0000:01:00.0");
  ASSERT_TRUE(answer.nothing_fits);
  EXPECT_EQ(answer.nothing_fits->available_bytes, 3.0 * (1U << 30U));
  EXPECT_EQ(answer.nothing_fits->host_bytes, 512.0 * (1U << 20U));
  EXPECT_THAT(NothingFitsText(report, answer), HasSubstr(" has 3.0 GiB and the host 512 MiB"));
  EXPECT_NE(answer.confidence, Confidence::kHigh);
}

TEST(Text, WhySaysThatNothingFitsOnceInWhateverWords) {
  auto machine = testing::Processor();
  auto& memory = machine.devices.back().memory;
  memory.total_bytes = memory.free_bytes = memory.usable_bytes = 512ULL << 20U;
  auto report = testing::Decided(machine);
  report.recommendations.front().warnings = {Warning(WarningKind::kNothingFits, "", "it is too large"),
                                             Warning("it is noisy")};
  const auto text = Why(testing::TestTables(), report, Options(160));
  EXPECT_THAT(text, StartsWith("Nothing here fits Llama 3 8B Q4_K_M"));
  EXPECT_THAT(text, HasSubstr("it is noisy"));
  EXPECT_THAT(text, Not(HasSubstr("it is too large")));
}

TEST(Text, ATieSaysWhatItIsAndWhatDecidedIt) {
  const auto text = Rendered(testing::Decided(testing::Tie()), Options(160));
  EXPECT_THAT(text,
              HasSubstr("because it measures like opencl and vulkan, and more software is ready for it"));
  EXPECT_THAT(text, HasSubstr("1= equal: within 5 %, each measured to 10 %."));
}

TEST(Text, DifferentUsesGetTheirOwnAnswers) {
  auto machine = testing::Tie();
  for (auto& m : machine.measurements) {
    if (m.runtime == "vulkan") *m.rate *= 1.3;
  }
  const auto text = Rendered(testing::Decided(machine), Options(80));
  EXPECT_THAT(text, HasSubstr("Use vulkan on NVIDIA GeForce RTX 3060"));
  EXPECT_THAT(text, HasSubstr("Use cuda on NVIDIA GeForce RTX 3060"));
}

std::string FirstStep(const Report& report) {
  const auto text = Rendered(testing::Decided(report), Options(160));
  const auto next = text.find("\nNext\n");
  return next == std::string::npos ? "" : text.substr(next + 6, text.find('\n', next + 6) - next - 6);
}

TEST(Text, WhereAGpuIsNotUsableItsFixComesNext) {
  EXPECT_THAT(FirstStep(testing::BrokenDriver()), HasSubstr("AMD Radeon RX 7900 XTX: join the groups"));
  EXPECT_THAT(FirstStep(testing::Server()), HasSubstr("NVIDIA T400: install NVIDIA's driver"));
  for (const auto& machine : testing::Machines()) {
    const auto report = testing::Decided(machine.build());
    const bool gpu = std::any_of(report.devices.begin(), report.devices.end(), IsGpu);
    const bool rents = Rendered(report, Options(160)).find("worth renting") != std::string::npos;
    EXPECT_EQ(rents, !gpu) << machine.name;
  }
}

TEST(Text, EachPartOfACommandRunsAsRoot) {
  Report report = testing::Decided(testing::Processor());
  auto& finding = report.findings.emplace_back();
  finding.severity = Severity::kDegraded;
  finding.fix = {{"reload it", "rmmod a && modprobe b && modprobe c", true, false},
                 {"look", "ls && true", false, false}};
  auto text = Rendered(report, Options(160));
  EXPECT_THAT(text, HasSubstr("  sudo rmmod a && sudo modprobe b && sudo modprobe c\n"));
  EXPECT_THAT(text, HasSubstr("  ls && true\n"));
  report.as_root = "doas";
  text = Rendered(report, Options(160));
  EXPECT_THAT(text, HasSubstr("  doas rmmod a && doas modprobe b && doas modprobe c\n"));
}

TEST(Text, AFixOfSeveralFindingsIsSaidOnce) {
  Report report = testing::Decided(testing::Processor());
  for (const char* summary : {"first", "second"}) {
    auto& finding = report.findings.emplace_back();
    finding.severity = Severity::kDegraded;
    finding.summary = summary;
    finding.fix = {{"mend both", "mend", true, false}};
  }
  const auto text = Rendered(report, Options(160));
  EXPECT_EQ(text.find("mend both"), text.rfind("mend both"));
  EXPECT_GT(text.find("→ as above"), text.find("second"));
}

TEST(Text, GpusThatOneFixMendsShareItsLine) {
  auto machine = testing::Server();
  auto another = machine.devices[1];
  another.id = "pci:0000:42:00.0";
  another.name = "NVIDIA T600";
  machine.devices.push_back(another);
  EXPECT_THAT(FirstStep(machine), HasSubstr("NVIDIA T400, NVIDIA T600: install NVIDIA's driver"));
}

TEST(Text, NeverCallsASoftwareDeviceAGpu) {
  const auto text = Rendered(testing::Decided(testing::Processor()), Options(80));
  EXPECT_THAT(text, HasSubstr("software on this processor"));
  EXPECT_THAT(text, HasSubstr("there is no GPU in this machine"));
  EXPECT_THAT(text, Not(HasSubstr("graphics card")));
}

}  // namespace
}  // namespace report::render
