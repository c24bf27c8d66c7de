// SPDX-License-Identifier: MIT
#include "report/explain/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "probe/core/fields.h"
#include "report/core/wording.h"
#include "tests/report/explain/findings.h"
#include "tests/report/machines.h"

namespace report::explain {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Optional;

TEST(OneLine, ShowsTheArithmeticBehindTheFigure) {
  const auto report = testing::Decided(testing::Processor());
  EXPECT_EQ(report.recommendations[0].arithmetic,
            "cpu on cpu:0: 66 s a request [47 s - 127 s] = 26 s prefill + 128 x 314 ms; decode limited by "
            "memory read 27.0 GB/s, prefill by fp32 matrix product 250 GFLOP/s; measured, good");
  EXPECT_THAT(report.recommendations[1].arithmetic,
              Optional(HasSubstr("= 4096 / 12 min a step; step limited by fp32 matrix product")));
}

TEST(OneLine, SaysTheShareOfThePeakAndTheWorstQuality) {
  auto machine = testing::Processor();
  machine.measurements[1].share_of_peak = 0.7;
  machine.measurements[1].quality = backends::Quality::kNoisy;
  const auto report = testing::Decided(machine);
  EXPECT_THAT(report.recommendations[0].arithmetic,
              Optional(HasSubstr("memory read 27.0 GB/s (70 % of the peak), prefill by fp32 matrix product "
                                 "250 GFLOP/s; measured, noisy")));
}

TEST(OneLine, IsEmptyWithoutAFigure) { EXPECT_EQ(OneLine(testing::TestTables(), Report{}, Score{}), ""); }

TEST(Findings, AHealthyMachineHasNothingToFix) {
  EXPECT_THAT(testing::Decided(testing::Processor()).findings, IsEmpty());
  EXPECT_THAT(testing::Decided(testing::Tie()).findings, IsEmpty());
}

TEST(Findings, ACardWithoutItsMakersRuntimeSaysWhichIsMissing) {
  const auto report = testing::Decided(testing::Server());
  const auto* finding = FindById(report, "missing.cuda.pci-0000-41-00-0");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::kNote) << "another driver reaches it";
  EXPECT_EQ(finding->fix.at(0).command, "apt-get install nvidia-driver");
  auto unreached = testing::Server();
  unreached.devices[1].views.clear();
  const auto decided = testing::Decided(unreached);
  const auto* card = FindById(decided, "unreached.pci-0000-41-00-0");
  ASSERT_NE(card, nullptr);
  EXPECT_EQ(card->fix.at(0).command, "apt-get install nvidia-driver");
}

TEST(Findings, ARefusalOfThisToolBlamesNoDriver) {
  for (const char* name : {"not trusted", "refused"}) {
    auto machine = testing::Processor();
    auto probe = testing::Probe("vulkan", probe::Outcome::kFailed, probe::Stage::kLoad);
    probe.error = probe::Error{"check /lib/a.so", std::nullopt, name, "/lib/a.so belongs to user 65534"};
    auto of_drivers = testing::Probe("opencl", probe::Outcome::kFailed, probe::Stage::kLoad);
    probe::DriverReport driver;
    driver.name = "a";
    driver.outcome = probe::Outcome::kFailed;
    driver.error = probe.error;
    of_drivers.drivers.push_back(driver);
    machine.probes.push_back(probe);
    machine.probes.push_back(of_drivers);
    const auto report = testing::Decided(machine);
    for (const char* id : {"runtime.vulkan.failed", "driver.opencl.a.failed"}) {
      const auto* finding = FindById(report, id);
      ASSERT_NE(finding, nullptr) << id;
      EXPECT_THAT(finding->meaning, HasSubstr("the driver itself may be well"));
      EXPECT_THAT(finding->fix.at(0).text, ::testing::Not(HasSubstr("reinstall")));
    }
  }
}

TEST(Findings, AMakersDriverIsNoAdviceWithoutACardOfTheirs) {
  auto machine = testing::Processor();
  machine.probes.push_back(testing::Probe("cuda", probe::Outcome::kAbsent, probe::Stage::kLoad));
  const auto bare = testing::Decided(machine);
  EXPECT_THAT(FindById(bare, "runtime.cuda.absent")->fix, IsEmpty());
  const auto server = testing::Decided(testing::Server());
  EXPECT_EQ(FindById(server, "runtime.cuda.absent")->fix.size(), 1U);
}

