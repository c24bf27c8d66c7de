// SPDX-License-Identifier: MIT
// What files say of NVIDIA's kernel driver, why a call of libcuda failed, and what the variables mean.
#include "probe/cuda/cuda_driver.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "probe/core/parse.h"
#include "probe/cuda/cuda_api.h"
#include "probe/cuda/cuda_nvml.h"
#include "tests/probe/tree.h"

namespace {

using probe::Outcome;
using probe::cuda::Diagnose;
using probe::cuda::ErrorOf;
using probe::cuda::ExplainVisible;
using probe::cuda::KernelDriver;
using probe::cuda::NvmlGpu;
using probe::cuda::ReadKernelDriver;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kOpen =
    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build\n";

TEST(KernelDriver, IsReadWithoutItsLibrary) {
  tests::Tree tree;
  tree.Write("/proc/driver/nvidia/version", kOpen)
      .Directory("/proc/driver/nvidia/gpus/0000:01:00.0")
      .Write("/dev/nvidia0", "")
      .Write("/dev/nvidiactl", "")
      .Write("/dev/nvidia-caps", "");
  const auto driver = ReadKernelDriver(tree.Files());
  EXPECT_EQ(driver.version, "580.65.06");
  EXPECT_TRUE(driver.open_module);
  EXPECT_EQ(driver.signs.gpus, 1U);
  ASSERT_EQ(driver.nodes.size(), 3U);
  EXPECT_EQ(driver.nodes[0].path, "/dev/nvidia0");
  EXPECT_FALSE(driver.nodes[2].exists) << "nvidia-uvm";
}

TEST(KernelDriver, FallsBackToTheModulesVersion) {
  tests::Tree tree;
  tree.Write("/sys/module/nvidia/version", "470.256.02\n");
  const auto driver = ReadKernelDriver(tree.Files());
  EXPECT_EQ(driver.version, "470.256.02");
  EXPECT_FALSE(driver.open_module);
}

TEST(KernelDriver, MayBeMissingOrHostile) {
  tests::Tree tree;
  EXPECT_FALSE(ReadKernelDriver(tree.Files()).version);
  tree.Write("/proc/driver/nvidia/version", std::string(5000, '.') + "\n\x1b[31m");
  (void)ReadKernelDriver(tree.Files());
}

TEST(KernelDriver, OfATegraIsNvgpu) {
  tests::Tree tree;
  tree.Write("/proc/device-tree/compatible", std::string_view("nvidia,p3767-0000\0nvidia,tegra234\0", 33));
  tree.Write("/dev/nvmap", "").Write("/dev/nvhost-ctrl-gpu", "");
  const auto driver = ReadKernelDriver(tree.Files());
  EXPECT_TRUE(driver.tegra);
  ASSERT_EQ(driver.nodes.size(), 2U);
  EXPECT_EQ(driver.nodes[0].path, "/dev/nvmap");
  // The module nvidia may drive its displays alone.
  tree.Write("/proc/driver/nvidia/version", kOpen).Write("/dev/nvidiactl", "");
  EXPECT_TRUE(ReadKernelDriver(tree.Files()).tegra);
  // A Tegra with a card of NVIDIA's and its driver is reached as any other machine.
  tree.Write("/sys/bus/pci/devices/0005:09:00.0/class", "0x030000\n")
      .Write("/sys/bus/pci/devices/0005:09:00.0/vendor", "0x10de\n");
  EXPECT_FALSE(ReadKernelDriver(tree.Files()).tegra);
}

TEST(KernelDriver, OfATegraIsKnownInAContainer) {
  tests::Tree given, bare, none;
  given.Write("/dev/nvmap", "").Write("/dev/nvgpu/igpu0/ctrl", "");
  EXPECT_TRUE(ReadKernelDriver(given.Files()).tegra);
  EXPECT_EQ(ReadKernelDriver(given.Files()).nodes.size(), 2U);
  bare.Write("/sys/devices/soc0/family", "Tegra\n");
  EXPECT_TRUE(ReadKernelDriver(bare.Files()).tegra);
  none.Write("/sys/devices/soc0/family", "jep106:0426\n");
  EXPECT_FALSE(ReadKernelDriver(none.Files()).tegra);
  // Of a chip without nvgpu the module nvidia drives the GPU, too.
  bare.Write("/proc/driver/nvidia/version", kOpen);
  EXPECT_FALSE(ReadKernelDriver(bare.Files()).tegra);
}

TEST(KernelDriver, RunsCudaUpToItsFloor) {
  using probe::cuda::NewestRunnable;
  EXPECT_EQ(NewestRunnable("580.65.06"), "13.x");
  EXPECT_EQ(NewestRunnable("570.211.01"), "12.x");
  EXPECT_EQ(NewestRunnable("525.60.13"), "12.x");
  EXPECT_EQ(NewestRunnable("525.60.11"), "11.x");
  EXPECT_EQ(NewestRunnable("450.80.02"), "11.x");
  EXPECT_EQ(NewestRunnable("1000.1"), "13.x") << "numbers, not text";
  EXPECT_EQ(NewestRunnable("340.108"), std::nullopt);
  EXPECT_EQ(NewestRunnable("nonsense"), std::nullopt);
}

KernelDriver Loaded() {
  KernelDriver driver;
  driver.version = "580.65.06";
  driver.open_module = true;
  driver.nodes = {
      {"/dev/nvidia0", true, true}, {"/dev/nvidiactl", true, true}, {"/dev/nvidia-uvm", true, true}};
  driver.signs.gpus = 1;
  return driver;
}

probe::cuda::Diagnosis Of(int code, const KernelDriver& driver, std::size_t nvml_gpus = 1,
                          const std::string& library = "/usr/lib/libcuda.so.1",
                          const probe::system::Environment& environment = {}) {
  return Diagnose(ErrorOf("cuInit", code), driver, std::vector<NvmlGpu>(nvml_gpus), library, environment);
}

TEST(Diagnosis, OfTheStub) {
  EXPECT_EQ(Of(34, {}, 0).outcome, Outcome::kAbsent);
  EXPECT_THAT(Of(34, {}, 0).error.text, HasSubstr("stub"));
}

TEST(Diagnosis, OfNoDevice) {
  EXPECT_EQ(Of(100, {}, 0).error.name, "no_card");
  EXPECT_EQ(Of(100, {}, 0).outcome, Outcome::kNoDevice);
  KernelDriver container = Loaded();
  container.in_container = true;
  container.signs.gpus = 0;
  container.nodes = {{"/dev/nvidiactl", false, false}, {"/dev/nvidia-uvm", false, false}};
  EXPECT_EQ(Of(100, container, 0).error.name, "no_device_nodes");
  probe::system::Environment nothing_visible;
  nothing_visible.Set("CUDA_VISIBLE_DEVICES", "");
  const auto hidden = Of(100, Loaded(), 1, "", nothing_visible);
  EXPECT_EQ(hidden.outcome, Outcome::kHidden);
  EXPECT_THAT(hidden.error.text, HasSubstr("CUDA_VISIBLE_DEVICES"));
}

// Images and SLURM set one wherever CUDA is to run.
TEST(Diagnosis, IsNoVariablesFaultWhereAContainerHasNoNode) {
  KernelDriver container = Loaded();
  container.in_container = true;
  container.nodes = {{"/dev/nvidiactl", false, false}, {"/dev/nvidia-uvm", false, false}};
  probe::system::Environment visible;
  visible.Set("CUDA_VISIBLE_DEVICES", "0");
  const auto found = Of(100, container, 0, "", visible);
  EXPECT_EQ(found.error.name, "no_device_nodes");
  EXPECT_EQ(found.outcome, Outcome::kNoDevice);
}

TEST(Diagnosis, IsNoVariablesFaultThatNamesTheGpu) {
  const auto outcome = [](const char* value, std::size_t nvml_gpus, std::size_t gpus) {
    KernelDriver driver = Loaded();
    driver.signs.gpus = gpus;
    probe::system::Environment visible;
    visible.Set("CUDA_VISIBLE_DEVICES", value);
    return Of(100, driver, nvml_gpus, "", visible).outcome;
  };
  for (const char* value : {"0", "0,1", "+0", "0gpu"}) {
    EXPECT_EQ(outcome(value, 1, 1), Outcome::kNoDevice) << value;
    EXPECT_EQ(outcome(value, 0, 1), Outcome::kNoDevice) << value << " without its management library";
  }
  EXPECT_EQ(outcome("GPU-00112233", 0, 1), Outcome::kNoDevice) << "nobody here knows whose it is";
  EXPECT_EQ(outcome("1", 0, 2), Outcome::kNoDevice);
  for (const char* value : {"1", "-1", "none", "", "0,0"}) {
    EXPECT_EQ(outcome(value, 1, 1), Outcome::kHidden) << value;
    EXPECT_EQ(outcome(value, 0, 1), Outcome::kHidden) << value;
  }
}

// What the variable hides of two GPUs, by their names.
std::string HiddenOf(const char* value, std::optional<std::size_t> shown, const char* order = "",
                     bool by_files = false) {
  std::vector<NvmlGpu> gpus(2);
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    gpus[i].index = static_cast<std::uint32_t>(i);
    gpus[i].by_files = by_files;
    if (!by_files) gpus[i].uuid = fmt::format("GPU-{}", i);
    gpus[i].pci = probe::ParsePciAddress(fmt::format("0000:0{}:00.0", i));
  }
  std::vector<probe::RuntimeDevice> devices(shown ? 1 : 0);
  if (shown) devices[0].identity.pci = gpus[*shown].pci;
  probe::system::Environment environment;
  environment.Set("CUDA_VISIBLE_DEVICES", value);
  environment.Set("CUDA_DEVICE_ORDER", order);
  std::string out;
  for (const auto& address : probe::cuda::HiddenGpus(environment, devices, gpus))
    out += address == *gpus[0].pci ? "A" : "B";
  return out;
}

