// SPDX-License-Identifier: MIT
#include "probe/cuda/cuda_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "probe/core/text.h"
#include "probe/cuda/cuda_api.h"
#include "probe/system/filesystem.h"
#include "probe/system/host.h"

namespace probe::cuda {
namespace {

constexpr std::string_view kStub = "CUDA_ERROR_STUB_LIBRARY";
constexpr std::string_view kNoDevice = "CUDA_ERROR_NO_DEVICE";
constexpr std::string_view kNotReady = "CUDA_ERROR_SYSTEM_NOT_READY";
constexpr std::string_view kUnknown = "CUDA_ERROR_UNKNOWN";
constexpr std::string_view kMismatch = "NVML_ERROR_LIB_RM_VERSION_MISMATCH";
constexpr std::string_view kNoInstance = "no_mig_instance";
constexpr std::string_view kNoInstanceText = "is in MIG mode and has no instance that CUDA can use";

// "535.54.03" in "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue ..."
std::optional<std::string> VersionIn(std::string_view line) {
  while (!line.empty()) {
    const auto word = line.substr(0, line.find(' '));
    if (word.find('.') != std::string_view::npos &&
        word.find_first_not_of("0123456789.") == std::string_view::npos) {
      return std::string(word);
    }
    line.remove_prefix(std::min(word.size() + 1, line.size()));
  }
  return std::nullopt;
}

// The root's compatible strings end in the chip's: "nvidia,tegra234". Containers hide them, and not what the
// bus of systems on chips calls the chip, nor nodes that they were given.
bool IsTegra(const system::FileSystem& files, const nvidia::Signs& signs) {
  const auto text = files.Read("/proc/device-tree/compatible", 4096);
  return signs.tegra || files.ReadLine("/sys/devices/soc0/family") == "Tegra" ||
         (text && text->find("nvidia,tegra") != std::string::npos);
}

// nvgpu, include/uapi/linux/nvgpu-ctrl.h: the older name of the node, and the newer.
constexpr std::array<std::string_view, 2> kNvgpuNodes = {"/dev/nvhost-ctrl-gpu", "/dev/nvgpu/igpu0/ctrl"};

bool HasTegraNodes(const KernelDriver& driver) {
  return driver.nodes.size() > 1 && driver.nodes.front().exists;
}

// Numbers of a version; a part that is none ends it.
std::array<int, 3> Numbers(std::string_view version) {
  std::array<int, 3> out{};
  for (int& number : out) {
    const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), number);
    if (error != std::errc() || end == version.data() + version.size() || *end != '.') break;
    version.remove_prefix(static_cast<std::size_t>(end - version.data()) + 1);
  }
  return out;
}

struct FloorRow {
  std::array<int, 3> driver;
  std::string_view cuda;
};
constexpr std::array kFloors = {
    FloorRow{{580, 0, 0}, "13.x"},  FloorRow{{525, 60, 13}, "12.x"}, FloorRow{{450, 80, 2}, "11.x"},
    FloorRow{{440, 33, 0}, "10.2"}, FloorRow{{418, 39, 0}, "10.1"},  FloorRow{{410, 48, 0}, "10.0"},
    FloorRow{{396, 26, 0}, "9.2"},  FloorRow{{390, 46, 0}, "9.1"},   FloorRow{{384, 81, 0}, "9.0"},
    FloorRow{{375, 26, 0}, "8.0"},
};

const DeviceNode* FindNode(const KernelDriver& driver, bool (*matches)(const DeviceNode&)) {
  const auto node = std::find_if(driver.nodes.begin(), driver.nodes.end(), matches);
  return node == driver.nodes.end() ? nullptr : &*node;
}

bool IsUvm(const DeviceNode& node) { return node.path == "/dev/nvidia-uvm"; }

bool IsExistingGpu(const DeviceNode& node) {
  constexpr std::string_view kFolder = "/dev/";
  return node.exists && nvidia::IsGpuNode(std::string_view(node.path).substr(kFolder.size()));
}