TEST(Findings, AModuleThatWasNotHeardIsNotBlamed) {
  probe::ProbeReport silent;
  silent.module = "vulkan";
  silent.outcome = probe::Outcome::kFailed;
  silent.error = probe::Error{"", std::nullopt, std::string(NameOf(probe::OwnError::kInterrupted)),
                              "before it had answered"};
  auto machine = testing::Processor();
  machine.probes = {silent};
  EXPECT_THAT(testing::Decided(machine).findings, IsEmpty());
  machine.probes[0].error->name = NameOf(probe::OwnError::kNotStarted);
  const auto report = testing::Decided(machine);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_THAT(report.findings[0].summary, HasSubstr("could not be asked"));
  EXPECT_THAT(report.findings[0].fix.at(0).text, HasSubstr("ulimit -u"));
}

TEST(Findings, WhatWasLeftOutIsNoCrashAndNoDriverIsToBeRemovedForIt) {
  probe::ProbeReport left_out;
  left_out.module = "vulkan";
  left_out.outcome = probe::Outcome::kFailed;
  left_out.error = probe::Error{"", std::nullopt, std::string(NameOf(probe::OwnError::kLeftOut)),
                                "it was interrupted twice"};
  auto machine = testing::Processor();
  machine.probes = {left_out};
  const auto report = testing::Decided(machine);
  ASSERT_EQ(report.findings.size(), 1U);
  const auto& finding = report.findings[0];
  EXPECT_EQ(finding.id, "runtime.vulkan.left_out");
  EXPECT_EQ(finding.summary, "Vulkan was left out: it was interrupted twice");
  EXPECT_EQ(finding.fix.at(0).command, "whichgpu list --retry-crashed");
  for (const auto& text : {finding.summary, finding.meaning, finding.fix.at(0).text}) {
    EXPECT_THAT(text, Not(HasSubstr("crashed"))) << text;
    EXPECT_THAT(text, Not(HasSubstr("remove"))) << text;
  }
}

TEST(Findings, ACrashNamesTheDriverAndItsManifest) {
  const auto report = testing::Decided(testing::BrokenDriver());
  const auto* finding = FindById(report, "driver.vulkan.radeon-icd-x86-64-json.crashed");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::kBlocking);
  EXPECT_EQ(finding->layer, "system_runtime");
  EXPECT_EQ(finding->evidence.at(0).value, "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json");
  EXPECT_EQ(FindById(report, "runtime.vulkan.crashed"), nullptr);
}

TEST(Findings, NoDriverIsBlamedForWhatALowLimitMayHaveDone) {
  auto machine = testing::BrokenDriver();
  const std::string warning = "the limit on address space (ulimit -v) is 64 MiB: drivers may fail to load";
  machine.warnings.emplace_back(WarningKind::kLimit, "the limit on address space (ulimit -v)", warning);
  const auto report = testing::Decided(machine);
  const auto* finding = FindById(report, "driver.vulkan.radeon-icd-x86-64-json.crashed");
  ASSERT_NE(finding, nullptr);
  ASSERT_EQ(finding->fix.size(), 1U);
  EXPECT_EQ(finding->fix[0].text, "raise the limit on address space (ulimit -v)");
  EXPECT_FALSE(finding->fix[0].command);
  EXPECT_THAT(finding->meaning, HasSubstr("a driver may fail of it that is well"));
  EXPECT_EQ(finding->evidence.back().value, warning);
  EXPECT_THAT(FindById(report, "device_node.denied.pci-0000-c1-00-0")->meaning, Not(HasSubstr("limit")));
}