TEST(Visible, NoGpuThatTheVariableNamesIsHiddenByIt) {
  EXPECT_EQ(HiddenOf("0", 0), "B");
  EXPECT_EQ(HiddenOf("0", 1), "A") << "CUDA counts in an order of its own";
  EXPECT_EQ(HiddenOf("0,1", 0), "") << "another cause";
  EXPECT_EQ(HiddenOf("0,7", 0), "B");
  EXPECT_EQ(HiddenOf("GPU-0,GPU-1", 0), "");
  EXPECT_EQ(HiddenOf("GPU-1", std::nullopt), "A");
  EXPECT_EQ(HiddenOf("1", std::nullopt), "") << "nobody knows which is CUDA's second";
  EXPECT_EQ(HiddenOf("1", std::nullopt, "PCI_BUS_ID"), "A");
  EXPECT_EQ(HiddenOf("", std::nullopt), "AB");
  EXPECT_EQ(HiddenOf("0,0", std::nullopt), "AB");
}

// Where the management library fails or is not installed.
TEST(Visible, WhatFilesShowOfGpusTellsWhatTheVariableHides) {
  const auto hidden = [](const char* value, std::optional<std::size_t> shown) {
    return HiddenOf(value, shown, "", true);
  };
  EXPECT_EQ(hidden("0", 0), "B");
  EXPECT_EQ(hidden("1", 0), "B") << "CUDA counts in an order of its own";
  EXPECT_EQ(hidden("0,1", 0), "") << "another cause";
  EXPECT_EQ(hidden("0,7", 0), "B");
  EXPECT_EQ(hidden("7", std::nullopt), "AB");
  EXPECT_EQ(hidden("", std::nullopt), "AB");
  for (const char* one : {"GPU-77", "MIG-77"}) {
    EXPECT_EQ(hidden(one, 0), "B") << one;
    EXPECT_EQ(hidden(one, std::nullopt), "") << "nobody knows whose it is: " << one;
  }
}

