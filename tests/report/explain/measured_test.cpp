// SPDX-License-Identifier: MIT
// What becomes of figures that failed: whose fault they are, and what is said to do.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/core/wording.h"
#include "report/explain/explain.h"
#include "tests/report/explain/findings.h"
#include "tests/report/machines.h"

namespace report::explain {
namespace {

using backends::MeasurementStatus;
using kernels::Dtype;
using kernels::Kernel;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kCard = "pci:0000:01:00.0";
constexpr std::string_view kNote = "kernel.cuda.nvidia.own-new.pci-0000-01-00-0";

bool IsUsable(const Report& report, std::string_view runtime) {
  return std::any_of(report.scores.begin(), report.scores.end(), [&](const Score& score) {
    return score.device_id == kCard && score.runtime == runtime && score.eligible;
  });
}

// The card computes by CUDA, with another kernel for the same types, too; one more of its kernels failed.
Report WithFailed(MeasurementStatus status, Kernel kernel = Kernel::kGemm, std::string reason = "") {
  auto machine = testing::DiscreteAndIntegrated();
  testing::Measure(machine, kCard, "cuda", "NVIDIA", kernel, 1, Dtype::kBf16);
  auto& failed = testing::Measure(machine, kCard, "cuda", "NVIDIA", kernel, 1, Dtype::kBf16);
  failed.implementation = "own:new";
  failed.status = status;
  failed.verified = false;
  if (!reason.empty()) failed.reason = reason;
  return testing::Decided(machine);
}

TEST(Measured, ALibraryThatLackedMemoryIsNoWrongVersion) {
  auto machine = testing::DiscreteAndIntegrated();
  auto failed = testing::Measure(machine, "pci:0000:01:00.0", "cuda", "NVIDIA", kernels::Kernel::kGemm, 1e12);
  failed.status = backends::MeasurementStatus::kFailed;
  failed.verified = false;
  failed.implementation = "cublaslt";
  failed.lacked_memory = true;
  machine.measurements.back() = failed;
  testing::Measure(machine, "pci:0000:01:00.0", "cuda", "NVIDIA", kernels::Kernel::kGemm, 1e12);
  const auto report = testing::Decided(machine);
  const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                  [](const auto& one) { return one.id.starts_with("library."); });
  ASSERT_NE(found, report.findings.end());
  EXPECT_THAT(found->fix.at(0).text, HasSubstr("more memory"));
}

// What fails for want of memory on a card that others fill is told of its memory, and of no driver.
TEST(Measured, OfACardThatOthersFillOneFindingTellsOfItsMemory) {
  const auto ids = [](bool is_full) {
    auto machine = testing::DiscreteAndIntegrated();
    auto& card = machine.devices.front();
    std::erase_if(machine.measurements, [](const auto& m) { return m.device_id == kCard; });
    auto& failed = testing::Measure(machine, kCard, "cuda", "NVIDIA", Kernel::kGemm, 1, Dtype::kFp32);
    failed.status = MeasurementStatus::kFailed;
    failed.verified = false;
    failed.reason = "alloc: no memory";
    failed.lacked_memory = true;
    if (is_full) card.memory.free_bytes = *card.memory.total_bytes / 100;
    std::vector<std::string> all;
    for (const auto& finding : testing::Decided(machine).findings) {
      if (finding.id.starts_with("measure.") || finding.id.starts_with("memory.")) all.push_back(finding.id);
    }
    return all;
  };
  EXPECT_THAT(ids(true), ::testing::ElementsAre("memory.others.pci-0000-01-00-0"));
  EXPECT_THAT(ids(false), ::testing::ElementsAre("measure.cuda.nvidia.failed"));
}

TEST(Measured, AKernelThatFailsWhereOthersAreRightBlamesNoDriver) {
  for (const auto status : {MeasurementStatus::kWrongResult, MeasurementStatus::kFailed,
                            MeasurementStatus::kCrashed, MeasurementStatus::kTimedOut}) {
    for (const auto kernel : {Kernel::kGemm, Kernel::kGemv}) {
      const auto report = WithFailed(status, kernel);
      const auto* finding = FindById(report, kNote);
      ASSERT_NE(finding, nullptr) << probe::NameOf(status);
      EXPECT_EQ(finding->severity, Severity::kNote);
      EXPECT_THAT(finding->summary, HasSubstr("own:new"));
      EXPECT_THAT(TextsOf(*finding), HasSubstr("report it"));
      EXPECT_THAT(TextsOf(*finding), Not(HasSubstr("do not compute")));
      EXPECT_THAT(TextsOf(*finding), Not(HasSubstr("update the driver")));
      for (const auto& other : report.findings) EXPECT_FALSE(other.id.starts_with("measure.")) << other.id;
    }
  }
}

// What is between devices is no device's fault: nobody is told to mend the driver of one that works.
TEST(Measured, WhatFailsBetweenDevicesSpeaksAgainstNoneOfThem) {
  for (const auto status : {MeasurementStatus::kWrongResult, MeasurementStatus::kFailed,
                            MeasurementStatus::kCrashed, MeasurementStatus::kTimedOut}) {
    auto machine = testing::DiscreteAndIntegrated();
    auto& failed = testing::Measure(machine, kCard, "cuda", "NVIDIA", Kernel::kPeer, 1, Dtype::kU32);
    failed.implementation = "own:direct";
    failed.peer_id = "pci:0000:02:00.0";
    failed.status = status;
    failed.verified = false;
    failed.reason = "pci:0000:02:00.0: cuMemcpyHtoD: CUDA_ERROR_LAUNCH_FAILED (719)";
    const auto report = testing::Decided(machine);
    for (const auto& other : report.findings) EXPECT_FALSE(other.id.starts_with("measure.")) << other.id;
    const auto* finding = FindById(report, fmt::format("peers.cuda.nvidia.{}", probe::NameOf(status)));
    ASSERT_NE(finding, nullptr) << probe::NameOf(status);
    EXPECT_EQ(finding->device_id, std::nullopt);
    EXPECT_THAT(finding->summary, HasSubstr("pci:0000:01:00.0 and pci:0000:02:00.0: its copy to"));
    EXPECT_THAT(TextsOf(*finding), Not(HasSubstr("update the driver")));
    EXPECT_TRUE(IsUsable(report, "cuda"));
  }
}

// What is advised where a row between devices failed.
struct Between {
  const char* implementation;
  const char* stage;
  const char* reason;
  bool has_peer = true;
};
Finding OfBetween(const Between& of) {
  auto machine = testing::DiscreteAndIntegrated();
  auto& failed = testing::Measure(machine, kCard, "cuda", "NVIDIA", Kernel::kPeer, 1, Dtype::kU32);
  failed.implementation = of.implementation;
  if (of.has_peer) failed.peer_id = "pci:0000:02:00.0";
  failed.status = MeasurementStatus::kFailed;
  failed.stage = of.stage;
  failed.verified = false;
  failed.reason = of.reason;
  const auto report = testing::Decided(machine);
  const auto* finding = FindById(report, "peers.cuda.nvidia.failed");
  return finding == nullptr ? Finding{} : *finding;
}

TEST(Measured, AdviceOnLinksIsForCopiesByThemAlone) {
  constexpr const char* kUnknown = "cuMemcpyPeer: CUDA_ERROR_ILLEGAL_STATE (401)";
  const auto of = [](const Between& failed) { return TextsOf(OfBetween(failed)); };
  EXPECT_THAT(of({"own:direct", "launch", kUnknown}), HasSubstr("(ACS)"));
  EXPECT_THAT(of({"own:direct_sdma", "time", kUnknown}), HasSubstr("(ACS)"));
  EXPECT_THAT(of({"own:staged", "launch", kUnknown}), Not(HasSubstr("(ACS)")));
  const auto memory = of({"own:direct", "launch", "the memory limit of 64 MiB ended it"});
  EXPECT_THAT(memory, HasSubstr("higher memory limit"));
  EXPECT_THAT(memory, Not(HasSubstr("(ACS)")));
  const auto full = of({"", "init", "pci:0000:01:00.0: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2)", false});
  EXPECT_THAT(full, HasSubstr("other programs hold nearly all"));
  EXPECT_THAT(full, Not(HasSubstr("(ACS)")));
  const auto closed = of({"", "init", "cuCtxSetCurrent: CUDA_ERROR_INVALID_DEVICE (101)", false});
  EXPECT_THAT(closed, HasSubstr("did not open"));
  EXPECT_THAT(closed, Not(HasSubstr("(ACS)")));
}

TEST(Measured, WhatAddsUpOverAllDevicesIsToldOfNoSingleOne) {
  const auto finding = OfBetween({"nccl:all_reduce", "launch", "ncclAllReduce: internal error (3)", false});
  EXPECT_THAT(finding.summary, HasSubstr("between GPUs: its all-reduce failed (ncclAllReduce"));
  EXPECT_THAT(finding.summary, Not(HasSubstr("pci:")));
  EXPECT_THAT(TextsOf(finding), HasSubstr("install the library that joins them"));
}

// A row of no kernel stands for all that was to come.
TEST(Measured, ALostDeviceIsCalledSoAndNoProductThatFailed) {
  auto machine = testing::DiscreteAndIntegrated();
  auto& lost = testing::Measure(machine, kCard, "cuda", "NVIDIA", Kernel::kGemm, 1);
  lost.implementation.clear();
  lost.status = MeasurementStatus::kFailed;
  lost.verified = false;
  lost.stage = "time";
  lost.reason =
      std::string("cuMemcpyHtoD: CUDA_ERROR_OF_TOMORROW (9999); its context ended").append(kAndWithIt);
  const auto report = testing::Decided(machine);
  const auto* finding = FindById(report, "measure.cuda.nvidia.failed");
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(finding->summary, HasSubstr(": the device was lost while it was measured (cuMemcpyHtoD"));
  for (const auto& text : {finding->summary, TextsOf(*finding), finding->evidence.front().value})
    EXPECT_THAT(text, Not(HasSubstr("matrix product")));
  EXPECT_THAT(finding->meaning, HasSubstr("gave the device up while it was measured"));
}

TEST(Measured, ADriverThatIsSlowToCompileHangsNoGpu) {
  auto machine = testing::DiscreteAndIntegrated();
  for (auto& m : machine.measurements) {
    if (m.runtime != "cuda" || m.kernel != Kernel::kRead) continue;
    m.status = MeasurementStatus::kTimedOut;
    m.stage = "compile";
    m.implementation = "own:alone";
    m.verified = false;
    m.rate.reset();
  }
  const auto report = testing::Decided(machine);
  const auto* finding = FindById(report, "measure.cuda.nvidia.timed_out");
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(TextsOf(*finding), HasSubstr("no kernel hung"));
}

TEST(Measured, NoKernelIsBlamedWhereNoneWasLaunched) {
  struct Case {
    MeasurementStatus status;
    const char *stage, *implementation, *said;
  };
  for (const auto& [status, stage, implementation, said] :
       {Case{MeasurementStatus::kCrashed, "init", "", "when the GPU was opened"},
        {MeasurementStatus::kTimedOut, "init", "", "did not open in its time"},
        {MeasurementStatus::kFailed, "init", "", "does not open it"},
        {MeasurementStatus::kCrashed, "compile", "own:alone", "compiler took the whole process down"},
        {MeasurementStatus::kCrashed, "compile", "cublas", "while it was made ready"},
        {MeasurementStatus::kTimedOut, "compile", "cublas", "was not ready in its time"},
        {MeasurementStatus::kCrashed, "launch", "own:alone", "the driver's call that gets its memory"},
        {MeasurementStatus::kTimedOut, "launch", "own:alone", "the driver's call that gets its memory"}}) {
    auto machine = testing::DiscreteAndIntegrated();
    std::erase_if(machine.measurements, [](const auto& m) { return m.runtime == "cuda"; });
    auto& failed = testing::Measure(machine, kCard, "cuda", "NVIDIA", Kernel::kGemm, 1, Dtype::kFp32);
    failed.status = status;
    failed.stage = stage;
    failed.implementation = implementation;
    failed.verified = false;
    failed.rate.reset();
    const auto report = testing::Decided(machine);
    const auto* finding = FindById(report, fmt::format("measure.cuda.nvidia.{}", probe::NameOf(status)));
    ASSERT_NE(finding, nullptr) << said;
    EXPECT_THAT(finding->meaning, HasSubstr(said)) << stage;
    EXPECT_THAT(finding->summary,
                HasSubstr(std::string_view(stage) == "init" ? "its opening" : "matrix product"))
        << said;
  }
}

// Five processes of one GPU ended so, by a kernel of another kind each time.
TEST(Measured, WhereWorkOfEveryKindEndsTheContextNoKernelIsBlamed) {
  auto machine = testing::DiscreteAndIntegrated();
  testing::Measure(machine, kCard, "cuda", "NVIDIA", Kernel::kGemm, 1, Dtype::kBf16);
  const auto fail = [&](Kernel kernel, Dtype dtype) {
    auto& failed = testing::Measure(machine, kCard, "cuda", "NVIDIA", kernel, 1, dtype);
    failed.implementation = "own:new";
    failed.status = MeasurementStatus::kFailed;
    failed.verified = false;
    failed.reason = "cuStreamSynchronize: CUDA_ERROR_LAUNCH_FAILED (719)";
  };
  fail(Kernel::kGemm, Dtype::kBf16);
  fail(Kernel::kRead, Dtype::kU32);
  EXPECT_NE(FindById(testing::Decided(machine), kNote), nullptr) << "two of a kind may be";
  fail(Kernel::kGemv, Dtype::kQ4);
  const auto report = testing::Decided(machine);
  EXPECT_EQ(FindById(report, kNote), nullptr);
  const auto* finding = FindById(report, "measure.cuda.nvidia.failed");
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(TextsOf(*finding), Not(HasSubstr("makers of this tool")));
}

// Memory of the host's that a transfer wants pinned is no memory of the GPU's.
TEST(Measured, TheHostsMemoryIsToldFromTheGpus) {
  const auto of = [](std::string reason) {
    auto machine = testing::DiscreteAndIntegrated();
    auto& failed = testing::Measure(machine, kCard, "cuda", "NVIDIA", Kernel::kHostToDevice, 1, Dtype::kU32);
    failed.implementation = "own:pinned";
    failed.status = MeasurementStatus::kFailed;
    failed.stage = "time";
    failed.verified = false;
    failed.reason = std::move(reason);
    const auto report = testing::Decided(machine);
    std::string all;
    for (const auto& finding : report.findings) {
      if (finding.runtime == "cuda") all += TextsOf(finding);
    }
    return all;
  };
  const auto host = of("cuMemHostAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): there is not as much memory");
  EXPECT_THAT(host, HasSubstr("the host, not the GPU"));
  EXPECT_THAT(host, Not(HasSubstr("other programs hold")));
  EXPECT_THAT(of("cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): there is not as much memory"),
              HasSubstr("other programs hold nearly all of the GPU's memory"));
}

// The only kernel of its kind failed by CUDA, and no other is wrong.
Report WithoutTheOnly(Kernel kernel, Dtype dtype, MeasurementStatus status) {
  auto machine = testing::DiscreteAndIntegrated();
  for (auto& m : machine.measurements) {
    if (m.runtime != "cuda" || m.kernel != kernel || m.in_dtype != dtype) continue;
    m.implementation = "own:alone";
    m.status = status;
    m.verified = false;
    m.rate.reset();
  }
  return testing::Decided(machine);
}

TEST(Measured, AProductThatIsRightClearsNoKernelWithoutWhichNothingIsComputed) {
  for (const auto status : {MeasurementStatus::kWrongResult, MeasurementStatus::kFailed,
                            MeasurementStatus::kCrashed, MeasurementStatus::kTimedOut}) {
    const auto report = WithoutTheOnly(Kernel::kRead, Dtype::kU32, status);
    EXPECT_FALSE(IsUsable(report, "cuda"));
    const auto* finding = FindById(report, fmt::format("measure.cuda.nvidia.{}", probe::NameOf(status)));
    ASSERT_NE(finding, nullptr) << probe::NameOf(status);
    EXPECT_EQ(finding->severity, Severity::kDegraded);
    EXPECT_THAT(finding->summary, HasSubstr("its memory read"));
    EXPECT_THAT(TextsOf(*finding), HasSubstr("update the driver"));
    if (status == MeasurementStatus::kWrongResult) {
      EXPECT_THAT(TextsOf(*finding), HasSubstr("do not use CUDA on this device; update the driver"));
    }
    for (const auto& other : report.findings) EXPECT_FALSE(other.id.starts_with("kernel.")) << other.id;
  }
  EXPECT_TRUE(IsUsable(WithFailed(MeasurementStatus::kWrongResult), "cuda"));
}

// The way is used by what is right, and the finding warns of what is not alone.
TEST(Measured, AProductOfOtherTypesClearsNone) {
  for (const auto status : {MeasurementStatus::kWrongResult, MeasurementStatus::kCrashed}) {
    const auto report = WithoutTheOnly(Kernel::kGemm, Dtype::kFp32, status);
    EXPECT_TRUE(IsUsable(report, "cuda"));
    const auto* finding = FindById(report, fmt::format("measure.cuda.nvidia.{}", probe::NameOf(status)));
    ASSERT_NE(finding, nullptr) << probe::NameOf(status);
    EXPECT_EQ(finding->severity, Severity::kDegraded);
    EXPECT_THAT(finding->fix.front().text, HasSubstr("update the driver"));
    EXPECT_THAT(finding->fix.front().text, HasSubstr("fp32 matrix product"));
    EXPECT_THAT(finding->fix.front().text, Not(HasSubstr("this runtime")));
  }
}

TEST(Measured, WhatSpeaksOfTheCardIsNoKernelsFault) {
  const auto memory = WithFailed(MeasurementStatus::kFailed, Kernel::kGemm,
                                 "cuStreamSynchronize: CUDA_ERROR_ECC_UNCORRECTABLE (214)");
  const auto* finding = FindById(memory, "measure.cuda.nvidia.failed");
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(TextsOf(*finding), HasSubstr("memory has an error"));
  // A kernel that is wrong dies in the same way as one on a card that falls off the bus.
  const auto died = WithFailed(MeasurementStatus::kFailed, Kernel::kGemm,
                               "cuStreamSynchronize: CUDA_ERROR_LAUNCH_FAILED (719)");
  EXPECT_NE(FindById(died, kNote), nullptr);
  EXPECT_NE(FindById(WithFailed(MeasurementStatus::kImplausible), "measure.cuda.nvidia.implausible"),
            nullptr);
  EXPECT_NE(
      FindById(WithFailed(MeasurementStatus::kFailed, Kernel::kHostToDevice), "measure.cuda.nvidia.failed"),
      nullptr);
}

TEST(Measured, WithoutARightProductOfItsOwnTheWayIsBlamed) {
  auto machine = testing::DiscreteAndIntegrated();
  std::erase_if(machine.measurements,
                [](const auto& m) { return m.runtime == "cuda" && m.kernel == Kernel::kGemm; });
  // It comes compiled, and shows nothing of what the driver makes of these.
  testing::Measure(machine, kCard, "cuda", "NVIDIA", Kernel::kGemm, 1e12, Dtype::kBf16).implementation =
      "cublaslt";
  auto& wrong = testing::Measure(machine, kCard, "cuda", "NVIDIA", Kernel::kGemm, 1, Dtype::kBf16);
  wrong.status = MeasurementStatus::kWrongResult;
  wrong.verified = false;
  const auto report = testing::Decided(machine);
  const auto* finding = FindById(report, "measure.cuda.nvidia.wrong_result");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::kDegraded);
  EXPECT_THAT(TextsOf(*finding), HasSubstr("do not compute"));
}