TEST(Findings, ALowLimitIsNotBlamedWhereTheCauseIsKnown) {
  for (const auto& [outcome, name, fix] :
       {std::tuple(probe::Outcome::kFailed, std::string("not trusted"), "root"),
        {probe::Outcome::kFailed, std::string(NameOf(probe::OwnError::kOutOfMemory)), "memory"},
        {probe::Outcome::kFailed, std::string("VK_ERROR_INCOMPATIBLE_DRIVER"), ""}}) {
    auto machine = testing::BrokenDriver();
    for (auto& probe : machine.probes) {
      for (auto& driver : probe.drivers) {
        if (driver.outcome != probe::Outcome::kCrashed) continue;
        driver.outcome = outcome;
        driver.error = probe::Error{"", std::nullopt, name, "it was not asked"};
      }
    }
    const auto before = testing::Decided(machine);
    machine.warnings.emplace_back(WarningKind::kLimit, "the limit on processor time (ulimit -t)",
                                  "the limit on processor time (ulimit -t) is 30 s: it may end early");
    const auto after = testing::Decided(machine);
    const auto* finding = FindById(after, "driver.vulkan.radeon-icd-x86-64-json.failed");
    ASSERT_NE(finding, nullptr) << name;
    const bool is_known = *fix != '\0';
    EXPECT_EQ(finding->meaning == FindById(before, finding->id)->meaning, is_known) << name;
    EXPECT_THAT(finding->fix.at(0).text, HasSubstr(is_known ? fix : "raise the limit on processor time"));
  }
}

TEST(Findings, NorIsADriverBlamedWhereTheMachineIsHiddenFromIt) {
  auto unmounted = testing::BrokenDriver();
  unmounted.warnings.push_back(NotMountedWarning("/sys"));
  auto disguised = testing::BrokenDriver();
  for (auto& probe : disguised.probes) {
    if (probe.module != "opencl") continue;
    probe.outcome = probe::Outcome::kCrashed;
    probe.environment = {{"HWLOC_XMLFILE", "/dev/null"}};
  }
  const std::string vulkan = "driver.vulkan.radeon-icd-x86-64-json.crashed";
  for (const auto& [machine, id, fix, cause] :
       {std::tuple(unmounted, vulkan, "mount /sys", "/sys is not mounted"),
        {disguised, "runtime.opencl.crashed", "unset HWLOC_XMLFILE, unless it is meant",
         "HWLOC_XMLFILE is set"}}) {
    const auto report = testing::Decided(machine);
    const auto* finding = FindById(report, id);
    ASSERT_NE(finding, nullptr);
    EXPECT_EQ(finding->fix.at(0).text, fix);
    EXPECT_THAT(finding->meaning, HasSubstr(cause));
  }
  EXPECT_THAT(FindById(testing::Decided(disguised), vulkan)->meaning, Not(HasSubstr("HWLOC")))
      << "which does not use it";
}

TEST(Findings, ALowLimitStandsBeforeWhatTheTableKnows) {
  probe::ProbeReport cuda;
  cuda.module = "cuda";
  cuda.outcome = probe::Outcome::kFailed;
  cuda.error = probe::Error{"cuInit", 999, "CUDA_ERROR_UNKNOWN", ""};
  auto machine = testing::Processor();
  machine.probes = {cuda};
  const auto before = testing::Decided(machine).findings.at(0);
  machine.warnings.emplace_back(WarningKind::kLimit, "the limit on open files (ulimit -n)",
                                "the limit on open files (ulimit -n) is 20: drivers may not be asked");
  const auto after = testing::Decided(machine).findings.at(0);
  ASSERT_EQ(after.fix.size(), before.fix.size() + 1);
  EXPECT_EQ(after.fix[0].text, "raise the limit on open files (ulimit -n)");
  EXPECT_EQ(after.fix[1].text, before.fix[0].text);
  EXPECT_EQ(after.meaning, before.meaning);
}

TEST(Findings, ALibraryThatFailsIsNotTheDriversFault) {
  auto machine = testing::DiscreteAndIntegrated();
  auto failed = testing::Measure(machine, "pci:0000:01:00.0", "cuda", "NVIDIA", kernels::Kernel::kGemm, 1e12);
  failed.implementation = "cublaslt";
  failed.status = backends::MeasurementStatus::kFailed;
  failed.verified = false;
  failed.rate = std::nullopt;
  failed.reason = "CUBLAS_STATUS_ARCH_MISMATCH";
  machine.measurements.back() = failed;
  const auto report = testing::Decided(machine);
  for (const Finding& finding : report.findings)
    EXPECT_FALSE(finding.id.starts_with("measure.cuda")) << finding.id;
  const auto* finding = FindById(report, "library.cuda.nvidia.cublaslt.pci-0000-01-00-0");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::kNote);
  EXPECT_THAT(finding->summary, HasSubstr("cublaslt"));
  EXPECT_THAT(finding->meaning, Not(HasSubstr("cannot run a kernel")));
  for (auto& m : machine.measurements) {
    if (m.runtime != "cuda" || m.implementation == "cublaslt") continue;
    m.status = backends::MeasurementStatus::kFailed;
    m.verified = false;
    m.rate = std::nullopt;
  }
  EXPECT_NE(FindById(testing::Decided(machine), "measure.cuda.nvidia.failed"), nullptr);
}