TEST(Diagnosis, OfATegraNeverAsksForTheCardsModule) {
  KernelDriver tegra;
  tegra.tegra = true;
  tegra.nodes = {{"/dev/nvmap", false, false}};
  EXPECT_EQ(Of(100, tegra, 0).error.name, "no_tegra_nodes");
  EXPECT_EQ(Of(999, tegra, 0).error.name, "no_tegra_nodes") << "which is what its library says without them";
  tegra.nodes = {{"/dev/nvmap", true, true}, {"/dev/nvhost-ctrl-gpu", true, true}};
  EXPECT_EQ(Of(100, tegra, 0).error.name, "CUDA_ERROR_NO_DEVICE");
  EXPECT_EQ(Of(999, tegra, 0).error.name, "CUDA_ERROR_UNKNOWN");
  probe::system::Environment nothing_visible;
  nothing_visible.Set("CUDA_VISIBLE_DEVICES", "");
  EXPECT_EQ(Of(100, tegra, 0, "", nothing_visible).outcome, Outcome::kHidden);
  tegra.version = "540.4.0";  // of its displays
  EXPECT_EQ(Of(999, tegra, 0).error.name, "CUDA_ERROR_UNKNOWN") << "no nvidia_uvm is missed";
  tegra.nodes[1].openable = false;
  EXPECT_EQ(Of(100, tegra, 0).outcome, Outcome::kDenied);
}