// The first of GPUs that are all in MIG mode, where none of them has an instance. `any`: or instances that
// this process was not given (/dev/nvidia-caps), for nothing else keeps CUDA from them.
const NvmlGpu* DividedGpu(const std::vector<NvmlGpu>& gpus, bool any) {
  const bool all = std::all_of(gpus.begin(), gpus.end(),
                               [&](const NvmlGpu& gpu) { return gpu.mig && (any || gpu.instances.empty()); });
  return all && !gpus.empty() ? &gpus.front() : nullptr;
}

// A GPU that CUDA does not show, because a node, a variable or the kernel driver stands between. A variable
// is to blame after the nodes, and where it names none: images set it wherever CUDA is used, and it hides
// nothing of what is not there, or of what it names.
Diagnosis WhyNoDevice(Error error, const KernelDriver& driver, const std::vector<NvmlGpu>& known,
                      const system::Environment& environment) {
  const std::size_t on_chip = driver.tegra && HasTegraNodes(driver) ? 1 : 0;
  const std::size_t gpus = std::max({known.size(), driver.signs.gpus, on_chip});
  const auto visible = environment.Get(kVisibleDevices);
  if (const auto* divided = DividedGpu(known, !visible || NamesOneFirst(*visible, known))) {
    error.name = kNoInstance;
    error.text = fmt::format("{} {}", NameOf(*divided), kNoInstanceText);
    return {Outcome::kNoDevice, std::move(error)};
  }
  if (visible && gpus > 0 && LeavesNone(*visible, known, gpus)) {
    error.text = fmt::format("CUDA_VISIBLE_DEVICES=\"{}\" leaves none of {} GPU{}", CleanText(*visible), gpus,
                             gpus == 1 ? "" : "s");
    return {Outcome::kHidden, std::move(error)};
  }
  if (driver.signs.wsl) error.name = "wsl_no_device";
  error.text = driver.signs.wsl ? "the Windows host's driver offers CUDA no device"
                                : "the driver has no device that CUDA can use";
  if (visible && gpus > 0 && MayNameNone(*visible, known))
    error.text +=
        fmt::format("; CUDA_VISIBLE_DEVICES=\"{}\" may name no GPU of this machine", CleanText(*visible));
  return {Outcome::kNoDevice, std::move(error)};
}

bool HasLiveDriver(const KernelDriver& driver) {
  const auto* open = FindNode(driver, [](const DeviceNode& n) { return n.openable && IsExistingGpu(n); });
  return driver.version || driver.signs.gpus > 0 || driver.signs.wsl || driver.tegra || driver.signs.tegra ||
         open != nullptr;
}

const DeviceNode* DeadNode(const KernelDriver& driver) {
  return FindNode(driver, [](const DeviceNode& n) { return n.exists && !n.openable; });
}

// The module lists its GPUs below /proc and makes, or lets others make, a node of each.
bool DrivesNone(const KernelDriver& driver) {
  return driver.version && driver.signs.bus_shown && driver.signs.gpus == 0 && !driver.signs.gpu_node &&
         !driver.in_container && !driver.signs.wsl && !driver.tegra;
}

bool LacksNodes(const KernelDriver& driver) {
  const bool any_node = FindNode(driver, [](const DeviceNode& n) { return n.exists; }) != nullptr;
  return driver.version && !any_node && !driver.signs.wsl && !driver.tegra;
}

// The module shows through /proc and /sys, as a host's does in its containers, and none of its nodes is here.
Diagnosis NoNodes(Error error, const KernelDriver& driver) {
  if (driver.in_container) {
    error.name = "no_device_nodes";
    error.text = "the host's driver shows, but there is no /dev/nvidia*: this container was not given a GPU";
  } else if (DrivesNone(driver)) {
    error.name = "module_without_gpu";
    error.text = "the kernel module nvidia is loaded and has no GPU";
  } else {
    error.name = "nvidia_nodes_missing";
    error.text = "the kernel module nvidia is loaded and there is no /dev/nvidia*: nothing made its nodes";
  }
  return {Outcome::kNoDevice, std::move(error)};
}

// CUDA works with the GPU through one more node than the management library.
bool LacksUvm(const KernelDriver& driver) {
  const auto* gpu_node = FindNode(driver, [](const DeviceNode& n) { return n.exists && !IsUvm(n); });
  const auto* uvm = FindNode(driver, IsUvm);
  return !driver.tegra && !driver.signs.wsl && gpu_node != nullptr && uvm != nullptr && !uvm->exists;
}