// Of a library that is right beside the kernel, as above, but for other types.
Report WithAWrongKernelBesideALibrary(Dtype of_library) {
  auto machine = testing::DiscreteAndIntegrated();
  testing::Measure(machine, kCard, "cuda", "NVIDIA", Kernel::kGemm, 1e12, of_library).implementation =
      "cublaslt";
  auto& wrong = testing::Measure(machine, kCard, "cuda", "NVIDIA", Kernel::kGemm, 1, Dtype::kBf16);
  wrong.implementation = "own:new";
  wrong.status = MeasurementStatus::kWrongResult;
  wrong.verified = false;
  return testing::Decided(machine);
}

TEST(Measured, ALibraryThatIsRightSharesTheBlameForTheSameTypes) {
  const auto same = WithAWrongKernelBesideALibrary(Dtype::kBf16);
  const auto* shared = FindById(same, "measure.cuda.nvidia.wrong_result");
  ASSERT_NE(shared, nullptr);
  EXPECT_EQ(shared->severity, Severity::kDegraded) << "a library clears no driver";
  EXPECT_EQ(shared->confidence, Confidence::kMedium);
  EXPECT_THAT(shared->summary, HasSubstr("its bf16 matrix product by own:new"));
  EXPECT_THAT(shared->meaning, HasSubstr("cublaslt does the same"));
  EXPECT_THAT(TextsOf(*shared), HasSubstr("this tool's own kernel"));
  EXPECT_THAT(TextsOf(*shared), HasSubstr("do not compute"));
  EXPECT_THAT(TextsOf(*shared), HasSubstr("report it"));
  const auto other = WithAWrongKernelBesideALibrary(Dtype::kFp16);
  const auto* alone = FindById(other, "measure.cuda.nvidia.wrong_result");
  ASSERT_NE(alone, nullptr);
  EXPECT_EQ(alone->confidence, Confidence::kHigh);
  EXPECT_THAT(TextsOf(*alone), Not(HasSubstr("report it")));
}