TEST(Diagnosis, OfNodes) {
  KernelDriver driver = Loaded();
  driver.nodes[0].openable = false;
  EXPECT_EQ(Of(100, driver).outcome, Outcome::kDenied);
  EXPECT_THAT(Of(999, driver).error.text, HasSubstr("/dev/nvidia0"));
  driver = Loaded();
  driver.nodes[2] = {"/dev/nvidia-uvm", false, false};
  EXPECT_EQ(Of(999, driver).error.name, "nvidia_uvm_missing");
}

// What the kernel says when a node is opened, and which of NVIDIA's cards and drivers files show.
KernelDriver Machine(const std::string& open_error, bool card_on_bus, bool loaded) {
  KernelDriver driver;
  driver.nodes = {{"/dev/nvidiactl", true, open_error.empty(), {}}, {"/dev/nvidia-uvm", false, false, {}}};
  if (!open_error.empty()) driver.nodes[0].open_error = open_error;
  driver.signs.bus_shown = true;
  driver.signs.card_on_bus = card_on_bus;
  if (loaded) driver.version = "580.65.06";
  return driver;
}

TEST(Diagnosis, EachCauseNeedsItsOwnEvidence) {
  struct Row {
    std::string open_error;
    bool card, loaded;
    std::string name;
    Outcome outcome;
  };
  const Row rows[] = {
      // NVIDIA's libraries made the control node, and nothing is behind it.
      {"ENXIO", false, false, "no_card", Outcome::kNoDevice},
      {"ENODEV", false, false, "no_card", Outcome::kNoDevice},
      {"EACCES", false, false, "no_card", Outcome::kNoDevice},
      {"ENXIO", true, false, "kernel_module_not_loaded", Outcome::kNoDevice},
      {"EACCES", true, true, "device_node_denied", Outcome::kDenied},
      {"EPERM", true, false, "device_node_denied", Outcome::kDenied},
      {"EPERM", false, true, "device_node_denied", Outcome::kDenied},
      {"EIO", true, true, "device_node_dead", Outcome::kFailed},
      {"ENODEV", true, true, "device_node_dead", Outcome::kFailed},
  };
  for (const int code : {100, 999, 304}) {
    for (const Row& row : rows) {
      const auto found = Of(code, Machine(row.open_error, row.card, row.loaded), 0);
      EXPECT_EQ(found.error.name, row.name) << code << " " << row.open_error << " " << row.card << row.loaded;
      EXPECT_EQ(found.outcome, row.outcome) << code << " " << row.open_error;
      EXPECT_EQ(found.outcome == Outcome::kDenied, row.name == "device_node_denied");
    }
  }
  EXPECT_THAT(Of(100, Machine("ENXIO", false, false), 0).error.text, HasSubstr("/dev/nvidiactl"));
}

TEST(Diagnosis, AContainerThatHidesTheBusIsJudgedByItsNodes) {
  KernelDriver driver = Machine("EPERM", false, false);
  driver.signs.bus_shown = false;
  driver.nodes.push_back({"/dev/nvidia0", true, false, "EPERM"});
  driver.signs.gpu_node = true;
  EXPECT_EQ(Of(100, driver, 0).outcome, Outcome::kDenied);
  driver.nodes.pop_back();
  driver.signs.gpu_node = false;
  EXPECT_EQ(Of(100, driver, 0).error.name, "no_card") << "the control node alone is no sign of a card";
}