const NvmlGpu* FaultyGpu(const std::vector<NvmlGpu>& gpus) {
  const auto gpu =
      std::find_if(gpus.begin(), gpus.end(), [](const NvmlGpu& one) { return one.fault.has_value(); });
  return gpu == gpus.end() ? nullptr : &*gpu;
}

// What files say of a call that found no device or failed without a reason: each cause by its own evidence.
// nullopt where they say nothing.
std::optional<Diagnosis> OfFiles(const Error& said, const KernelDriver& driver, std::size_t nvml_gpus) {
  Error error = said;
  const auto as = [&](Outcome outcome, std::string_view name, std::string text) {
    error.name = name;
    error.text = std::move(text);
    return Diagnosis{outcome, std::move(error)};
  };
  if (nvml_gpus == 0 && LacksCard(driver)) return NoCard(said, driver);
  if (const auto* denied = FindNode(driver, IsDenied)) {
    return as(Outcome::kDenied, "device_node_denied",
              denied->path + " exists and may not be opened by this user or container");
  }
  if (driver.tegra && !HasTegraNodes(driver)) {
    return as(
        Outcome::kNoDevice, "no_tegra_nodes",
        "there is no /dev/nvmap or no node of nvgpu: this container was not given the chip's GPU, or the "
        "kernel is not NVIDIA's");
  }
  const auto* dead = DeadNode(driver);
  if (LacksNodes(driver)) return NoNodes(said, driver);
  if (nvml_gpus == 0 && !HasLiveDriver(driver)) {
    return as(Outcome::kNoDevice, "kernel_module_not_loaded",
              "the kernel module nvidia is not loaded" + (dead ? ": " + DeadText(*dead) : ""));
  }
  if (dead == nullptr && nvml_gpus == 0 && DrivesNone(driver)) return NoNodes(said, driver);
  if (dead == nullptr || IsUvm(*dead)) return std::nullopt;
  return as(Outcome::kFailed, "device_node_dead",
            DeadText(*dead) + ": the kernel driver is loaded and has no working GPU behind it");
}

// What others than CUDA know of a call that found no device or failed without a reason; nullopt where they
// know nothing. First those whose word it is, then what files tell.
std::optional<Diagnosis> Explained(const Error& said, const KernelDriver& driver,
                                   const std::vector<NvmlGpu>& gpus, const std::string& library,
                                   const std::optional<Error>& management) {
  const auto as = [&](std::string_view name, std::string text) {
    return Diagnosis{Outcome::kFailed, {said.call, said.code, std::string(name), std::move(text)}};
  };
  if (management && management->name == kMismatch) return as(kMismatch, management->text);
  if (const auto* gpu = FaultyGpu(gpus))
    return as(gpu->fault->name, fmt::format("{} {}", NameOf(*gpu), gpu->fault->text));
  if (driver.signs.wsl && !driver.in_container && !library.empty() && !IsWindowsDriver(library))
    return as("wsl_linux_driver", library + " is a Linux driver's, which works with no GPU in WSL");
  if (auto found = OfFiles(said, driver, gpus.size())) return found;
  if (!LacksUvm(driver)) return std::nullopt;
  return as(driver.in_container ? "nvidia_uvm_not_passed" : "nvidia_uvm_missing",
            "/dev/nvidia-uvm is missing: nvidia-smi works without it, CUDA does not");
}

}  // namespace

