// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "probe/core/load.h"
#include "probe/cuda/cuda_nvml_api.h"

namespace probe::cuda {
namespace {

constexpr std::array<std::string_view, 1> kSonames = {"libnvidia-ml.so.1"};

struct ReasonRow {
  unsigned long long bit;
  std::string_view name;
};
// NVML API reference, nvmlClocksThrottleReasons; idle and chosen clocks are no throttling.
constexpr unsigned long long kPowerCap = 0x4;
constexpr std::array kReasons = {
    ReasonRow{kPowerCap, "power cap"},   ReasonRow{0x8, "hardware slowdown"},
    ReasonRow{0x20, "software thermal"}, ReasonRow{0x40, "hardware thermal"},
    ReasonRow{0x80, "power brake"},
};

// By its address: whoever counts up to it wakes every GPU on the way (NVML API reference,
// nvmlDeviceGetHandleByIndex: "causes NVML to initialize the target GPU"). Else by the number.
std::optional<NvmlDevice> GpuAt(const NvmlApi& api, const PciAddress& address) {
  const auto named = Ask<NvmlDevice>(api.nvmlDeviceGetHandleByPciBusId, ToString(address).c_str());
  if (named) return named;
  const unsigned int count = Ask<unsigned int>(api.nvmlDeviceGetCount).value_or(0);
  for (unsigned int i = 0; i < std::min(count, kMaxGpus); ++i) {
    const auto gpu = Ask<NvmlDevice>(api.nvmlDeviceGetHandleByIndex, i);
    const auto pci = gpu ? Ask<NvmlPci>(api.nvmlDeviceGetPciInfo, *gpu) : std::nullopt;
    if (pci && PciAddress{pci->domain, pci->bus, pci->device, 0} == address) return gpu;
  }
  return std::nullopt;
}

// Of a GPU in MIG mode the instance with that UUID.
std::optional<NvmlDevice> InstanceOf(const NvmlApi& api, NvmlDevice gpu, const Uuid& uuid) {
  for (unsigned int i = 0; i < kMaxInstances; ++i) {
    const auto instance = Ask<NvmlDevice>(api.nvmlDeviceGetMigDeviceHandleByIndex, gpu, i);
    std::array<char, kNvmlTextBytes> text{};
    if (instance && api.nvmlDeviceGetUUID(*instance, text.data(), kNvmlTextBytes - 1) == kNvmlSuccess &&
        UuidIn(text.data()) == uuid) {
      return instance;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string ThrottleText(unsigned long long reasons) {
  std::vector<std::string_view> names;
  for (const auto& row : kReasons) {
    if ((reasons & row.bit) != 0) names.push_back(row.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

Result<system::Library> OpenNvmlLibrary(const system::FileSystem& files,
                                        const system::Environment& environment) {
  return system::Library::Open(kSonames, DriverDirectories(), files, environment);
}

Result<NvmlApi> ResolveNvml(const system::Library& library) {
  NvmlApi api;
  std::string_view missing;
#define WHICHGPU_NVML_SYMBOL(name, symbol, required)               \
  api.name = library.Function<decltype(&functions::name)>(symbol); \
  if ((required) && missing.empty() && api.name == nullptr) missing = symbol;
#include "probe/cuda/cuda_nvml_symbols.def"
#undef WHICHGPU_NVML_SYMBOL
  if (missing.empty()) return api;
  return Error{"dlsym " + std::string(missing), std::nullopt, "missing_symbol",
               library.info().path.value_or(library.info().soname) + " is too old, or no management library"};
}

GpuLoad LoadOf(const NvmlApi& api, NvmlDevice gpu, NvmlDevice instance) {
  GpuLoad load;
  if (const auto rates = Ask<NvmlUtilization>(api.nvmlDeviceGetUtilizationRates, gpu))
    load.utilization_percent = std::min(rates->gpu, 100U);
  if (api.nvmlDeviceGetComputeRunningProcesses == nullptr) return load;
  unsigned int count = 0;
  const auto code = api.nvmlDeviceGetComputeRunningProcesses(instance, &count, nullptr);
  if (code == kNvmlSuccess || code == kNvmlInsufficientSize) load.processes = count;
  return load;
}

std::string DescribeLoad(const GpuLoad& load) {
  const unsigned int processes = load.processes.value_or(0);
  const std::string busy = BusyText(load.utilization_percent.value_or(0));
  std::string text;
  if (processes > 0) text = fmt::format("{} other process{} on it", processes, processes == 1 ? "" : "es");
  return text + (text.empty() || busy.empty() ? "" : ", ") + busy;
}

bool IsIdle(const GpuLoad& load) { return load.utilization_percent.value_or(kBusyPercent) < kBusyPercent; }

std::optional<Uuid> UuidIn(std::string_view text) {
  const auto dash = text.find('-');
  return dash == std::string_view::npos ? std::nullopt : ParseUuid(text.substr(dash + 1));
}

// With what does not change while a device is measured: each question may be a call to the card's own
// processor.
struct Monitor::Handles {
  Handles(const NvmlApi& functions, NvmlDevice device, NvmlDevice part)
      : api(functions),
        gpu(device),
        instance(part),
        most_mhz(Ask<unsigned int>(api.nvmlDeviceGetMaxClockInfo, gpu, kNvmlClockSm).value_or(0)),
        limit_mw(Ask<unsigned int>(api.nvmlDeviceGetEnforcedPowerLimit, gpu)),
        lowered(limit_mw &&
                *limit_mw < Ask<unsigned int>(api.nvmlDeviceGetPowerManagementDefaultLimit, gpu)) {}
  NvmlApi api;
  NvmlDevice gpu;
  NvmlDevice instance;
  unsigned int most_mhz;
  std::optional<unsigned int> limit_mw;
  bool lowered;  // somebody has set that below what the card is made for
};

std::optional<Monitor> Monitor::Open(const system::FileSystem& files, const system::Environment& environment,
                                     const Identity& identity) {
  const auto library = OpenNvmlLibrary(files, environment);
  if (!library || !identity.pci) return std::nullopt;
  const auto api = ResolveNvml(*library);
  if (!api || api->nvmlInit() != kNvmlSuccess) return std::nullopt;
  const auto gpu = GpuAt(*api, *identity.pci);
  if (!gpu) return std::nullopt;
  const auto instance =
      identity.partition && identity.uuid ? InstanceOf(*api, *gpu, *identity.uuid) : std::nullopt;
  return Monitor(std::make_shared<const Handles>(*api, *gpu, instance.value_or(*gpu)));
}

GpuLoad Monitor::load() const { return LoadOf(handles_->api, handles_->gpu, handles_->instance); }

GpuClocks Monitor::clocks() const {
  const auto& api = handles_->api;
  GpuClocks clocks;
  const auto reasons = Ask<unsigned long long>(api.nvmlDeviceGetCurrentClocksThrottleReasons, handles_->gpu);
  // Large products take a card to the power that it is made for, which is no fault.
  const bool as_made = reasons && (*reasons & kPowerCap) != 0 && !handles_->lowered;
  if (reasons) clocks.throttled_by = ThrottleText(as_made ? *reasons & ~kPowerCap : *reasons);
  if (as_made) {
    clocks.limited_by = "its power limit";
    if (handles_->limit_mw) clocks.limited_by += fmt::format(" of {} W", *handles_->limit_mw / 1000);
  }
  const auto now = Ask<unsigned int>(api.nvmlDeviceGetClockInfo, handles_->gpu, kNvmlClockSm);
  if (now && handles_->most_mhz > 0) clocks.share = static_cast<double>(*now) / handles_->most_mhz;
  if (const auto c = Ask<unsigned int>(api.nvmlDeviceGetTemperature, handles_->gpu, kNvmlTemperatureGpu))
    clocks.temperature_c = *c;
  if (const auto mw = Ask<unsigned int>(api.nvmlDeviceGetPowerUsage, handles_->gpu))
    clocks.power_w = *mw * 1e-3;
  return clocks;
}

}  // namespace probe::cuda