TEST(Diagnosis, OfADriverThatFails) {
  EXPECT_EQ(Of(999, Loaded()).error.name, "nvidia_uvm_broken") << "the management library works";
  EXPECT_EQ(Of(999, Loaded(), 0).error.name, "CUDA_ERROR_UNKNOWN");
  EXPECT_THAT(Of(803, Loaded(), 1, "/usr/local/cuda-12.8/compat/libcuda.so.1").error.text,
              HasSubstr("compat"));
  EXPECT_EQ(Of(804, Loaded()).error.name, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE");
}

TEST(Diagnosis, ASystemThatIsNotReadyWantsTheFabricManagerWhereThereIsAFabric) {
  KernelDriver driver = Loaded();
  EXPECT_EQ(Of(802, driver).outcome, Outcome::kFailed);
  EXPECT_EQ(Of(802, driver).error.name, "CUDA_ERROR_SYSTEM_NOT_READY");
  EXPECT_THAT(Of(802, driver).error.text, Not(HasSubstr("fabric")));
  driver.signs.nvswitch = true;
  EXPECT_EQ(Of(802, driver).error.name, "fabric_not_ready");
  EXPECT_THAT(Of(802, driver).error.text, HasSubstr("fabric manager"));
}

// Of GPUs in MIG mode, each with so many instances, and in the environment CUDA_VISIBLE_DEVICES where there
// is a value.
std::string NameOfDivided(const std::vector<std::size_t>& instances, const char* visible = nullptr) {
  std::vector<NvmlGpu> gpus(instances.size());
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    gpus[i].name = "NVIDIA A100";
    gpus[i].mig = true;
    gpus[i].instances.resize(instances[i]);
  }
  probe::system::Environment environment;
  if (visible != nullptr) environment.Set("CUDA_VISIBLE_DEVICES", visible);
  const auto found = Diagnose(ErrorOf("cuInit", 100), Loaded(), gpus, "/usr/lib/libcuda.so.1", environment);
  if (found.error.name == "no_mig_instance") {
    EXPECT_THAT(found.error.text, HasSubstr("NVIDIA A100"));
    EXPECT_EQ(found.outcome, Outcome::kNoDevice);
  }
  return found.outcome == Outcome::kHidden ? "hidden" : found.error.name;
}

TEST(Diagnosis, AGpuInMigModeWithoutAnInstanceIsNoVariablesFault) {
  EXPECT_EQ(NameOfDivided({0}), "no_mig_instance");
  EXPECT_EQ(NameOfDivided({0, 0}, "0"), "no_mig_instance");
  EXPECT_EQ(NameOfDivided({2}), "no_mig_instance") << "a container that was given none of them";
  EXPECT_EQ(NameOfDivided({2}, "0"), "no_mig_instance") << "which would show the first of them";
  EXPECT_EQ(NameOfDivided({2}, "7"), "hidden");
  EXPECT_EQ(NameOfDivided({2}, ""), "hidden");
  EXPECT_EQ(NameOfDivided({0, 2}, "7"), "hidden");
  EXPECT_EQ(NameOfDivided({}), "CUDA_ERROR_NO_DEVICE");
  EXPECT_EQ(Of(100, Loaded()).error.name, "CUDA_ERROR_NO_DEVICE");
}