KernelDriver ReadKernelDriver(const system::FileSystem& files, const system::Environment& environment) {
  KernelDriver driver;
  driver.in_container = system::ContainerOf(files, environment).has_value();
  if (const auto line = files.ReadLine("/proc/driver/nvidia/version")) {
    driver.version = VersionIn(*line);
    driver.open_module = line->find("Open") != std::string::npos;
  }
  if (const auto version = files.ReadLine("/sys/module/nvidia/version"); version && !driver.version) {
    driver.version = CleanText(*version);
  }
  driver.signs = nvidia::ReadSigns(files);
  for (const auto& name : files.List("/dev")) {
    if (nvidia::IsGpuNode(name)) driver.nodes.push_back(system::CheckNode(files, "/dev/" + name));
  }
  for (const char* path : {"/dev/nvidiactl", "/dev/nvidia-uvm"})
    driver.nodes.push_back(system::CheckNode(files, path));
  // The module nvidia of a card, or of a chip whose GPU it drives, too, is that of any other machine.
  const auto exists = [&](std::string_view path) { return files.Exists(path); };
  const bool has_nvgpu = std::any_of(kNvgpuNodes.begin(), kNvgpuNodes.end(), exists);
  driver.tegra =
      IsTegra(files, driver.signs) && (!driver.version || (!driver.signs.card_on_bus && has_nvgpu));
  if (driver.tegra) {
    driver.nodes = {system::CheckNode(files, "/dev/nvmap")};
    for (const std::string_view path : kNvgpuNodes) {
      if (exists(path)) driver.nodes.push_back(system::CheckNode(files, std::string(path)));
    }
  }
  return driver;
}

std::optional<std::string> NewestRunnable(std::string_view driver_version) {
  const auto version = Numbers(driver_version);
  for (const auto& row : kFloors) {
    if (version >= row.driver) return std::string(row.cuda);
  }
  return std::nullopt;
}

bool LacksCard(const KernelDriver& driver) {
  if (driver.signs.card_on_bus || HasLiveDriver(driver)) return false;
  return driver.signs.bus_shown || !MayHaveGpu(driver.signs);
}

Diagnosis NoCard(Error error, const KernelDriver& driver) {
  error.name = "no_card";
  error.text = driver.signs.bus_shown ? "no NVIDIA card is on this machine's bus"
                                      : "nothing here shows an NVIDIA card: /sys hides what is on the bus";
  const auto* dead = DeadNode(driver);
  error.text += dead ? ", and " + DeadText(*dead) : ", and there is no /dev/nvidia0";
  return {Outcome::kNoDevice, std::move(error)};
}

std::optional<Error> WhyUnshown(const NvmlGpu& gpu) {
  if (gpu.fault) return gpu.fault;
  if (!gpu.mig || !gpu.instances.empty()) return std::nullopt;
  return Error{"", std::nullopt, std::string(kNoInstance), std::string(kNoInstanceText)};
}

Error NoLibrary(Error error, const KernelDriver& driver) {
  const bool is_given = FindNode(driver, [](const DeviceNode& n) { return n.openable && IsExistingGpu(n); });
  if ((!driver.version && !is_given) || driver.signs.wsl || driver.tegra) return error;
  error.name = driver.in_container ? "libcuda_not_passed" : "libcuda_missing";
  error.text =
      fmt::format("the kernel's part of NVIDIA's driver{}{} is here, and its library libcuda.so.1 is not",
                  driver.version ? " " : "", driver.version.value_or(""));
  return error;
}

Diagnosis Diagnose(Error error, const KernelDriver& driver, const std::vector<NvmlGpu>& gpus,
                   const std::string& library, const system::Environment& environment,
                   const std::optional<Error>& management) {
  if (error.name == kStub || error.name == kStubHere) return {Outcome::kAbsent, std::move(error)};
  const bool unexplained = error.name == kNoDevice || error.name == kUnknown || error.code == 304;
  if (auto found = unexplained ? Explained(error, driver, gpus, library, management) : std::nullopt)
    return *std::move(found);
  if (error.name == kNoDevice) return WhyNoDevice(std::move(error), driver, gpus, environment);
  if (error.name == kUnknown && !gpus.empty() && !driver.signs.wsl) {
    error.name = "nvidia_uvm_broken";
    error.text =
        "the management library works and CUDA does not: the module nvidia_uvm is in a bad state, as after "
        "a suspend";
  }
  if (error.name == kNotReady && driver.signs.nvswitch) {
    error.name = "fabric_not_ready";
    error.text +=
        ": its GPUs are joined by NVSwitch, and the fabric manager does not run or is not of the driver's "
        "version";
  }
  if (library.find("/compat/") != std::string::npos) {
    error.text += fmt::format("{}{} is of a cuda-compat package", error.text.empty() ? "" : "; ", library);
  }
  return {Outcome::kFailed, std::move(error)};
}

}  // namespace probe::cuda
