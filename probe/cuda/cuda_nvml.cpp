// SPDX-License-Identifier: MIT
#include "probe/cuda/cuda_nvml.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "probe/core/load.h"
#include "probe/core/ready.h"
#include "probe/core/text.h"
#include "probe/cuda/cuda_nvml_api.h"
#include "probe/nvidia/nvidia.h"

namespace probe::cuda {
namespace {

struct NvmlCodeRow {
  NvmlReturn code;
  std::string_view name;
  std::string_view text;
};
// NVML API reference, enum nvmlReturn_t; tests/abi compares the names with nvml.h.
constexpr std::array kNvmlCodes = {
    NvmlCodeRow{1, "NVML_ERROR_UNINITIALIZED", ""},
    NvmlCodeRow{2, "NVML_ERROR_INVALID_ARGUMENT", ""},
    NvmlCodeRow{3, "NVML_ERROR_NOT_SUPPORTED", ""},
    NvmlCodeRow{4, "NVML_ERROR_NO_PERMISSION", "this user may not ask the kernel driver"},
    NvmlCodeRow{5, "NVML_ERROR_ALREADY_INITIALIZED", ""},
    NvmlCodeRow{6, "NVML_ERROR_NOT_FOUND", ""},
    NvmlCodeRow{7, "NVML_ERROR_INSUFFICIENT_SIZE", ""},
    NvmlCodeRow{8, "NVML_ERROR_INSUFFICIENT_POWER", "a GPU's power cables are not attached"},
    NvmlCodeRow{9, "NVML_ERROR_DRIVER_NOT_LOADED", "the kernel module nvidia is not loaded"},
    NvmlCodeRow{10, "NVML_ERROR_TIMEOUT", ""},
    NvmlCodeRow{11, "NVML_ERROR_IRQ_ISSUE", ""},
    NvmlCodeRow{12, "NVML_ERROR_LIBRARY_NOT_FOUND", ""},
    NvmlCodeRow{13, "NVML_ERROR_FUNCTION_NOT_FOUND", ""},
    NvmlCodeRow{14, "NVML_ERROR_CORRUPTED_INFOROM", ""},
    NvmlCodeRow{15, "NVML_ERROR_GPU_IS_LOST", "a GPU fell off the bus"},
    NvmlCodeRow{16, "NVML_ERROR_RESET_REQUIRED", ""},
    NvmlCodeRow{17, "NVML_ERROR_OPERATING_SYSTEM", ""},
    NvmlCodeRow{18, "NVML_ERROR_LIB_RM_VERSION_MISMATCH",
                "the driver's libraries were updated and the old kernel module is still loaded"},
    NvmlCodeRow{19, "NVML_ERROR_IN_USE", ""},
    NvmlCodeRow{20, "NVML_ERROR_MEMORY", ""},
    NvmlCodeRow{21, "NVML_ERROR_NO_DATA", ""},
    NvmlCodeRow{22, "NVML_ERROR_VGPU_ECC_NOT_SUPPORTED", ""},
    NvmlCodeRow{23, "NVML_ERROR_INSUFFICIENT_RESOURCES", ""},
    NvmlCodeRow{24, "NVML_ERROR_FREQ_NOT_SUPPORTED", ""},
    NvmlCodeRow{25, "NVML_ERROR_ARGUMENT_VERSION_MISMATCH", ""},
    NvmlCodeRow{26, "NVML_ERROR_DEPRECATED", ""},
    NvmlCodeRow{27, "NVML_ERROR_NOT_READY", ""},
    NvmlCodeRow{28, "NVML_ERROR_GPU_NOT_FOUND", ""},
    NvmlCodeRow{29, "NVML_ERROR_INVALID_STATE", ""},
    NvmlCodeRow{30, "NVML_ERROR_RESET_TYPE_NOT_SUPPORTED", ""},
    NvmlCodeRow{999, "NVML_ERROR_UNKNOWN", ""},
};

// The codes by which the library gives no handle of a GPU that is there and can not work, with what it did.
// Not that this user, or this container, may not have it, which is how most of a shared machine's are.
constexpr std::array kFaults = {
    NvmlCodeRow{8, "", "has no power: its cables are not attached"},
    NvmlCodeRow{11, "", "gets no interrupts through to its driver"},
    NvmlCodeRow{15, "", "fell off the bus"},
};

template <std::size_t N>
const NvmlCodeRow* RowOf(const std::array<NvmlCodeRow, N>& rows, NvmlReturn code) {
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const NvmlCodeRow& one) { return one.code == code; });
  return row == rows.end() ? nullptr : &*row;
}

template <class F, class... A>
std::string AskText(F function, A... arguments) {
  std::array<char, kNvmlTextBytes> text{};
  if (function == nullptr || function(arguments..., text.data(), kNvmlTextBytes - 1) != kNvmlSuccess)
    return {};
  return CleanText(text.data());
}