TEST(Libraries, LieWherePipCondaAndNvidiasInstallersPutThem) {
  tests::Tree tree;
  const std::vector<std::string> places = {"/usr/local/cuda-12.4/lib64",
                                           "/opt/nvidia/hpc_sdk/Linux_x86_64/24.5/math_libs/lib64",
                                           "/opt/nvidia/hpc_sdk/Linux_x86_64/24.5/comm_libs/nccl/lib",
                                           "/opt/torch/.venv/lib/python3.12/site-packages/nvidia/cublas/lib",
                                           "/opt/base/lib/python3.12/site-packages/nvidia/cu13/lib",
                                           "/home/u/.local/lib/python3.9/site-packages/nvidia/nccl/lib",
                                           "/usr/local/lib/python3.13/site-packages/nvidia/cublas/lib",
                                           "/usr/local/lib/python3.10/dist-packages/nvidia/cublas/lib",
                                           "/usr/lib/python3/dist-packages/nvidia/cublas/lib",
                                           "/opt/conda/lib",
                                           "/opt/conda/lib/python3.11/site-packages/nvidia/cublas/lib",
                                           "/usr/local/lib/ollama/cuda_v12"};
  for (const std::string& place : places) tree.Write(place + "/libcublasLt.so.12", "");
  tree.Write("/opt/base/bin/python3.12", "");
  tree.Link("/opt/torch/.venv/bin/python3", "/opt/base/bin/python3.12");
  tree.Write("/usr/bin/python3", "");
  const probe::system::Environment environment(
      {{"PATH", "/nowhere/bin:/opt/torch/.venv/bin:/usr/bin"}, {"HOME", "/home/u"}});
  const auto found = probe::cuda::LibraryDirectories(tree.Files(), environment);
  for (const std::string& place : places) EXPECT_THAT(found, testing::Contains(place));
  const auto at = [&](const std::string& place) { return std::find(found.begin(), found.end(), place); };
  EXPECT_LT(at(places[3]), at(places[8])) << "that of python3 before the system's";
}

TEST(VisibleDevices, AreReadAsCudaReadsThem) {
  using probe::cuda::ParseVisible;
  using probe::cuda::VisibleEntry;
  const auto kinds = [](std::string_view value) {
    std::vector<VisibleEntry> out;
    for (const auto& entry : ParseVisible(value)) out.push_back(entry.kind);
    return out;
  };
  EXPECT_THAT(kinds(""), testing::IsEmpty());
  EXPECT_THAT(kinds("1, 0"), testing::ElementsAre(VisibleEntry::kIndex, VisibleEntry::kIndex));
  EXPECT_THAT(kinds("1gpu2,+0"), testing::ElementsAre(VisibleEntry::kIndex, VisibleEntry::kIndex))
      << "strtoul";
  EXPECT_THAT(kinds("GPU-8932f937,GPU-1"), testing::ElementsAre(VisibleEntry::kUuid, VisibleEntry::kUuid));
  EXPECT_THAT(kinds("GPU-8932f937,0"), testing::ElementsAre(VisibleEntry::kUuid, VisibleEntry::kGarbage));
  EXPECT_THAT(kinds("0,GPU-8932f937,1"), testing::ElementsAre(VisibleEntry::kIndex, VisibleEntry::kGarbage));
  EXPECT_THAT(kinds("0,1,+1,2"),
              testing::ElementsAre(VisibleEntry::kIndex, VisibleEntry::kIndex, VisibleEntry::kRepeated));
  EXPECT_THAT(kinds("MIG-1,MIG-1"), testing::ElementsAre(VisibleEntry::kMig, VisibleEntry::kRepeated));
  EXPECT_THAT(kinds("0,x,1"), testing::ElementsAre(VisibleEntry::kIndex, VisibleEntry::kGarbage));
  EXPECT_THAT(kinds("-1"), testing::ElementsAre(VisibleEntry::kGarbage));
  EXPECT_THAT(kinds("0,-1,1"), testing::ElementsAre(VisibleEntry::kIndex, VisibleEntry::kGarbage));
}