TEST(Findings, ADeniedNodeIsNamedWithTheFix) {
  const auto report = testing::Decided(testing::BrokenDriver());
  const auto* finding = FindById(report, "device_node.denied.pci-0000-c1-00-0");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->layer, "device_node");
  EXPECT_EQ(finding->evidence.at(0).value, "/dev/dri/renderD128");
  EXPECT_TRUE(finding->fix.at(0).needs_root);
}

TEST(Findings, AHiddenRuntimeNamesItsVariable) {
  const auto report = testing::Decided(testing::BrokenDriver());
  const auto* finding = FindById(report, "runtime.opencl.hidden");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->evidence.at(0).value, "OCL_ICD_VENDORS=/nonexistent");
}

TEST(Findings, AHiddenDriverHasItsAdviceAndNoStage) {
  auto machine = testing::Processor();
  auto& driver = machine.probes.back().drivers.emplace_back();
  driver.name = "PoCL";
  driver.outcome = probe::Outcome::kHidden;
  driver.stage = probe::Stage::kEnumerate;
  driver.error = probe::Error{"", {}, "", "POCL_DEVICES=x hides its devices: unset it"};
  const auto report = testing::Decided(machine);
  const auto* finding = FindById(report, "driver.opencl.pocl.hidden");
  ASSERT_NE(finding, nullptr);
  EXPECT_TRUE(finding->summary.ends_with("(POCL_DEVICES=x hides its devices: unset it)")) << finding->summary;
}

TEST(Findings, OfAVariableContradictNoWarningThatItIsIgnored) {
  auto machine = testing::Processor();
  machine.probes.at(1).environment = {{"WHICHGPU_CPU_ISA", "avx9"}};
  machine.probes.at(1).warnings = {"WHICHGPU_CPU_ISA is none of neon, sve: it is ignored"};
  const auto report = testing::Decided(machine);
  const auto* finding = FindById(report, "variable.cpu.WHICHGPU_CPU_ISA");
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(finding->meaning, Not(HasSubstr("decides")));
  EXPECT_THAT(finding->fix.at(0).text, HasSubstr("correct WHICHGPU_CPU_ISA or unset it"));
}

// A command that unsets one of two would change nothing.
TEST(Findings, OfSeveralVariablesTellAllThatAreNamed) {
  auto machine = testing::DiscreteAndIntegrated();
  auto& probe = machine.probes.at(1);
  probe.environment = {{"HSA_OVERRIDE_GFX_VERSION", "9"},
                       {"HIP_VISIBLE_DEVICES", "1"},
                       {"ROCR_VISIBLE_DEVICES", "1"},
                       {"HSA_OVERRIDE_GFX_VERSION_1", "8"}};
  probe.warnings = {"ROCR_VISIBLE_DEVICES=\"1\" and HIP_VISIBLE_DEVICES=\"1\" hides 2 of 2 GPUs",
                    "HSA_OVERRIDE_GFX_VERSION_1=\"8\" is no version"};
  const auto report = testing::Decided(machine);
  const auto* two = FindById(report, "variable." + probe.module + ".ROCR_VISIBLE_DEVICES");
  ASSERT_NE(two, nullptr);
  EXPECT_EQ(two->fix.at(0).command, "unset ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES");
  EXPECT_THAT(two->fix.at(0).text,
              HasSubstr("correct ROCR_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES or unset them"));
  EXPECT_EQ(two->evidence.size(), 2U);
  const auto* one = FindById(report, "variable." + probe.module + ".HSA_OVERRIDE_GFX_VERSION_1");
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->fix.at(0).command, "unset HSA_OVERRIDE_GFX_VERSION_1");
}

TEST(Findings, WrongResultsBlockWhereNothingElseIsUsable) {
  const auto report = testing::Decided(testing::Phantom());
  const auto* finding = FindById(report, "measure.opencl.intel-r-opencl-hd-graphics.wrong_result");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::kBlocking);
  EXPECT_EQ(finding->evidence.size(), 2U);
}