// nullopt where none has a state: this GPU, or the driver, has no NVLink.
std::optional<unsigned int> ActiveLinks(const NvmlApi& api, NvmlDevice device) {
  if (api.nvmlDeviceGetNvLinkState == nullptr) return std::nullopt;
  std::optional<unsigned int> links;
  for (unsigned int link = 0; link < kNvmlMaxLinks; ++link) {
    unsigned int active = 0;
    const auto code = api.nvmlDeviceGetNvLinkState(device, link, &active);
    if (code == kNvmlInvalidArgument) break;  // the driver knows no link of that number, nor any above
    if (code == kNvmlSuccess) links = links.value_or(0) + (active == 1 ? 1 : 0);
  }
  return links;
}

std::vector<Fact> FactsOf(const NvmlApi& api, NvmlDevice device, const GpuLoad& load) {
  std::vector<Fact> facts;
  const auto add = [&](std::string_view key, const std::optional<unsigned int>& value, std::uint64_t unit) {
    if (value) facts.push_back({std::string(key), fmt::to_string(*value * unit)});
  };
  add("clock_hz", Ask<unsigned int>(api.nvmlDeviceGetClockInfo, device, kNvmlClockSm), 1000000);
  add("memory_clock_max_hz", Ask<unsigned int>(api.nvmlDeviceGetMaxClockInfo, device, kNvmlClockMemory),
      1000000);
  add("power_limit_mw", Ask<unsigned int>(api.nvmlDeviceGetEnforcedPowerLimit, device), 1);
  add("power_limit_default_mw", Ask<unsigned int>(api.nvmlDeviceGetPowerManagementDefaultLimit, device), 1);
  if (const auto reasons = Ask<unsigned long long>(api.nvmlDeviceGetCurrentClocksThrottleReasons, device)) {
    const std::string names = ThrottleText(*reasons);
    facts.push_back({"throttled", names.empty() ? "none" : names});
  }
  add(kUtilizationFact, load.utilization_percent, 1);
  add("processes", load.processes, 1);
  if (const auto links = ActiveLinks(api, device)) facts.push_back({"nvlinks", fmt::to_string(*links)});
  // Where it is off the GPU is torn down after its last client, and made ready again in 1 to 3 s for the next
  // (NVIDIA, Driver Persistence, overview).
  if (const auto kept = Ask<unsigned int>(api.nvmlDeviceGetPersistenceMode, device))
    facts.push_back({std::string(kKeptReadyFact), *kept != 0 ? "yes" : "no"});
  return facts;
}

void AddInstances(const NvmlApi& api, NvmlDevice device, NvmlGpu& gpu) {
  unsigned int pending = 0;
  unsigned int current = 0;
  if (api.nvmlDeviceGetMigMode == nullptr || api.nvmlDeviceGetMigDeviceHandleByIndex == nullptr ||
      api.nvmlDeviceGetMigMode(device, &current, &pending) != kNvmlSuccess || current == 0) {
    return;
  }
  gpu.mig = true;
  const unsigned int most =
      std::min(Ask<unsigned int>(api.nvmlDeviceGetMaxMigDeviceCount, device).value_or(0), kMaxInstances);
  for (unsigned int i = 0; i < most; ++i) {
    const auto handle = Ask<NvmlDevice>(api.nvmlDeviceGetMigDeviceHandleByIndex, device, i);
    if (!handle) continue;  // instances may have gaps in their numbers
    NvmlInstance instance;
    instance.uuid = AskText(api.nvmlDeviceGetUUID, *handle);
    const auto gi = Ask<unsigned int>(api.nvmlDeviceGetGpuInstanceId, *handle);
    const auto ci = Ask<unsigned int>(api.nvmlDeviceGetComputeInstanceId, *handle);
    instance.partition = gi && ci ? fmt::format("MIG-{}-{}", *gi, *ci) : instance.uuid;
    if (const auto memory = Ask<NvmlMemory>(api.nvmlDeviceGetMemoryInfo, *handle)) {
      instance.memory_total_bytes = memory->total;
      instance.memory_free_bytes = memory->free;
    }
    if (const auto slice = Ask<NvmlAttributes>(api.nvmlDeviceGetAttributes, *handle)) {
      instance.multiprocessors = slice->multiprocessors;
      if (!instance.memory_total_bytes) instance.memory_total_bytes = slice->memory_mib << 20U;
    }
    if (!instance.partition.empty()) gpu.instances.push_back(std::move(instance));
  }
}