TEST(VisibleDevices, WhatCudaCanNotUseIsNamed) {
  std::vector<NvmlGpu> gpus(2);
  gpus[0].uuid = "GPU-aa01";
  gpus[1].uuid = "GPU-aa02";
  gpus[1].instances = {{"MIG-bb01", "MIG-1-0", {}, {}, {}}};
  const auto said = [&](const std::string& value) {
    const probe::system::Environment environment({{"CUDA_VISIBLE_DEVICES", value}});
    std::string all;
    for (const auto& text : ExplainVisible(environment, {}, gpus)) {
      // What it hides comes first.
      const auto hides = text.find("hides"), then = text.find("; ");
      if (hides == std::string::npos || then != std::string::npos) all += text;
    }
    return all;
  };
  for (const char* right :
       {"0", "1,0", "GPU-aa01", "GPU-aa02,GPU-aa01", "MIG-bb", "-1", "", "MIG-GPU-aa02/1/0"})
    EXPECT_EQ(said(right), "") << right;
  EXPECT_THAT(said("0,2"), HasSubstr("\"2\" names no GPU here"));
  EXPECT_THAT(said("GPU-cc"), HasSubstr("\"GPU-cc\" names no GPU here"));
  EXPECT_THAT(said("GPU-aa"), HasSubstr("\"GPU-aa\" names several GPUs"));
  EXPECT_THAT(said("1,1"), HasSubstr("\"1\" is there twice: CUDA then shows no GPU"));
  EXPECT_THAT(said("GPU-aa01,0"), HasSubstr("\"0\" is neither"));
  EXPECT_THAT(said("MIG-cc"), HasSubstr("\"MIG-cc\" names no GPU here"));
  gpus[0].mig = true;
  EXPECT_EQ(said("MIG-cc"), "") << "one of an instance that nobody listed";
}

TEST(VisibleDevices, AVariableHidesNothingOfAGpuThatHasNoInstance) {
  std::vector<NvmlGpu> gpus(1);
  probe::system::Environment environment;
  environment.Set("CUDA_VISIBLE_DEVICES", "-1");
  EXPECT_THAT(ExplainVisible(environment, {}, gpus), testing::ElementsAre(HasSubstr("hides 1 of 1 GPUs")));
  gpus[0].mig = true;
  EXPECT_THAT(ExplainVisible(environment, {}, gpus), testing::IsEmpty());
}

TEST(Variables, ThatSlowADeviceAreToldWhereTheyDo) {
  const auto said = [](const char* name, const char* value) {
    std::string all;
    probe::system::Environment environment;
    environment.Set(name, value);
    for (const auto& text : ExplainVisible(environment, {}, {})) all += text;
    const auto listed = probe::cuda::VisibilityVariables();
    EXPECT_EQ(std::count(listed.begin(), listed.end(), std::string_view(name)), 1) << name;
    return all;
  };
  for (const auto& [name, value] :
       {std::pair("CUDA_LAUNCH_BLOCKING", "1"), std::pair("NVIDIA_TF32_OVERRIDE", "0"),
        std::pair("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "12.5"),
        std::pair("CUDA_INJECTION64_PATH", "/opt/a.so")}) {
    EXPECT_THAT(said(name, value), testing::StartsWith(std::string(name) + "=\"" + value + "\""));
    EXPECT_THAT(said(name, value), HasSubstr("figures are those of a slower device"));
  }
  for (const auto& [name, value] :
       {std::pair("CUDA_LAUNCH_BLOCKING", "0"), std::pair("CUDA_LAUNCH_BLOCKING", ""),
        std::pair("NVIDIA_TF32_OVERRIDE", "1"), std::pair("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "100"),
        std::pair("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "")})
    EXPECT_EQ(said(name, value), "") << name << "=" << value;
}

TEST(ManagedGpu, IsTheDevicesByAddressOrUuidAndNeverByWhatNobodyKnows) {
  constexpr const char* kUuid = "GPU-00000000-0000-0000-0000-0000000000aa";
  std::vector<NvmlGpu> gpus(2);
  gpus[0].instances.resize(1);
  gpus[1].uuid = kUuid;
  probe::RuntimeDevice device;
  EXPECT_EQ(GpuOf(device, gpus), nullptr) << "neither address nor UUID on either side";
  EXPECT_EQ(InstanceOf(device, gpus[0]), nullptr);
  device.identity.uuid = probe::cuda::UuidIn(kUuid);
  EXPECT_EQ(GpuOf(device, gpus), &gpus[1]);
  device.identity.pci = probe::ParsePciAddress("0000:01:00.0");
  EXPECT_EQ(GpuOf(device, gpus), &gpus[1]) << "whose address the library does not tell";
  gpus[0].pci = device.identity.pci;
  EXPECT_EQ(GpuOf(device, gpus), &gpus[0]);
  device.identity.partition = gpus[0].instances[0].partition = "MIG-1-0";
  EXPECT_EQ(InstanceOf(device, gpus[0]), gpus[0].instances.data());
}

}  // namespace