TEST(Findings, OneBadWayBesideAGoodOneDegrades) {
  auto machine = testing::DiscreteAndIntegrated();
  auto& wrong = testing::Measure(machine, "pci:0000:01:00.0", "vulkan", "NVIDIA", kernels::Kernel::kGemm, 1,
                                 kernels::Dtype::kBf16);
  wrong.status = backends::MeasurementStatus::kCrashed;
  const auto report = testing::Decided(machine);
  const auto* finding = FindById(report, "measure.vulkan.nvidia.crashed");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::kDegraded);
}

TEST(Findings, ASoftwareDeviceThatFailsIsANote) {
  auto machine = testing::Processor();
  machine.measurements[4].status = backends::MeasurementStatus::kTimedOut;
  const auto report = testing::Decided(machine);
  const auto* finding = FindById(report, "measure.vulkan.llvmpipe.timed_out");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::kNote);
}

TEST(Findings, AGpuThatNothingReachesIsTold) {
  auto machine = testing::Processor();
  machine.devices.push_back(testing::Gpu("0000:05:00.0", "Card", probe::DeviceKind::kDiscrete, 8));
  const auto report = testing::Decided(machine);
  ASSERT_NE(FindById(report, "unreached.pci-0000-05-00-0"), nullptr);
}

TEST(Findings, AGpuThatAVariableHidesLacksNoRuntime) {
  auto machine = testing::Server();
  auto& gpu = machine.devices[1];
  gpu.views.clear();
  gpu.hardware->kernel_driver = "nvidia";
  gpu.hardware->facts.push_back({"hidden_by", "CUDA_VISIBLE_DEVICES"});
  for (auto& probe : machine.probes) {
    if (probe.module == "cuda") probe.environment = {{"CUDA_VISIBLE_DEVICES", "7"}};
  }
  const auto report = testing::Decided(machine);
  const auto* finding = FindById(report, "unreached.pci-0000-41-00-0");
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(finding->summary, HasSubstr("is hidden by CUDA_VISIBLE_DEVICES=7"));
  EXPECT_EQ(finding->layer, "programming_interface");
  ASSERT_EQ(finding->fix.size(), 1U);
  EXPECT_EQ(finding->fix[0].command, "unset CUDA_VISIBLE_DEVICES");
  EXPECT_THAT(finding->fix[0].text, Not(HasSubstr("install")));
  bool rejected = false;
  for (const auto& option : report.recommendations.at(0).rejected)
    rejected =
        rejected || (option.device_id == gpu.id && option.reason == "hidden by CUDA_VISIBLE_DEVICES=7");
  EXPECT_TRUE(rejected);
}

TEST(Findings, EveryVariableThatHidesAGpuIsTold) {
  auto machine = testing::Server();
  auto& gpu = machine.devices[1];
  gpu.views.clear();
  gpu.hardware->kernel_driver = "nvidia";
  for (const char* variable : {"ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"})
    gpu.hardware->facts.push_back({"hidden_by", variable});
  for (auto& probe : machine.probes) {
    if (probe.module == "cuda")
      probe.environment = {{"ROCR_VISIBLE_DEVICES", "7"}, {"GPU_DEVICE_ORDINAL", "8"}};
  }
  const auto report = testing::Decided(machine);
  const auto* finding = FindById(report, "unreached.pci-0000-41-00-0");
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(finding->summary, HasSubstr("is hidden by ROCR_VISIBLE_DEVICES=7 and GPU_DEVICE_ORDINAL=8"));
  EXPECT_EQ(finding->fix.at(0).text,
            "unset ROCR_VISIBLE_DEVICES and GPU_DEVICE_ORDINAL, or let each name this GPU, too");
  EXPECT_EQ(finding->fix.at(0).command, "unset ROCR_VISIBLE_DEVICES GPU_DEVICE_ORDINAL");
}

TEST(Findings, AGpuWithoutAKernelDriverLacksThatWhateverIsSet) {
  auto machine = testing::Server();
  auto& gpu = machine.devices[1];
  gpu.views.clear();
  gpu.hardware->kernel_driver.reset();
  gpu.hardware->facts.push_back({"hidden_by", "CUDA_VISIBLE_DEVICES"});
  for (auto& probe : machine.probes) {
    if (probe.module == "cuda") probe.environment = {{"CUDA_VISIBLE_DEVICES", "0"}};
  }
  const auto report = testing::Decided(machine);
  const auto* finding = FindById(report, "unreached.pci-0000-41-00-0");
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(finding->summary, Not(HasSubstr("hidden")));
  EXPECT_EQ(finding->layer, "system_runtime");
  std::string reason;
  for (const auto& option : report.recommendations.at(0).rejected) {
    if (option.device_id == gpu.id) reason = option.reason;
  }
  EXPECT_EQ(reason, "no runtime reaches it: no kernel driver is bound to it");
}

