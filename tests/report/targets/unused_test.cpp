// SPDX-License-Identifier: MIT
// What is said of GPUs beside a processor that is the answer for a program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "report/assume/assume.h"
#include "report/decide/decide.h"
#include "report/targets/build.h"
#include "report/targets/targets.h"

namespace report::targets {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

Report ReportOf(const std::vector<std::string>& machine, const std::string& target,
                void (*change)(assume::Machine&), const RunRequest& asked = {}) {
  auto imagined = assume::Imagine(*EmbeddedTables(), machine);
  EXPECT_TRUE(imagined);
  if (!imagined) return {};
  if (change != nullptr) change(*imagined);
  Record record;
  record.created = "2026-11-26T00:00:00Z";
  record.host = imagined->host;
  record.probes = imagined->probes;
  RunRequest request = asked;
  request.command = "recommend";
  request.uses = {Use::kInference};
  request.terms.target = *EmbeddedTarget(target);
  return Decide(request, *EmbeddedTables(), record, {std::move(imagined->devices), {}, {}});
}

Recommendation AnswerOf(const std::vector<std::string>& machine, const std::string& target,
                        void (*change)(assume::Machine&)) {
  const auto report = ReportOf(machine, target, change);
  return report.recommendations.empty() ? Recommendation{} : report.recommendations.front();
}

const std::string kLinux = ",os=linux,arch=x86_64,glibc=2.36";

// Others hold nearly all of their memory.
void Fill(assume::Machine& machine) {
  for (auto& device : machine.devices) {
    if (device.kind != probe::DeviceKind::kDiscrete) continue;
    device.memory.total_bytes = std::uint64_t{80} << 30U;
    device.memory.usable_bytes.reset();
    device.memory.free_bytes = 40U << 20U;
    for (auto& view : device.views) view.device.memory_free_bytes = device.memory.free_bytes;
  }
}

// What is installed is for the time after that.
TEST(Unused, OfGpusWhoseMemoryOthersHoldOneIsTheAnswerAllTheSame) {
  const std::string gpu = "cc=8.0,driver=580.95.05" + kLinux;
  const auto answer = AnswerOf({gpu, gpu, gpu}, "llama.cpp", Fill);
  EXPECT_EQ(answer.backend, "cuda");
  EXPECT_EQ(answer.basis, Basis::kEstimated);
  EXPECT_EQ(answer.confidence, Confidence::kLow);
  EXPECT_THAT(answer.warnings,
              Contains(HasSubstr("now, 40 MiB of 80 GiB are free: the answer is for when they")));
  EXPECT_THAT(AnswerOf({gpu}, "llama.cpp", nullptr).warnings, Not(Contains(HasSubstr("are free"))));
  RunRequest asked;
  asked.terms.min_memory_bytes = std::uint64_t{12} << 30U;
  EXPECT_EQ(ReportOf({gpu}, "llama.cpp", Fill, asked).recommendations.size(), 0U) << "what is free counts";
  const auto small = ReportOf({gpu + ",ram=64GiB"}, "pytorch", Fill, asked);
  ASSERT_EQ(small.recommendations.size(), 1U);
  EXPECT_EQ(small.recommendations.at(0).backend, "cpu");
  EXPECT_THAT(
      small.recommendations.at(0).warnings,
      Contains(HasSubstr("is not used: 40 MiB of 80 GiB are free, and --min-memory asks for 12 GiB")));
  asked.terms.min_memory_bytes = std::uint64_t{1} << 20U;
  EXPECT_EQ(ReportOf({gpu}, "llama.cpp", Fill, asked).recommendations.at(0).backend, "cuda") << "so much is";
  // One that is free goes before it.
  const auto beside =
      AnswerOf({gpu, "vendor=amd,gfx=gfx1100,memory=24GiB"}, "pytorch", [](assume::Machine& machine) {
        Fill(machine);
        auto& free = machine.devices.back();
        for (auto& view : free.views) view.device.memory_free_bytes = free.memory.total_bytes;
        free.memory.free_bytes = free.memory.total_bytes;
      });
  EXPECT_EQ(beside.backend, "hip");
}

// What others leave lets kernels run, and not the program's work.
TEST(Unused, ACardOfWhichOthersLeaveALittleIsTheAnswerAsOneThatIsFull) {
  auto imagined = assume::Imagine(*EmbeddedTables(), {"cc=8.0,driver=580.95.05" + kLinux});
  ASSERT_TRUE(imagined);
  Fill(*imagined);
  Record record;
  record.host = imagined->host;
  record.probes = imagined->probes;
  record.calibrated = true;
  for (auto& device : imagined->devices) {
    if (device.kind == probe::DeviceKind::kDiscrete) device.memory.free_bytes = std::uint64_t{3} << 30U;
    for (auto& view : device.views) {
      view.device.memory_free_bytes = device.memory.free_bytes;
      for (const auto kernel : {kernels::Kernel::kGemm, kernels::Kernel::kRead}) {
        auto& m = record.measurements.emplace_back();
        m.device_id = device.id;
        std::tie(m.runtime, m.driver) = std::tie(view.device.runtime, view.device.driver);
        m.kernel = kernel;
        m.implementation = "own:some";
        m.status = backends::MeasurementStatus::kOk;
        m.verified = true;
        m.rate = device.kind == probe::DeviceKind::kCpu ? 5e10 : 1e12;
        m.ci95 = {0.99, 1.01};
      }
    }
  }
  RunRequest request;
  request.command = "recommend";
  request.uses = {Use::kTraining};
  request.terms.target = *EmbeddedTarget("pytorch");
  const auto report = Decide(request, *EmbeddedTables(), record, {std::move(imagined->devices), {}, {}});
  const auto& answer = report.recommendations.at(0);
  EXPECT_EQ(answer.backend, "cuda");
  EXPECT_THAT(std::vector<std::string>(answer.warnings.begin(), answer.warnings.end()),
              Contains(HasSubstr("now, 3.0 GiB of 80 GiB are free")));
}

// Which a command of Docker's is run by.
TEST(Unused, AContainerHasNoDockerOfItsOwn) {
  const auto missing = [](const std::string& container) {
    const auto answer = AnswerOf({"vendor=none,ram=64GiB" + container + kLinux}, "vllm", nullptr);
    EXPECT_TRUE(answer.artefact && answer.artefact->image);
    return answer.artefact ? answer.artefact->missing : std::vector<std::string>{};
  };
  EXPECT_THAT(missing(",container=yes"), Contains(HasSubstr("Docker, on the host")));
  EXPECT_THAT(missing(""), Not(Contains(HasSubstr("Docker, on the host"))));
}

// The runtime is there and can not be loaded.
void Break(assume::Machine& machine) {
  for (auto& device : machine.devices) {
    if (device.kind != probe::DeviceKind::kDiscrete) continue;
    device.views.clear();
    device.hardware->kernel_driver = "amdgpu";
  }
  for (auto& probe : machine.probes) {
    if (probe.module != "hip") continue;
    probe.outcome = probe::Outcome::kFailed;
    probe.stage = probe::Stage::kLoad;
    probe.error =
        probe::Error{"dlopen libamdhip64.so.6", std::nullopt, "unloadable", "libnuma.so.1 is missing"};
  }
}

TEST(Unused, NamesTheBuildThatABrokenRuntimeKeepsFromTheGpus) {
  const std::string gpu = "vendor=amd,gfx=gfx1100" + kLinux;
  const auto answer = AnswerOf({gpu, gpu}, "llama.cpp", Break);
  EXPECT_EQ(answer.backend, "cpu");
  std::vector<std::string> about;
  for (const std::string& warning : answer.warnings) {
    if (warning.find("not used") != std::string::npos) about.push_back(warning);
  }
  ASSERT_EQ(about.size(), 1U);
  EXPECT_THAT(about[0], ::testing::StartsWith("2 x "));
  EXPECT_THAT(about[0], HasSubstr("; once that is mended llama.cpp's hip-source fits"));
  const auto first = about[0].find("libnuma.so.1 is missing");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(about[0].find("libnuma.so.1 is missing", first + 1), std::string::npos) << about[0];
}

// A variable hides the GPU, and with that all that its runtime has.
void Hide(assume::Machine& machine) {
  Break(machine);
  for (auto& device : machine.devices) {
    if (device.kind == probe::DeviceKind::kDiscrete)
      device.hardware->facts.push_back({"hidden_by", "HIP_VISIBLE_DEVICES"});
  }
  for (auto& probe : machine.probes) {
    if (probe.module != "hip") continue;
    probe.outcome = probe::Outcome::kHidden;
    probe.environment = {{"HIP_VISIBLE_DEVICES", "-1"}};
  }
}

TEST(Unused, WhatHidesAGpuIsToldOnce) {
  const auto answer = AnswerOf({"vendor=amd,gfx=gfx1100" + kLinux}, "pytorch", Hide);
  EXPECT_THAT(answer.warnings, Contains(AllOf(HasSubstr("is not used: hidden by HIP_VISIBLE_DEVICES=-1; once "
                                                        "that is mended PyTorch's rocm"),
                                              Not(HasSubstr("an environment variable")))));
}

// As in WSL, where no bus lists what the variable hides.
void HideAll(assume::Machine& machine) {
  std::erase_if(machine.devices, [](const auto& device) { return device.kind != probe::DeviceKind::kCpu; });
  for (auto& probe : machine.probes) {
    if (probe.module != "cuda") continue;
    probe.outcome = probe::Outcome::kHidden;
    probe.stage = probe::Stage::kInit;
    probe.error = probe::Error{"cuInit", 100, "CUDA_ERROR_NO_DEVICE",
                               "CUDA_VISIBLE_DEVICES=\"-1\" leaves none of 2 GPUs"};
    probe.environment = {{"CUDA_VISIBLE_DEVICES", "-1"}};
  }
}

TEST(Unused, NamesWhatHidesGpusThatNothingShows) {
  const auto about = HasSubstr("CUDA_VISIBLE_DEVICES=\"-1\" leaves none of 2 GPUs");
  for (const std::string& target : TargetNames()) {
    const auto report = ReportOf({"cc=8.0,driver=580.95.05" + kLinux}, target, HideAll);
    if (report.no_answer) {
      EXPECT_THAT(report.no_answer->reason, about) << target;
      continue;
    }
    const auto& answer = report.recommendations.front();
    EXPECT_EQ(answer.backend, "cpu") << target;
    EXPECT_THAT(answer.warnings, Contains(about)) << target;
    EXPECT_EQ(answer.reasons.front().id, ReasonId::kGpusHidden) << target;
    EXPECT_THAT(answer.reasons.front().text, about) << target;
  }
}

// The processor is the answer, and nobody wonders what became of the GPU.
TEST(Unused, AGpuThatIsNotFasterThanTheProcessorIsNamedWithTheReason) {
  const auto answer =
      AnswerOf({"name=UHD Graphics 630,os=linux,arch=x86_64,glibc=2.39"}, "llama.cpp", nullptr);
  EXPECT_EQ(answer.backend, "cpu");
  EXPECT_THAT(answer.warnings, Contains(HasSubstr("UHD Graphics 630 is not used: by Level Zero it is ")));
}

// As a Mac's under Linux, where Metal is not.
void RunLinuxWithoutRuntimes(assume::Machine& machine) {
  machine.host.system = "linux";
  for (auto& device : machine.devices) {
    if (device.kind != probe::DeviceKind::kCpu) device.views.clear();
  }
  for (auto& probe : machine.probes) {
    if (probe.module != "metal") continue;
    probe.outcome = probe::Outcome::kAbsent;
    probe.error = probe::Own(probe::OwnError::kNothingKnown, "--assume", "nobody says that it is installed");
  }
}

TEST(Unused, OfAGpuThatNothingReachesTheBuildThatWouldFitIsNamedOrWhatElseHasCodeForIt) {
  const auto of = [](const char* program) {
    return AnswerOf({"name=Apple M2"}, program, RunLinuxWithoutRuntimes).warnings;
  };
  const auto unreached = HasSubstr("is not used: no runtime reaches it");
  EXPECT_THAT(
      of("llama.cpp"),
      Contains(AllOf(unreached,
                     HasSubstr("; its vulkan-arm64 is for Vulkan, which the description does not name"),
                     Not(HasSubstr("what has code for it")))));
  EXPECT_THAT(of("pytorch"),
              Contains(HasSubstr("is not used: PyTorch's mps is for macos; what has code for it: "
                                 "llama.cpp by Vulkan (vulkan-arm64)")));
  EXPECT_THAT(of("openvino"),
              Contains(AllOf(unreached, HasSubstr("; what has code for it: llama.cpp by Vulkan"))));
}

}  // namespace
}  // namespace report::targets
