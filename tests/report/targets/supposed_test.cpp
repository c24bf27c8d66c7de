// SPDX-License-Identifier: MIT
// Ways that no probe saw: by a runtime that the program brings, and by one that this build can not look for.
#include "report/targets/supposed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "report/assume/assume.h"
#include "report/core/devices.h"
#include "report/decide/decide.h"

namespace report::targets {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

// Of the runtimes of data/runtimes the one whose architectures follow from the names of chips: only of such a
// runtime a device is supposed that nobody looked for.
constexpr std::string_view kUnlooked = "level_zero";

// The tables of a build that has no module for it.
const Tables& WithoutItsModule() {
  static const Tables tables = [] {
    auto all = *EmbeddedTables();
    std::erase(all.looked_for, kUnlooked);
    return all;
  }();
  return tables;
}

// A GPU that the kernel calls by its maker's name of the chip, on a machine whose build of this program has
// no module for the maker's own runtime.
struct Machine {
  std::string words = "vendor=intel,memory=12GiB,runtime=none,glibc=2.39";
  std::string chip = "bmg-g21";
  bool openable = true;
  probe::EnvironmentVariable hidden_by{};  // of the runtime's probe, where it has a name
  std::optional<probe::Stage> fails_at{};  // all probes of runtimes that are not installed
  std::optional<probe::Error> fails_with{};
};

Report Answered(const Tables& tables, const assume::Machine& imagined, const std::string& target,
                const RunRequest& asked) {
  Record record;
  record.created = "2026-11-25T00:00:00Z";
  record.host = imagined.host;
  record.probes = imagined.probes;
  RunRequest request = asked;
  request.command = "recommend";
  request.uses = {Use::kTraining};
  request.terms.target = *EmbeddedTarget(target);
  return Decide(request, tables, record, {imagined.devices, {}});
}

Report Answer(const Machine& machine, const std::string& target, const RunRequest& asked = {}) {
  auto imagined = *assume::Imagine(*EmbeddedTables(), {machine.words});
  std::erase_if(imagined.probes, [](const auto& probe) { return probe.module == kUnlooked; });
  for (auto& probe : imagined.probes) {
    if (!machine.hidden_by.name.empty()) probe.environment = {machine.hidden_by};
    if (machine.fails_at && probe.outcome == probe::Outcome::kAbsent) {
      probe.outcome = probe::Outcome::kFailed;
      probe.stage = *machine.fails_at;
      probe.error = machine.fails_with;
    }
  }
  auto& hardware = *imagined.devices.back().hardware;
  hardware.facts.push_back({"table_target", machine.chip});
  hardware.nodes.push_back({"/dev/dri/renderD128", true, machine.openable});
  return Answered(WithoutItsModule(), imagined, target, asked);
}

TEST(Unlooked, ACardThatTheProgramCoversIsTheAnswerAndSaidToBeUnmeasured) {
  const auto report = Answer({}, "pytorch");
  ASSERT_EQ(report.recommendations.size(), 1U);
  const auto& answer = report.recommendations.front();
  EXPECT_EQ(answer.backend, kUnlooked);
  EXPECT_EQ(answer.artefact->id, "xpu");
  EXPECT_EQ(answer.confidence, Confidence::kLow);
  EXPECT_THAT(answer.warnings, Contains(HasSubstr("this version can not look for it")));
}

TEST(Unlooked, OneThatTheProgramDoesNotCoverOrThatIsClosedIsNot) {
  Machine old;
  old.chip = "adls";
  const auto report = Answer(old, "pytorch");
  EXPECT_EQ(report.recommendations.front().backend, "cpu");
  EXPECT_THAT(report.recommendations.front().warnings, Each(Not(HasSubstr("can not look"))));
  Machine closed;
  closed.openable = false;
  EXPECT_EQ(Answer(closed, "pytorch").recommendations.front().backend, "cpu");
  Machine unknown;
  unknown.chip = "xyz";
  const auto answer = Answer(unknown, "pytorch").recommendations.front();
  EXPECT_EQ(answer.backend, "cpu");
  EXPECT_THAT(answer.warnings, Contains(HasSubstr("this version can not look for it")));
  EXPECT_EQ(answer.confidence, Confidence::kLow);
}

// As a record has it that an earlier version wrote: of the source of hardware the numbers alone.
TEST(Unlooked, OfARecordTheNumbersTellTheChip) {
  auto imagined =
      *assume::Imagine(*EmbeddedTables(), {"vendor=intel,name=Arc A770,runtime=vulkan,glibc=2.39"});
  std::erase_if(imagined.probes, [](const auto& probe) { return probe.module == kUnlooked; });
  auto& card = imagined.devices.back();
  card.hardware->architecture.reset();
  const auto answer = [&] {
    return Answered(WithoutItsModule(), imagined, "pytorch", {}).recommendations.front();
  };
  EXPECT_EQ(answer().artefact->id, "xpu");
  card.hardware->identity.ids->device = 0;
  EXPECT_EQ(answer().artefact->id, "cpu");
}

backends::Measurement FigureOf(const std::string& device, const probe::RuntimeDevice& by,
                               kernels::Kernel kernel, kernels::Dtype dtype, double rate) {
  backends::Measurement m;
  m.device_id = device;
  m.runtime = by.runtime;
  m.driver = by.driver;
  m.kernel = kernel;
  m.implementation = "own:tile";
  m.in_dtype = dtype;
  m.unit = kernels::Row(kernel).unit;
  m.rate = rate;
  m.ci95 = {0.99, 1.01};
  m.status = backends::MeasurementStatus::kOk;
  m.verified = true;
  return m;
}

// The card of OfARecord..., which Vulkan was measured on, and no program.
struct Card {
  double product = 60e12;
  double read = 436e9;
  bool all_asked = true;
  std::vector<std::string> excluded{};
};

Report AnswerWithoutProgram(const Card& of, Use use) {
  const auto& tables = WithoutItsModule();
  auto imagined = *assume::Imagine(tables, {"vendor=intel,name=Arc A770,runtime=vulkan,glibc=2.39"});
  std::erase_if(imagined.probes, [](const auto& probe) { return probe.module == kUnlooked; });
  Record record;
  record.created = "2026-11-25T00:00:00Z";
  record.calibrated = true;
  record.host = imagined.host;
  record.probes = imagined.probes;
  if (!of.all_asked) record.left_out = LeftOutBy::kOnly;
  using kernels::Dtype;
  using kernels::Kernel;
  for (const auto& device : imagined.devices) {
    for (const auto& view : device.views) {
      const bool card = device.kind != probe::DeviceKind::kCpu;
      record.measurements.push_back(FigureOf(device.id, view.device, Kernel::kGemm,
                                             card ? Dtype::kFp16 : Dtype::kFp32, card ? of.product : 0.6e12));
      record.measurements.push_back(
          FigureOf(device.id, view.device, Kernel::kRead, Dtype::kU32, card ? of.read : 45e9));
    }
  }
  RunRequest request;
  request.command = std::string(kWholeReport);
  request.uses = {use};
  request.terms.exclude = of.excluded;
  return Decide(request, tables, record, {imagined.devices, {}});
}

TEST(Unlooked, WithoutAProgramTheAnswerIsThatOfTheProgramThatItNames) {
  const auto report = AnswerWithoutProgram({}, Use::kTraining);
  const auto& answer = report.recommendations.front();
  EXPECT_EQ(answer.backend, kUnlooked);
  EXPECT_EQ(answer.basis, Basis::kEstimated);
  EXPECT_EQ(answer.confidence, Confidence::kLow);
  EXPECT_THAT(answer.warnings, Contains(AllOf(HasSubstr("this version can not look for it"),
                                              HasSubstr("where it is missing, install"))));
  ASSERT_TRUE(answer.programs);
  EXPECT_EQ(answer.programs->front().backend, answer.backend);
  EXPECT_EQ(answer.programs->front().device_id, answer.device_id);
  ASSERT_NE(ScoreOf(report, answer), nullptr);
  EXPECT_TRUE(answer.arithmetic);
}

TEST(Unlooked, OneThatTheCallerExcludesIsToldToBeFaster) {
  Card card;
  card.excluded = {std::string(kUnlooked)};
  const auto answer = AnswerWithoutProgram(card, Use::kTraining).recommendations.front();
  EXPECT_EQ(answer.backend, "cpu");
  const auto told = std::find_if(answer.reasons.begin(), answer.reasons.end(),
                                 [](const auto& one) { return one.id == ReasonId::kFasterLeftOut; });
  ASSERT_NE(told, answer.reasons.end());
  EXPECT_THAT(told->text, HasSubstr("of the speed of level_zero on "));
  EXPECT_EQ(told->option, "--exclude");
}

TEST(Unlooked, WithoutAProgramAWayThatWasMeasuredIsNeverPassedOver) {
  EXPECT_EQ(AnswerWithoutProgram({}, Use::kInference).recommendations.front().backend, "vulkan");
  Card card;
  card.all_asked = false;
  EXPECT_EQ(AnswerWithoutProgram(card, Use::kTraining).recommendations.front().backend, "cpu")
      << "the caller left runtimes out";
}

// What Vulkan measured of the card is what the card can do.
TEST(Unlooked, AnEstimateIsNoLowerThanWhatOtherRuntimesMeasured) {
  const auto tokens = [](const Card& card) {
    return *AnswerWithoutProgram(card, Use::kTraining).recommendations.front().tokens_per_s;
  };
  const auto slow = tokens({.product = 1e12});
  const auto fast = tokens({.product = 150e12});
  EXPECT_GT(fast.value, 1.2 * slow.value);
  EXPECT_GT(tokens({.product = 200e12}).value, 1.2 * fast.value);
  EXPECT_GT(slow.value, 50) << "of what is slow the data sheet tells";
}

TEST(Supposed, ARuntimeThatThisBuildLooksForIsNeverSaidToBeBeyondIt) {
  const auto& tables = EmbeddedTables();
  auto imagined = *assume::Imagine(*tables, {"vendor=nvidia,cc=8.6,runtime=vulkan,glibc=2.39"});
  std::erase_if(imagined.probes, [](const auto& probe) { return probe.module == "cuda"; });
  const auto warnings = [&] {
    return Answered(*tables, imagined, "pytorch", {}).recommendations.front().warnings;
  };
  EXPECT_THAT(warnings(), Each(Not(HasSubstr("can not look"))));
  EXPECT_THAT(warnings(), Contains(HasSubstr("its cu132 is for CUDA, which nobody looked for")));
  imagined.devices.back().hardware->architecture.reset();
  EXPECT_THAT(warnings(), Each(Not(HasSubstr("cu132")))) << "nobody knows whether it would fit";
}

TEST(Supposed, WhatTheCallerLeftOutIsNotSupposed) {
  RunRequest request;
  request.skip = {"vulkan"};
  EXPECT_EQ(Answer({}, "pytorch", request).recommendations.front().backend, "cpu");
}

TEST(Supposed, ARuntimeThatIsBroughtIsNamedAndNotRejected) {
  Machine machine{"vendor=amd,gfx=gfx1100,memory=24GiB,runtime=vulkan,glibc=2.39", "", true};
  const auto answer = Answer(machine, "pytorch").recommendations.front();
  EXPECT_EQ(answer.backend, "hip");
  EXPECT_THAT(answer.reasons.front(), HasSubstr("is not installed, and PyTorch's"));
  for (const Rejected& option : answer.rejected) EXPECT_NE(option.runtime, "hip");
  machine.openable = false;
  EXPECT_EQ(Answer(machine, "pytorch").recommendations.front().backend, "cpu");
}

// A GPU that its runtime shows, of which nothing was measured: everything failed for `reason`.
struct Failed {
  std::string words = "vendor=amd,gfx=gfx1100,memory=24GiB,runtime=hip,arch=x86_64,glibc=2.39";
  std::string reason =
      "dlopen libhiprtc.so.6: no_hiprtc: ROCm's run-time compiler is not installed: there is no libhiprtc.so";
  std::string target = "pytorch";  // "": the caller has none
  Use use = Use::kTraining;
  std::vector<std::string> excluded{};
};

Report AnswerOf(const Failed& of) {
  const auto& tables = EmbeddedTables();
  auto imagined = *assume::Imagine(*tables, {of.words});
  Record record;
  record.created = "2026-11-25T00:00:00Z";
  record.calibrated = true;
  record.host = imagined.host;
  record.probes = imagined.probes;
  for (const auto& device : imagined.devices) {
    for (const auto& view : device.views) {
      for (const auto kernel : {kernels::Kernel::kGemm, kernels::Kernel::kRead}) {
        auto m = FigureOf(device.id, view.device, kernel, kernels::Dtype::kFp32, 45e9);
        if (device.kind != probe::DeviceKind::kCpu) {
          m.status = backends::MeasurementStatus::kFailed;
          m.verified = false;
          m.rate.reset();
          m.stage = "compile";
          m.reason = of.reason;
        }
        record.measurements.push_back(std::move(m));
      }
    }
  }
  RunRequest request;
  request.command = std::string(of.target.empty() ? kWholeReport : kRecommending);
  request.uses = {of.use};
  if (!of.target.empty()) request.terms.target = *EmbeddedTarget(of.target);
  request.terms.exclude = of.excluded;
  return Decide(request, *tables, record, {imagined.devices, {}});
}

TEST(Spared, AProgramThatBringsItsLibrariesIsTheAnswerWhereTheirLackKeptThisToolFromMeasuring) {
  const auto answer = AnswerOf({}).recommendations.front();
  EXPECT_EQ(answer.backend, "hip");
  ASSERT_TRUE(answer.artefact);
  EXPECT_EQ(answer.artefact->id, "rocm7.14");
  EXPECT_EQ(answer.basis, Basis::kEstimated);
  EXPECT_EQ(answer.confidence, Confidence::kLow);
  EXPECT_THAT(answer.warnings, Contains(AllOf(HasSubstr("hip could not be measured here"),
                                              HasSubstr("there is no libhiprtc.so"))));
  EXPECT_EQ(answer.reasons.front().id, ReasonId::kRuntimeBrought);
  EXPECT_THAT(answer.environment, ::testing::SizeIs(1)) << "the runtime shows it: its number is known";
  // The way that was tried stays one that failed.
  EXPECT_THAT(answer.rejected, Contains(::testing::Field(&Rejected::reason, HasSubstr("no_hiprtc"))));
}

TEST(Spared, EveryProgramIsThatBringsItsRuntimeAndNoOther) {
  std::size_t brought = 0;
  for (const auto& name : TargetNames()) {
    const auto target = *EmbeddedTarget(name);
    const auto is_own = [](const Build& build) {
      return build.backend == "hip" && build.brings_runtime.value_or(false);
    };
    const bool brings = std::any_of(target.builds.begin(), target.builds.end(), is_own);
    Failed machine;
    machine.words = "vendor=amd,gfx=gfx90a,memory=64GiB,runtime=hip,arch=x86_64,glibc=2.39";
    machine.target = name;
    machine.use = Use::kInference;
    const auto report = AnswerOf(machine);
    if (report.recommendations.empty()) {
      EXPECT_FALSE(brings) << target.name;
      continue;
    }
    const auto& answer = report.recommendations.front();
    EXPECT_EQ(answer.backend == "hip", brings) << target.name;
    if (!brings) continue;
    ++brought;
    const auto build = std::find_if(target.builds.begin(), target.builds.end(),
                                    [&](const Build& one) { return one.id == answer.artefact->id; });
    ASSERT_NE(build, target.builds.end()) << target.name;
    EXPECT_TRUE(is_own(*build)) << target.name;
  }
  EXPECT_GE(brought, 3U);
}

TEST(Spared, WhatAProgramWouldMeetTooIsNoReasonToTakeIt) {
  for (const char* reason : {"hipModuleLaunchKernel: hipErrorLaunchFailure (719)",
                             "hipDeviceSynchronize: hipErrorOutOfMemory (2)", "signal 11"}) {
    Failed machine;
    machine.reason = reason;
    EXPECT_EQ(AnswerOf(machine).recommendations.front().backend, "cpu") << reason;
  }
}

// Without the driver's compiler what has code for the very GPU runs.
TEST(Spared, ABuildWithCodeForTheGpuNeedsNoCompiler) {
  Failed machine;
  machine.words = "cc=8.6,driver=580.95.05,memory=24GiB,arch=x86_64,glibc=2.39";
  machine.reason =
      "cuModuleLoadDataEx: CUDA_ERROR_JIT_COMPILER_NOT_FOUND (221): libnvidia-ptxjitcompiler.so.1 is missing";
  const auto answer = AnswerOf(machine).recommendations.front();
  EXPECT_EQ(answer.backend, "cuda");
  EXPECT_EQ(answer.artefact->id, "cu132");
  EXPECT_EQ(answer.basis, Basis::kEstimated);
  EXPECT_THAT(answer.warnings, Contains(HasSubstr("libnvidia-ptxjitcompiler.so.1 is missing")));
  EXPECT_THAT(answer.reasons.front().text, HasSubstr("has code for this GPU"));
  machine.target = "cmake";
  EXPECT_EQ(AnswerOf(machine).recommendations.front().backend, "cuda") << "it is compiled for the GPU";
  machine.target = "docker";
  EXPECT_EQ(AnswerOf(machine).recommendations.front().backend, "cpu") << "nobody knows what it has code for";
}

TEST(Spared, WithoutAProgramTheAnswerIsThatOfTheProgramThatItNames) {
  Failed machine;
  machine.target.clear();
  for (const char* words : {"runtime=hip", "runtime=none"}) {
    machine.words = std::string("vendor=amd,gfx=gfx1100,memory=24GiB,arch=x86_64,glibc=2.39,") + words;
    const auto report = AnswerOf(machine);
    const auto& answer = report.recommendations.front();
    EXPECT_EQ(answer.backend, "hip") << words;
    EXPECT_EQ(answer.basis, Basis::kEstimated) << words;
    EXPECT_EQ(answer.reasons.front().id, ReasonId::kRuntimeBrought) << words;
    EXPECT_THAT(answer.reasons.front().text, HasSubstr("and PyTorch's rocm7.14 brings what it needs"))
        << words;
    EXPECT_TRUE(HasAny(answer.warnings, WarningKind::kUnseenHere)) << words;
    EXPECT_THAT(
        answer.rejected,
        Each(Not(::testing::AllOf(::testing::Field(&Rejected::device_id, std::nullopt),
                                  ::testing::Field(&Rejected::runtime, std::optional<std::string>("hip"))))))
        << words;
    ASSERT_TRUE(answer.programs);
    EXPECT_EQ(answer.programs->front().backend, answer.backend) << words;
    EXPECT_EQ(answer.programs->front().device_id, answer.device_id) << words;
    EXPECT_NE(ScoreOf(report, answer), nullptr) << words;
  }
  machine.use = Use::kInference;
  EXPECT_EQ(AnswerOf(machine).recommendations.front().backend, "cpu")
      << "llama.cpp runs by what is installed";
}

TEST(Spared, OfSeveralThatAreServedSoTheAnswerIsOfOne) {
  Failed machine;
  machine.target.clear();
  machine.words = "vendor=amd,gfx=gfx1100,memory=24GiB,count=2,arch=x86_64,glibc=2.39,runtime=none";
  const auto report = AnswerOf(machine);
  const auto& answer = report.recommendations.front();
  EXPECT_EQ(answer.backend, "hip");
  EXPECT_THAT(answer.reasons, Contains(::testing::Field(&Reason::id, ReasonId::kOneOfSeveral)));
  EXPECT_EQ(CountEqualGpus(report.devices, *FindDevice(report.devices, answer.device_id)), 2U);
}

// Beside a card of which nothing holds the work.
TEST(Spared, AWayThatHoldsTheWorkGoesBeforeOneThatDoesNot) {
  const auto& tables = EmbeddedTables();
  auto imagined = *assume::Imagine(
      *tables, {"name=RTX 3050,memory=4GiB,ram=8GiB,cc=8.6,glibc=2.39,driver=580.65,arch=x86_64",
                "vendor=amd,gfx=gfx1100,memory=24GiB,runtime=vulkan"});
  Record record;
  record.created = "2026-11-25T00:00:00Z";
  record.host = imagined.host;
  record.probes = imagined.probes;
  RunRequest request;
  request.command = kRecommending;
  request.uses = {Use::kTraining};
  const auto report = Decide(request, *tables, record, {imagined.devices, {}});
  const auto& answer = report.recommendations.front();
  EXPECT_EQ(answer.backend, "hip");
  EXPECT_THAT(answer.warnings, Each(Not(HasSubstr("its speed is told as if it had"))));
}

TEST(Spared, WhatTheCallerExcludesIsStillWhatHoldsTheWork) {
  Failed machine;
  machine.target.clear();
  machine.words = "vendor=amd,gfx=gfx1100,memory=24GiB,arch=x86_64,glibc=2.39,ram=2GiB,runtime=none";
  machine.excluded = {"hip"};
  const auto answer = AnswerOf(machine).recommendations.front();
  EXPECT_EQ(answer.backend, "cpu");
  EXPECT_FALSE(answer.nothing_fits) << "hip holds it, and --exclude names that";
  EXPECT_THAT(answer.reasons,
              Contains(::testing::Field(&Reason::option, std::optional<std::string>("--exclude"))));
}

TEST(Spared, ARuntimeThatDoesNotLoadIsNoneOfAProgramThatBringsIts) {
  Machine machine{"vendor=amd,gfx=gfx1100,memory=24GiB,runtime=none,glibc=2.39", "", true};
  for (const auto stage : {probe::Stage::kLoad, probe::Stage::kSymbols}) {
    machine.fails_at = stage;
    const auto answer = Answer(machine, "pytorch").recommendations.front();
    EXPECT_EQ(answer.backend, "hip");
    EXPECT_THAT(answer.reasons.front().text,
                HasSubstr("what is installed of ROCm does not load, and PyTorch's"));
  }
  machine.fails_with = probe::Own(probe::OwnError::kRefused, "dlopen", "others may write it");
  EXPECT_EQ(Answer(machine, "pytorch").recommendations.front().backend, "cpu") << "this tool did not load it";
  machine.fails_with.reset();
  machine.fails_at = probe::Stage::kInit;
  EXPECT_EQ(Answer(machine, "pytorch").recommendations.front().backend, "cpu") << "it is the driver's fault";
}

TEST(Spared, AVariableThatDecidesWhatIsShownThenIsNamed) {
  Machine machine{"vendor=amd,gfx=gfx1100,memory=24GiB,runtime=none,glibc=2.39", "", true};
  machine.hidden_by = {"HIP_VISIBLE_DEVICES", "-1"};
  const auto answer = Answer(machine, "pytorch").recommendations.front();
  EXPECT_EQ(answer.backend, "hip");
  EXPECT_THAT(answer.warnings, Contains(HasSubstr("HIP_VISIBLE_DEVICES=-1 is set, and decides which GPUs")));
}

}  // namespace
}  // namespace report::targets