TEST(Measured, NoKernelRunsIsSaidWhereNoneDid) {
  constexpr auto kId = "measure.cuda.nvidia.failed";
  auto machine = testing::DiscreteAndIntegrated();
  for (auto& m : machine.measurements) {
    const bool is_fp32 = m.kernel == Kernel::kGemm && m.in_dtype == Dtype::kFp32;
    if (m.runtime != "cuda" || !is_fp32) continue;
    m.implementation = "own:alone";
    m.status = MeasurementStatus::kFailed;
    m.verified = false;
    m.rate.reset();
  }
  const auto some = testing::Decided(machine);
  const auto* one = FindById(some, kId);
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->meaning, "other kernels run on it; what failed is its fp32 matrix product by own:alone");
  for (auto& m : machine.measurements) {
    if (m.runtime != "cuda") continue;
    m.status = MeasurementStatus::kFailed;
    m.verified = false;
    m.rate.reset();
  }
  const auto none = testing::Decided(machine);
  const auto* all = FindById(none, kId);
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(all->meaning, "it enumerates and cannot run a kernel");
}

// What is said to do about a library that failed on a way that computes.
std::string FixesOfALibrary(MeasurementStatus status, const char* reason) {
  auto machine = testing::DiscreteAndIntegrated();
  auto& failed = testing::Measure(machine, kCard, "cuda", "NVIDIA", Kernel::kGemm, 1, Dtype::kBf16);
  failed.implementation = "cublaslt";
  failed.status = status;
  failed.verified = false;
  failed.reason = reason;
  const auto report = testing::Decided(machine);
  const auto* finding = FindById(report, "library.cuda.nvidia.cublaslt.pci-0000-01-00-0");
  return finding == nullptr ? "" : TextsOf(*finding);
}

TEST(Measured, WhatIsKnownOfALibrarysFailureStays) {
  const auto memory = FixesOfALibrary(MeasurementStatus::kFailed, "want of memory ended it");
  EXPECT_THAT(memory, HasSubstr("more memory than there is"));
  EXPECT_THAT(memory, Not(HasSubstr("install")));
  const auto hang = FixesOfALibrary(MeasurementStatus::kTimedOut, "killed after 30 s");
  EXPECT_THAT(hang, HasSubstr("measure again on an idle machine; if it lasts, install cublaslt"));
  EXPECT_THAT(FixesOfALibrary(MeasurementStatus::kFailed, "CUBLAS_STATUS_INTERNAL_ERROR (14)"),
              HasSubstr("; install cublaslt"));
}

}  // namespace
}  // namespace report::explain
