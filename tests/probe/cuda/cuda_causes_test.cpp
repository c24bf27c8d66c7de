// SPDX-License-Identifier: MIT
// Which of several things that are wrong is why CUDA fails, or does not show a GPU.
#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "probe/core/parse.h"
#include "probe/cuda/cuda_api.h"
#include "probe/cuda/cuda_driver.h"
#include "probe/cuda/cuda_nvml.h"
#include "tests/probe/tree.h"

namespace {

using probe::Outcome;
using probe::cuda::Diagnose;
using probe::cuda::ErrorOf;
using probe::cuda::KernelDriver;
using probe::cuda::NoLibrary;
using probe::cuda::NvmlGpu;
using probe::cuda::ReadKernelDriver;
using testing::AllOf;
using testing::HasSubstr;

constexpr int kUnexplained[] = {100, 304, 999};

// One GPU, and of its nodes those that are named.
KernelDriver Loaded(const std::vector<std::string>& nodes = {"/dev/nvidia0", "/dev/nvidiactl",
                                                             "/dev/nvidia-uvm"}) {
  KernelDriver driver;
  driver.version = "580.65.06";
  driver.signs.gpus = 1;
  driver.signs.bus_shown = driver.signs.card_on_bus = true;
  for (const std::string path : {"/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm"}) {
    const bool exists = std::find(nodes.begin(), nodes.end(), path) != nodes.end();
    if (exists || path != "/dev/nvidia0") driver.nodes.push_back({path, exists, exists});
  }
  return driver;
}

std::vector<NvmlGpu> Gpus(std::size_t count) {
  std::vector<NvmlGpu> gpus(count);
  for (std::size_t i = 0; i < count; ++i) {
    gpus[i].index = static_cast<std::uint32_t>(i);
    gpus[i].name = "NVIDIA A100";
    gpus[i].pci = probe::ParsePciAddress("0000:0" + std::to_string(i + 1) + ":00.0");
  }
  return gpus;
}

std::string NameOfCause(int code, const KernelDriver& driver, const std::vector<NvmlGpu>& gpus = {},
                        const std::optional<probe::Error>& management = {},
                        const std::string& library = "/usr/lib/libcuda.so.1") {
  return Diagnose(ErrorOf("cuInit", code), driver, gpus, library, {}, management).error.name;
}

TEST(Causes, AMissingNodeIsBlamedForWhatNothingElseExplains) {
  auto driver = Loaded({"/dev/nvidia0", "/dev/nvidiactl"});
  for (const int code : kUnexplained) {
    EXPECT_EQ(NameOfCause(code, driver), "nvidia_uvm_missing") << code;
    driver.in_container = true;
    EXPECT_EQ(NameOfCause(code, driver), "nvidia_uvm_not_passed") << code;
    driver.in_container = false;
  }
  EXPECT_EQ(NameOfCause(802, driver), "CUDA_ERROR_SYSTEM_NOT_READY");
  EXPECT_EQ(NameOfCause(803, driver), "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
  EXPECT_EQ(NameOfCause(804, driver), "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE");
  driver.signs.nvswitch = true;
  EXPECT_EQ(NameOfCause(802, driver), "fabric_not_ready");
}

TEST(Causes, AMismatchThatTheManagementLibraryNamesComesBeforeANode) {
  const probe::Error mismatch{"nvmlInit_v2", 18, "NVML_ERROR_LIB_RM_VERSION_MISMATCH", "two releases"};
  const probe::Error other{"nvmlInit_v2", 999, "NVML_ERROR_UNKNOWN", ""};
  const auto driver = Loaded({"/dev/nvidia0", "/dev/nvidiactl"});
  for (const int code : kUnexplained) {
    EXPECT_EQ(NameOfCause(code, driver, {}, mismatch), mismatch.name) << code;
    EXPECT_EQ(NameOfCause(code, driver, {}, other), "nvidia_uvm_missing") << code;
  }
  EXPECT_EQ(NameOfCause(803, driver, {}, mismatch), "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
}

TEST(Causes, NodesThatAreNotMadeAreAContainersOnlyWhereThereIsOne) {
  auto driver = Loaded({});
  for (const int code : kUnexplained) {
    EXPECT_EQ(NameOfCause(code, driver), "nvidia_nodes_missing") << code;
    driver.in_container = true;
    EXPECT_EQ(NameOfCause(code, driver), "no_device_nodes") << code;
    driver.in_container = false;
  }
  driver.signs.gpus = 0;
  EXPECT_EQ(NameOfCause(100, driver), "module_without_gpu");
  driver.nodes[0].exists = driver.nodes[0].openable = true;
  EXPECT_EQ(NameOfCause(100, driver), "module_without_gpu") << "the control node alone";
  EXPECT_EQ(NameOfCause(100, driver, Gpus(1)), "nvidia_uvm_missing") << "one that the files do not tell of";
  driver = Loaded({});
  driver.signs.gpus = 0;
  driver.signs.bus_shown = false;
  EXPECT_EQ(NameOfCause(100, driver), "nvidia_nodes_missing") << "what hides the bus hides them, too";
}

TEST(Causes, AContainerIsKnownByWhatItSaysOfItself) {
  tests::Tree bare, docker;
  EXPECT_FALSE(ReadKernelDriver(bare.Files()).in_container);
  docker.Write("/.dockerenv", "");
  EXPECT_TRUE(ReadKernelDriver(docker.Files()).in_container);
}

TEST(Causes, AGpuThatIsLostIsNamedBeforeAModuleIsBlamed) {
  auto gpus = Gpus(2);
  gpus[0].name.clear();
  gpus[0].fault = probe::Error{"", 15, "NVML_ERROR_GPU_IS_LOST", "fell off the bus"};
  for (const int code : kUnexplained) {
    const auto found = Diagnose(ErrorOf("cuInit", code), Loaded(), gpus, "", {});
    EXPECT_EQ(found.outcome, Outcome::kFailed) << code;
    EXPECT_EQ(found.error.name, "NVML_ERROR_GPU_IS_LOST") << code;
    EXPECT_EQ(found.error.text, "a GPU (0000:01:00.0) fell off the bus");
  }
  gpus[0].pci.reset();
  EXPECT_THAT(Diagnose(ErrorOf("cuInit", 999), Loaded(), gpus, "", {}).error.text,
              HasSubstr("nvidia-smi's GPU 0 fell off the bus"));
  EXPECT_EQ(NameOfCause(803, Loaded(), gpus), "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
  EXPECT_EQ(NameOfCause(999, Loaded(), Gpus(2)), "nvidia_uvm_broken");
}

TEST(Causes, OfOneGpuThatIsNotShownAreItsOwn) {
  auto gpu = Gpus(1)[0];
  EXPECT_FALSE(WhyUnshown(gpu));
  gpu.mig = true;
  EXPECT_EQ(WhyUnshown(gpu)->name, "no_mig_instance");
  gpu.instances.resize(1);
  EXPECT_FALSE(WhyUnshown(gpu)) << "one of its instances may be shown";
  gpu.fault = probe::Error{"", 15, "NVML_ERROR_GPU_IS_LOST", "fell off the bus"};
  EXPECT_EQ(WhyUnshown(gpu)->name, "NVML_ERROR_GPU_IS_LOST");
}

TEST(Causes, NoVariableHidesAGpuThatIsLost) {
  auto gpus = Gpus(2);
  gpus[0].fault = probe::Error{"", 15, "NVML_ERROR_GPU_IS_LOST", "fell off the bus"};
  probe::system::Environment environment;
  environment.Set("CUDA_VISIBLE_DEVICES", "");
  EXPECT_EQ(HiddenGpus(environment, {}, gpus), std::vector{*gpus[1].pci});
}

TEST(Causes, AGpuThatIsNotShownIsNoOrderOfCudas) {
  const auto gpus = Gpus(3);
  const auto said = [&](const std::vector<std::size_t>& shown) {
    std::vector<probe::RuntimeDevice> devices(shown.size());
    for (std::size_t i = 0; i < shown.size(); ++i) {
      devices[i].ordinal = static_cast<std::uint32_t>(i);
      devices[i].identity.pci = gpus[shown[i]].pci;
    }
    std::string all;
    for (const auto& text : probe::cuda::ExplainVisible({}, devices, gpus)) all += text;
    return all;
  };
  EXPECT_EQ(said({0, 1, 2}), "");
  EXPECT_EQ(said({1}), "");
  EXPECT_EQ(said({0, 2}), "");
  EXPECT_THAT(said({2, 1}), HasSubstr("CUDA's 0 is nvidia-smi's 2"));
  EXPECT_THAT(said({0, 2, 1}), HasSubstr("CUDA's 1 is nvidia-smi's 2"));
}

TEST(Causes, ALibraryThatIsMissingBelowALoadedModuleIsNotADriver) {
  const probe::Error absent{"dlopen", std::nullopt, "absent", "there is none"};
  EXPECT_EQ(NoLibrary(absent, {}).name, "absent");
  KernelDriver driver = Loaded();
  const auto missing = NoLibrary(absent, driver);
  EXPECT_EQ(missing.name, "libcuda_missing");
  EXPECT_THAT(missing.text, AllOf(HasSubstr("580.65.06"), HasSubstr("libcuda.so.1")));
  driver.in_container = true;
  EXPECT_EQ(NoLibrary(absent, driver).name, "libcuda_not_passed");
  driver.version.reset();
  EXPECT_EQ(NoLibrary(absent, driver).name, "libcuda_not_passed") << "its node is here";
  driver.nodes.clear();
  EXPECT_EQ(NoLibrary(absent, driver).name, "absent");
  driver.version = "580.65.06";
  driver.signs.wsl = true;
  EXPECT_EQ(NoLibrary(absent, driver).name, "absent") << "Windows has the driver";
}

TEST(Causes, InWslALinuxDriverIsInTheWay) {
  KernelDriver driver;
  driver.signs.wsl = true;
  const std::string linux_driver = "/usr/lib/x86_64-linux-gnu/libcuda.so.1";
  const std::string windows_driver = "/usr/lib/wsl/lib/libcuda.so.1";
  EXPECT_EQ(NameOfCause(100, driver, Gpus(1), {}, linux_driver), "wsl_linux_driver");
  EXPECT_EQ(NameOfCause(999, driver, Gpus(1), {}, linux_driver), "wsl_linux_driver");
  EXPECT_EQ(NameOfCause(100, driver, Gpus(1), {}, windows_driver), "wsl_no_device");
  EXPECT_EQ(NameOfCause(999, driver, Gpus(1), {}, windows_driver), "CUDA_ERROR_UNKNOWN")
      << "it has no module";
  driver.in_container = true;
  EXPECT_EQ(NameOfCause(100, driver, Gpus(1), {}, linux_driver), "wsl_no_device")
      << "a container gets the host's libraries anywhere";
}

}  // namespace