NvmlGpu ReadGpu(const NvmlApi& api, NvmlDevice device, std::uint32_t index) {
  NvmlGpu gpu;
  gpu.index = index;
  gpu.uuid = AskText(api.nvmlDeviceGetUUID, device);
  gpu.name = AskText(api.nvmlDeviceGetName, device);
  if (const auto pci = Ask<NvmlPci>(api.nvmlDeviceGetPciInfo, device);
      pci && pci->bus < 256 && pci->device < 32) {
    gpu.pci = PciAddress{pci->domain, pci->bus, pci->device, 0};
    // Device in the upper half, vendor in the lower, as configuration space has them.
    gpu.ids = PciIds{pci->pci_device_id & 0xffffU,
                     pci->pci_device_id >> 16U,
                     pci->pci_subsystem_id & 0xffffU,
                     pci->pci_subsystem_id >> 16U,
                     {}};
  }
  NvmlMemory memory{};
  if (api.nvmlDeviceGetMemoryInfo != nullptr) {
    const auto code = api.nvmlDeviceGetMemoryInfo(device, &memory);
    gpu.memory_unsupported = code == kNvmlNotSupported;
    if (code == kNvmlSuccess) {
      gpu.memory_total_bytes = memory.total;
      gpu.memory_free_bytes = memory.free;
    }
  }
  gpu.load = LoadOf(api, device, device);
  gpu.facts = FactsOf(api, device, gpu.load);
  AddInstances(api, device, gpu);
  return gpu;
}

NvmlGpu FaultyGpu(std::uint32_t index, NvmlReturn code, std::string_view text) {
  NvmlGpu gpu;
  gpu.index = index;
  gpu.fault = NvmlErrorOf("nvmlDeviceGetHandleByIndex_v2", code);
  gpu.fault->text = text;
  return gpu;
}

// The library tells no address of those: they are the kernel driver's GPUs that it does not tell of
// otherwise, where there are as many. It counts by address.
void FindFaulty(std::vector<NvmlGpu>& gpus, std::vector<PciAddress> addresses) {
  std::erase_if(addresses, [&](const PciAddress& address) {
    return std::any_of(gpus.begin(), gpus.end(), [&](const NvmlGpu& gpu) { return gpu.pci == address; });
  });
  std::sort(addresses.begin(), addresses.end());
  const auto is_faulty = [](const NvmlGpu& gpu) { return gpu.fault.has_value(); };
  const auto faulty = std::count_if(gpus.begin(), gpus.end(), is_faulty);
  if (addresses.size() != static_cast<std::size_t>(faulty)) return;
  auto address = addresses.begin();
  for (NvmlGpu& gpu : gpus) {
    if (is_faulty(gpu)) gpu.pci = *address++;
  }
}

// Two that nobody knows are not the same.
bool IsUuidOf(const std::string& text, const RuntimeDevice& device) {
  return device.identity.uuid && UuidIn(text) == device.identity.uuid;
}

}  // namespace

std::string NameOf(const NvmlGpu& gpu) {
  if (gpu.name.empty() && !gpu.pci && gpu.uuid.empty()) return fmt::format("nvidia-smi's GPU {}", gpu.index);
  return fmt::format("{} ({})", gpu.name.empty() ? "a GPU" : gpu.name,
                     gpu.pci ? ToString(*gpu.pci) : gpu.uuid);
}

const NvmlGpu* GpuOf(const RuntimeDevice& device, const std::vector<NvmlGpu>& gpus) {
  const auto gpu = std::find_if(gpus.begin(), gpus.end(), [&](const NvmlGpu& known) {
    return known.pci && device.identity.pci ? known.pci == device.identity.pci : IsUuidOf(known.uuid, device);
  });
  return gpu == gpus.end() ? nullptr : &*gpu;
}

const NvmlInstance* InstanceOf(const RuntimeDevice& device, const NvmlGpu& gpu) {
  const auto instance =
      std::find_if(gpu.instances.begin(), gpu.instances.end(), [&](const NvmlInstance& known) {
        return device.identity.partition == known.partition || IsUuidOf(known.uuid, device);
      });
  return instance == gpu.instances.end() ? nullptr : &*instance;
}

Error NvmlErrorOf(std::string_view call, NvmlReturn code) {
  const auto* row = RowOf(kNvmlCodes, code);
  if (row == nullptr) return {std::string(call), code, "unknown error", {}};
  return {std::string(call), code, std::string(row->name), std::string(row->text)};
}

Result<NvmlSurvey> AskNvml(const system::FileSystem& files, const system::Environment& environment) {
  const auto library = OpenNvmlLibrary(files, environment);
  if (!library) return library.error();
  const auto api = ResolveNvml(*library);
  if (!api) return api.error();
  if (const auto code = api->nvmlInit(); code != kNvmlSuccess) return NvmlErrorOf("nvmlInit_v2", code);
  NvmlSurvey survey{library->info(), AskText(api->nvmlSystemGetDriverVersion), {}};
  unsigned int count = 0;
  if (const auto code = api->nvmlDeviceGetCount(&count); code != kNvmlSuccess) {
    return NvmlErrorOf("nvmlDeviceGetCount_v2", code);
  }
  for (unsigned int i = 0; i < std::min(count, kMaxGpus); ++i) {
    NvmlDevice device{};
    const auto code = api->nvmlDeviceGetHandleByIndex(i, &device);
    const auto* fault = RowOf(kFaults, code);
    if (code == kNvmlSuccess) survey.gpus.push_back(ReadGpu(*api, device, i));
    if (fault != nullptr) survey.gpus.push_back(FaultyGpu(i, code, fault->text));
  }
  FindFaulty(survey.gpus, nvidia::GpuAddresses(files));
  return survey;
}

}  // namespace probe::cuda