// A GPU that is part of a chip, told by its kernel driver.
probe::PhysicalDevice OnChip(std::string_view driver, bool reached) {
  auto gpu = testing::Gpu("0000:05:00.0", "Chip's GPU", probe::DeviceKind::kIntegrated, 8);
  gpu.id = "platform:17000000-gpu";
  gpu.hardware->identity = {};
  gpu.hardware->kernel_driver = driver;
  if (reached) {
    auto& view = gpu.views.emplace_back();
    view.device.runtime = "vulkan";
    view.device.driver = view.device.name = "NVIDIA";
    view.device.kind = probe::DeviceKind::kIntegrated;
  }
  return gpu;
}

// Jetson Linux is made from it.
const probe::OsRelease kUbuntu{"ubuntu", {"debian"}, "22.04", std::nullopt, "jammy", "jammy"};

TEST(Findings, AChipsGpuIsHelpedByTheRuntimeOfItsKernelDriver) {
  auto machine = testing::Processor();
  machine.host.os_release = kUbuntu;
  machine.devices.push_back(OnChip("gk20a", false));
  machine.probes.push_back(testing::Probe("cuda", probe::Outcome::kAbsent, probe::Stage::kLoad));
  const auto decided = testing::Decided(machine);
  for (const char* id : {"unreached.platform-17000000-gpu", "runtime.cuda.absent"}) {
    const auto* finding = FindById(decided, id);
    ASSERT_NE(finding, nullptr) << id;
    ASSERT_EQ(finding->fix.size(), 1U) << id;
    EXPECT_EQ(finding->fix[0].command, "apt-get install nvidia-jetpack") << id;
  }
  // What other cards want is no advice for it, and the other way round.
  auto other = testing::Processor();
  other.devices.push_back(OnChip("v3d", false));
  const auto pi = testing::Decided(other);
  EXPECT_THAT(FindById(pi, "unreached.platform-17000000-gpu")->fix.at(0).text, HasSubstr("v3dv"));
}

TEST(Findings, AChipsGpuThatOthersReachMissesItsMakersRuntimeToo) {
  auto machine = testing::Processor();
  machine.host.os_release = kUbuntu;
  machine.devices.push_back(OnChip("gk20a", true));
  machine.probes.push_back(testing::Probe("cuda", probe::Outcome::kAbsent, probe::Stage::kLoad));
  const auto decided = testing::Decided(machine);
  const auto* finding = FindById(decided, "missing.cuda.platform-17000000-gpu");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->fix.at(0).command, "apt-get install nvidia-jetpack");
}

TEST(Findings, AMissingRuntimeIsANoteWithItsPackage) {
  auto machine = testing::Nothing();
  machine.host.os_release = kUbuntu;
  const auto report = testing::Decided(machine);
  const auto* finding = FindById(report, "runtime.vulkan.absent");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::kNote);
  EXPECT_THAT(finding->fix.at(0).command.value_or(""), HasSubstr("mesa-vulkan-drivers"));
}

TEST(Findings, EveryTroubleOfARuntimeHasOne) {
  for (const auto& row : probe::Outcomes()) {
    Report report;
    report.probes.push_back(testing::Probe("vulkan", row.outcome, probe::Stage::kInit));
    EXPECT_EQ(Findings(testing::TestTables(), report).size(), row.outcome == probe::Outcome::kOk ? 0U : 1U)
        << row.name;
  }
}

TEST(Findings, IdsAreStableTokensAndUnique) {
  const std::regex token("[a-z0-9_.-]+");
  for (const auto& machine : testing::Machines()) {
    std::set<std::string> ids;
    for (const auto& finding : testing::Decided(machine.build()).findings) {
      EXPECT_TRUE(std::regex_match(finding.id, token)) << finding.id;
      EXPECT_TRUE(ids.insert(finding.id).second) << finding.id;
      EXPECT_FALSE(finding.meaning.empty()) << finding.id;
    }
  }
}

}  // namespace
}  // namespace report::explain
