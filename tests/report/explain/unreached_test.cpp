// SPDX-License-Identifier: MIT
// What is said of a GPU that no runtime reaches although its maker's is installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "probe/core/hidden.h"
#include "tests/report/machines.h"

namespace report::explain {
namespace {

using probe::Outcome;
using probe::Stage;
using ::testing::HasSubstr;
using ::testing::Not;

// Of "cuda" became what `outcome` says, and with it the card is reached by none.
Report Machine(Outcome outcome, std::optional<probe::Error> error, const char* kernel_driver = "nvidia") {
  auto machine = testing::Server();
  auto& gpu = machine.devices[1];
  gpu.views.clear();
  gpu.hardware->kernel_driver = kernel_driver;
  for (auto& probe : machine.probes) {
    if (probe.module != "cuda") continue;
    probe.outcome = outcome;
    probe.stage = Stage::kInit;
    probe.error = std::move(error);
  }
  return machine;
}

struct Told {
  Finding finding;
  std::string rejected;
};
Told Of(const Report& machine) {
  const auto report = testing::Decided(machine);
  Told told;
  for (const auto& finding : report.findings) {
    if (finding.id == "unreached.pci-0000-41-00-0") told.finding = finding;
  }
  for (const auto& option : report.recommendations.at(0).rejected) {
    if (option.device_id == machine.devices[1].id) told.rejected = option.reason;
  }
  EXPECT_FALSE(told.finding.id.empty());
  for (const Fix& fix : told.finding.fix) EXPECT_THAT(fix.text, Not(HasSubstr("install the runtime")));
  return told;
}

TEST(Unreached, ARuntimeThatIsInstalledAndEndsBadlyIsTheReason) {
  const probe::Error odd{"cuInit", 3, "CUDA_ERROR_NOT_INITIALIZED", "not initialised"};
  for (const auto& [outcome, said, fix] :
       {std::tuple(Outcome::kTimedOut, "did not answer", "update the kernel driver and its libraries"),
        {Outcome::kCrashed, "crashed", "update or reinstall the driver"},
        {Outcome::kFailed, "reported an error", "update or reinstall the driver"}}) {
    const auto told = Of(Machine(outcome, outcome == Outcome::kFailed ? std::optional(odd) : std::nullopt));
    EXPECT_THAT(told.finding.summary, HasSubstr(said));
    EXPECT_EQ(told.finding.severity, Severity::kBlocking) << "there is no other GPU";
    ASSERT_FALSE(told.finding.fix.empty());
    EXPECT_THAT(told.finding.fix[0].text, HasSubstr(fix));
    EXPECT_THAT(told.rejected, HasSubstr(said));
  }
}

TEST(Unreached, ItsErrorHasTheAdviceOfItsTable) {
  const probe::Error unknown{"cuInit", 999, "CUDA_ERROR_UNKNOWN", "unknown error"};
  const auto told = Of(Machine(Outcome::kFailed, unknown));
  EXPECT_THAT(told.finding.summary, HasSubstr("CUDA_ERROR_UNKNOWN"));
  EXPECT_EQ(told.finding.layer, "kernel_driver");
  ASSERT_EQ(told.finding.fix.size(), 1U);
  EXPECT_EQ(told.finding.fix[0].command, "dmesg | grep -i -e nvrm -e xid");
}

TEST(Unreached, OfADriverOfARuntimeThatServesOthersItIsThatDriver) {
  auto machine = Machine(Outcome::kOk, std::nullopt);
  for (auto& probe : machine.probes) {
    if (probe.module != "cuda") continue;
    auto& driver = probe.drivers.emplace_back();
    driver.name = "second";
    driver.outcome = Outcome::kCrashed;
  }
  const auto told = Of(machine);
  EXPECT_THAT(told.finding.summary, HasSubstr("driver second"));
  EXPECT_THAT(told.rejected, HasSubstr("driver second"));
}

// The management library is no way to a GPU.
TEST(Unreached, WhatOnlyHelpsARuntimeThatWorksIsNoReason) {
  auto machine = Machine(Outcome::kOk, std::nullopt);
  for (auto& probe : machine.probes) {
    if (probe.module != "cuda") continue;
    auto& driver = probe.drivers.emplace_back();
    driver.name = "NVML";
    driver.outcome = Outcome::kFailed;
    driver.error = probe::Error{"nvmlInit_v2", 999, "NVML_ERROR_UNKNOWN", ""};
  }
  const auto told = Of(machine);
  EXPECT_THAT(told.finding.summary, Not(HasSubstr("NVML")));
  EXPECT_EQ(told.rejected, "no runtime reaches it");
}

TEST(Unreached, OfOneWithoutADeviceTheDriverThatFailedTellsMore) {
  auto machine =
      Machine(Outcome::kNoDevice, probe::Error{"cuInit", 100, "CUDA_ERROR_NO_DEVICE", "no device"});
  EXPECT_THAT(Of(machine).finding.fix.at(0).text, HasSubstr("does not show this GPU"));
  for (auto& probe : machine.probes) {
    if (probe.module != "cuda") continue;
    auto& driver = probe.drivers.emplace_back();
    driver.name = "NVML";
    driver.outcome = Outcome::kFailed;
    driver.error = probe::Error{"nvmlInit_v2", 18, "NVML_ERROR_LIB_RM_VERSION_MISMATCH", "mismatch"};
  }
  const auto told = Of(machine);
  EXPECT_THAT(told.rejected, HasSubstr("NVML_ERROR_LIB_RM_VERSION_MISMATCH"));
  EXPECT_THAT(told.finding.fix.at(0).text, HasSubstr("restart"));
}

TEST(Unreached, OneThatWorksForOthersIsNotToBeInstalled) {
  const auto told = Of(Machine(Outcome::kOk, std::nullopt));
  ASSERT_EQ(told.finding.fix.size(), 1U);
  EXPECT_THAT(told.finding.fix[0].text, HasSubstr("does not show this GPU"));
}

TEST(Unreached, WhatIsToldOfTheGpuItselfComesBeforeWhatIsToldOfAll) {
  auto machine = Machine(Outcome::kFailed, probe::Error{"cuInit", 999, "CUDA_ERROR_UNKNOWN", ""});
  auto& facts = machine.devices[1].hardware->facts;
  facts.push_back({"unreached_error", "NVML_ERROR_GPU_IS_LOST"});
  facts.push_back({"unreached_because", "it fell off the bus"});
  const auto told = Of(machine);
  EXPECT_THAT(told.finding.summary, HasSubstr("it fell off the bus"));
  EXPECT_EQ(told.rejected, "no runtime reaches it: it fell off the bus");
  EXPECT_EQ(told.finding.layer, "kernel_driver");
  EXPECT_EQ(told.finding.fix.at(0).command, "dmesg | grep -i xid");
  facts[facts.size() - 2].value = "an error of no table";
  EXPECT_THAT(Of(machine).finding.summary, HasSubstr("CUDA_ERROR_UNKNOWN"));
}

TEST(Unreached, OneOfWhichOnlyAnotherNumberIsKnownMayBeThisOne) {
  auto machine = Machine(Outcome::kOk, std::nullopt);
  for (auto& probe : machine.probes) {
    if (probe.module != "cuda") continue;
    probe.hardware = {probe::UnplacedHardware(
        "cuda", {{}, std::nullopt, "NVML_ERROR_GPU_IS_LOST", "nvidia-smi's GPU 0 fell off the bus"})};
  }
  const auto told = Of(machine);
  EXPECT_THAT(told.finding.summary, HasSubstr("nvidia-smi's GPU 0 fell off the bus, which may be this one"));
  EXPECT_EQ(told.finding.confidence, Confidence::kMedium);
  ASSERT_EQ(told.finding.fix.size(), 1U);
  EXPECT_THAT(told.finding.fix[0].text, HasSubstr("Xid 79"));
  EXPECT_EQ(told.finding.layer, "kernel_driver");
}

// It fell off the bus, and /sys forgot it.
TEST(Unreached, OneThatIsOnNoBusAnyMoreIsToldAllTheSame) {
  auto machine = testing::Server();
  for (auto& probe : machine.probes) {
    if (probe.module != "cuda") continue;
    probe.hardware = {probe::UnplacedHardware(
        "cuda", {{}, std::nullopt, "NVML_ERROR_GPU_IS_LOST", "nvidia-smi's GPU 1 fell off the bus"})};
    probe.hardware.push_back(probe::UnplacedHardware(
        "cuda", {{}, std::nullopt, "NVML_ERROR_GPU_IS_LOST", "nvidia-smi's GPU 3 fell off the bus"}));
    for (auto& hardware : probe.hardware) hardware.kernel_driver = "nvidia";
  }
  for (auto& device : machine.devices) {
    if (device.kind == probe::DeviceKind::kDiscrete && device.views.empty())
      testing::AddView(device, "cuda", "NVIDIA", probe::DeviceKind::kDiscrete);
  }
  auto guests = machine.devices[1];
  guests.id = "pci:0000:99:00.0";
  guests.views.clear();
  guests.hardware->kernel_driver = "vfio-pci";
  machine.devices.push_back(std::move(guests));
  const auto findings = testing::Decided(machine).findings;
  const auto told = std::find_if(findings.begin(), findings.end(), [](const auto& one) {
    return one.id == "unplaced.cuda.nvml-error-gpu-is-lost";
  });
  ASSERT_NE(told, findings.end());
  EXPECT_THAT(told->summary, HasSubstr("nvidia-smi's GPU 1 fell off the bus; nvidia-smi's GPU 3 fell off"));
  EXPECT_THAT(told->fix.at(0).text, HasSubstr("Xid 79"));
}

// Both numbers are of this GPU or of none that anything else names: each is told once.
TEST(Unreached, EachOfSeveralThatMayBeItIsTold) {
  auto machine = Machine(Outcome::kOk, std::nullopt);
  for (auto& probe : machine.probes) {
    if (probe.module != "cuda") continue;
    probe.hardware.clear();
    for (const char* text : {"nvidia-smi's GPU 1 fell off the bus", "nvidia-smi's GPU 3 fell off the bus"})
      probe.hardware.push_back(
          probe::UnplacedHardware("cuda", {{}, std::nullopt, "NVML_ERROR_GPU_IS_LOST", text}));
  }
  EXPECT_THAT(Of(machine).finding.summary,
              HasSubstr("GPU 1 fell off the bus; nvidia-smi's GPU 3 fell off the bus, one of which may be"));
  const auto findings = testing::Decided(machine).findings;
  EXPECT_TRUE(std::none_of(findings.begin(), findings.end(), [](const auto& one) {
    return one.id.starts_with("unplaced.");
  })) << "they are told already";
  // Of a GPU that something of its own is told of nobody says so: theirs is a finding of its own.
  auto& facts = machine.devices[1].hardware->facts;
  facts.push_back({"unreached_error", "NVML_ERROR_GPU_IS_LOST"});
  facts.push_back({"unreached_because", "it fell off the bus"});
  const auto others = testing::Decided(machine).findings;
  EXPECT_TRUE(std::any_of(others.begin(), others.end(),
                          [](const auto& one) { return one.id == "unplaced.cuda.nvml-error-gpu-is-lost"; }));
}

// nvidia-smi counts its own driver's cards alone.
TEST(Unreached, OneThatAnotherKernelDriverHasIsNoneOfThoseOfWhichANumberIsKnown) {
  auto machine = Machine(Outcome::kOk, std::nullopt);
  for (auto& probe : machine.probes) {
    if (probe.module != "cuda") continue;
    probe.hardware = {probe::UnplacedHardware("cuda", {{}, std::nullopt, "NVML_ERROR_GPU_IS_LOST", "lost"})};
    probe.hardware.front().kernel_driver = "nvidia";
  }
  EXPECT_THAT(Of(machine).finding.summary, HasSubstr("which may be this one"));
  machine.devices[1].hardware->kernel_driver = "nouveau";
  EXPECT_THAT(Of(machine).finding.summary, Not(HasSubstr("which may be this one")));
}

TEST(Unreached, NobodyInstallsARuntimeThatServesTheChipNoMore) {
  const auto told = [](const char* architecture, bool is_reached) {
    auto machine = testing::Server();
    auto& gpu = machine.devices[1];
    gpu.hardware->identity.ids = probe::PciIds{0x1002, 0x744c, {}, {}, {}};
    gpu.hardware->kernel_driver = "amdgpu";
    gpu.hardware->architecture = architecture;
    gpu.views.clear();
    if (is_reached) testing::AddView(gpu, "vulkan", "radv", probe::DeviceKind::kDiscrete);
    std::erase_if(machine.probes, [](const auto& probe) { return probe.module == "hip"; });
    machine.probes.push_back(testing::Probe("hip", Outcome::kAbsent, Stage::kLoad));
    std::string all;
    for (const auto& finding : testing::Decided(machine).findings) {
      if (!finding.id.ends_with("pci-0000-41-00-0")) continue;
      all += finding.summary + finding.meaning;
      for (const Fix& fix : finding.fix) all += "; " + fix.text + " " + fix.command.value_or("");
    }
    return all;
  };
  for (const bool is_reached : {false, true}) {
    EXPECT_THAT(told("gfx1100", is_reached), HasSubstr("ROCm")) << is_reached;
    EXPECT_THAT(told("gfx803", is_reached), Not(HasSubstr("ROCm"))) << is_reached;
  }
}

TEST(Unreached, OfARuntimeThatIsAbsentItsOwnErrorSaysWhatIsMissing) {
  const probe::Error missing{"dlopen", std::nullopt, "libcuda_missing", "there is no libcuda.so.1"};
  const auto told = Of(Machine(Outcome::kAbsent, missing));
  ASSERT_EQ(told.finding.fix.size(), 1U);
  EXPECT_THAT(told.finding.fix[0].text, HasSubstr("install the library of the driver that is loaded"));
  EXPECT_THAT(told.finding.summary, ::testing::EndsWith(": there is no libcuda.so.1"));
  const auto all = testing::Decided(Machine(Outcome::kAbsent, missing));
  const auto of_runtime = std::find_if(all.findings.begin(), all.findings.end(),
                                       [](const auto& one) { return one.id == "runtime.cuda.absent"; });
  ASSERT_NE(of_runtime, all.findings.end());
  EXPECT_EQ(of_runtime->summary, "CUDA is not installed (there is no libcuda.so.1)");
  auto reached = Machine(Outcome::kAbsent, missing);
  reached.devices[1].views = testing::Server().devices[1].views;
  std::erase_if(reached.devices[1].views, [](const auto& view) { return view.device.runtime == "cuda"; });
  const auto findings = testing::Decided(reached).findings;
  const auto other = std::find_if(findings.begin(), findings.end(),
                                  [](const auto& one) { return one.id == "missing.cuda.pci-0000-41-00-0"; });
  ASSERT_NE(other, findings.end());
  EXPECT_THAT(other->fix.at(0).text, HasSubstr("install the library of the driver that is loaded"));
  EXPECT_THAT(other->summary, ::testing::EndsWith("is not installed: there is no libcuda.so.1"));
}

TEST(Unreached, AGpuThatIsHeldForAVirtualMachineIsSaidToBe) {
  auto machine = Machine(Outcome::kFailed, std::nullopt, "vfio-pci");
  machine.devices[1].hardware->facts.push_back({"hidden_by", "CUDA_VISIBLE_DEVICES"});
  for (auto& probe : machine.probes) {
    if (probe.module == "cuda") probe.environment = {{"CUDA_VISIBLE_DEVICES", "-1"}};
  }
  const auto told = Of(machine);
  EXPECT_THAT(told.finding.summary, HasSubstr("is held for a virtual machine by vfio-pci"));
  ASSERT_EQ(told.finding.fix.size(), 1U);
  EXPECT_THAT(told.finding.fix[0].text, HasSubstr("inside the virtual machine"));
  EXPECT_EQ(told.rejected, "held for a virtual machine by vfio-pci");
}

TEST(Unreached, WhatThisToolDoesNotLoadReportedNoError) {
  for (const char* name : {"refused", "not trusted"}) {
    const probe::Error refused{"dlopen libcuda.so.1", std::nullopt, name,
                               "/x/libcuda.so.1 can be written by others"};
    const auto told = Of(Machine(Outcome::kFailed, refused));
    EXPECT_THAT(told.finding.summary,
                HasSubstr("CUDA was not loaded by this tool (/x/libcuda.so.1 can be written by others)"));
    EXPECT_THAT(told.finding.summary, Not(HasSubstr("reported")));
    EXPECT_THAT(told.rejected, HasSubstr("was not loaded by this tool"));
  }
}

// The driver behind it serves this tool, and no program that takes the first file of the name.
Report WithStubBeforeTheDriver(const std::string& library = "/opt/cuda/lib64/stubs/libcuda.so.1") {
  auto machine = Machine(Outcome::kOk, std::nullopt);
  for (auto& probe : machine.probes) {
    if (probe.module != "cuda") continue;
    auto& stub = probe.drivers.emplace_back();
    stub.name = "stub";
    stub.library = library;
    stub.outcome = Outcome::kAbsent;
    stub.error = probe::Error{"cuInit", 34, "before_driver", library + " is found before"};
  }
  return machine;
}

TEST(Unreached, TheFolderOfAStubIsTakenOutByItsName) {
  const auto command = [](const std::string& library) {
    const auto report = testing::Decided(WithStubBeforeTheDriver(library));
    for (const auto& finding : report.findings) {
      if (finding.id == "driver.cuda.stub.absent") return finding.fix.at(0).command.value_or("");
    }
    return std::string("no finding");
  };
  EXPECT_EQ(command("/x/first/libcuda.so.1"),
            "export LD_LIBRARY_PATH=$(echo \"$LD_LIBRARY_PATH\" | tr : '\\n' | while read -r d; do "
            "[ \"$d\" -ef '/x/first' ] || echo \"$d\"; done | paste -sd :)");
  EXPECT_EQ(command("/x/it's/libcuda.so.1"), "") << "the sentence alone";
  EXPECT_EQ(command("libcuda.so.1"), "");
}

TEST(Unreached, AStubBeforeTheDriverIsAFindingOfItsOwnAndNoCause) {
  const auto machine = WithStubBeforeTheDriver();
  EXPECT_THAT(Of(machine).rejected, Not(HasSubstr("stub"))) << "of another GPU that nobody reaches";
  const auto report = testing::Decided(machine);
  const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                  [](const auto& one) { return one.id == "driver.cuda.stub.absent"; });
  ASSERT_NE(found, report.findings.end());
  EXPECT_THAT(found->summary, HasSubstr("/opt/cuda/lib64/stubs/libcuda.so.1 is found before"));
  EXPECT_LE(found->severity, Severity::kDegraded) << "a text report leaves notes out";
  EXPECT_THAT(found->meaning, HasSubstr("PyTorch, llama.cpp"));
  ASSERT_EQ(found->fix.size(), 1U);
  EXPECT_THAT(found->fix[0].text, HasSubstr("LD_LIBRARY_PATH"));
  EXPECT_FALSE(found->fix[0].needs_root);
}

TEST(Unreached, WhereAStubIsAllThatIsHereItIsNamed) {
  auto machine = Machine(Outcome::kAbsent, probe::Error{"cuInit", 34, "CUDA_ERROR_STUB_LIBRARY", "a stub"});
  for (auto& probe : machine.probes) {
    if (probe.module != "cuda") continue;
    probe.library = probe::Library{"libcuda.so.1", "/opt/cuda/lib64/stubs/libcuda.so.1", {}};
  }
  const auto told = Of(machine);
  EXPECT_THAT(told.finding.fix.at(0).text, HasSubstr("stubs from LD_LIBRARY_PATH"));
  EXPECT_EQ(told.finding.evidence.back().value, "/opt/cuda/lib64/stubs/libcuda.so.1");
}

// One more card in a machine whose driver is loaded: what is told is what that driver has against it.
TEST(Unreached, ACardThatTheLoadedDriverDidNotTakeIsNotToldToInstallOne) {
  const auto left = [](const char* module, const char* version, const char* chip) {
    auto machine = Machine(Outcome::kOk, std::nullopt);
    auto& hardware = *machine.devices[1].hardware;
    hardware.kernel_driver.reset();
    std::erase_if(hardware.facts, [](const auto& fact) { return fact.key == "table_target"; });
    hardware.facts.push_back({"left_by_driver", module});
    if (*version != '\0') hardware.facts.push_back({"left_by_version", version});
    hardware.facts.push_back({"table_target", chip});
    return Of(machine);
  };
  const auto old = left("nvidia", "550.54.14", "sm_120");
  EXPECT_THAT(old.finding.summary, HasSubstr("needs driver 570.26 or newer, and nvidia 550.54.14 is loaded"));
  EXPECT_EQ(old.rejected,
            "no runtime reaches it: it needs driver 570.26 or newer, and nvidia 550.54.14 is loaded");
  EXPECT_EQ(old.finding.layer, "kernel_driver");
  ASSERT_EQ(old.finding.fix.size(), 1U);
  EXPECT_THAT(old.finding.fix[0].text, HasSubstr("install a driver that knows the card"));
  EXPECT_EQ(old.finding.fix[0].remedy, (Remedy{Action::kInstall, {"nvidia_driver"}}));
  const auto dropped = left("nvidia", "590.44.01", "sm_61");
  EXPECT_THAT(dropped.finding.summary, HasSubstr("needs a driver before 590, and nvidia 590.44.01"));
  EXPECT_THAT(dropped.finding.fix.at(0).text, HasSubstr("the last branch"));
  for (const auto& [version, chip] :
       {std::pair("570.86.10", "sm_120"), {"580.95", "sm_61"}, {"", "sm_120"}, {"550.54", ""}}) {
    const auto told = left("nvidia", version, chip);
    EXPECT_THAT(told.finding.summary, HasSubstr("is loaded and did not take it")) << version << chip;
    EXPECT_EQ(told.finding.fix.at(0).command, "dmesg | grep -i -e nvrm -e nvidia");
  }
}

TEST(Unreached, OfAnotherMakersModuleItIsThatOnesLog) {
  auto machine = Machine(Outcome::kOk, std::nullopt);
  auto& hardware = *machine.devices[1].hardware;
  hardware.kernel_driver.reset();
  hardware.identity.ids = probe::PciIds{0x1002, 0x7550, {}, {}, {}};
  hardware.facts.push_back({"left_by_driver", "amdgpu"});
  hardware.facts.push_back({"table_target", "gfx1201"});
  const auto told = Of(machine);
  EXPECT_THAT(told.finding.summary, HasSubstr("amdgpu is loaded and did not take it"));
  EXPECT_EQ(told.finding.fix.at(0).command, "dmesg | grep -i amdgpu");
}

}  // namespace
}  // namespace report::explain
