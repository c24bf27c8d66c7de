// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "backends/core/backend.h"
#include "backends/core/sharing.h"
#include "backends/cuda/cuda_runtime.h"
#include "backends/stream/stream_peers.h"
#include "backends/stream/stream_session.h"
#include "kernels/cuda/variants.h"
#include "probe/system/this_process.h"

namespace backends::cuda {

Backend Describe();

namespace {

using probe::RuntimeDevice;
namespace rt = probe::cuda;

struct OpenedDriver {
  rt::Api api;
  std::vector<OpenedDevice> devices;  // in the order asked for
};

// Whether `found` is the device asked for: by UUID, which an instance has of its own; else by address and
// name. A position alone would take another device when one was hidden or added since.
bool IsSame(const RuntimeDevice& wanted, const RuntimeDevice& found) {
  const auto& a = wanted.identity;
  const auto& b = found.identity;
  if (a.uuid && b.uuid) return a.uuid == b.uuid;
  if (a.pci && b.pci) return a.pci == b.pci && a.partition == b.partition;
  return wanted.name == found.name && wanted.ordinal == found.ordinal;
}

// This process sees these devices, whatever the user's variable shows other programs: a MIG instance can be
// reached in no other way, and a neighbour's context costs memory.
void ShowOnly(std::span<const RuntimeDevice> devices) {
  std::vector<std::string> names;
  for (const RuntimeDevice& device : devices) {
    const std::string* name = probe::FindFact(device.facts, "visible_as");
    names.push_back(name == nullptr ? "" : *name);
    if (!names.back().starts_with("GPU-") && !names.back().starts_with("MIG-")) return;
  }
  probe::system::SetProcessVariable("CUDA_VISIBLE_DEVICES", fmt::format("{}", fmt::join(names, ",")));
}

// Who uses the device beside us. Utilisation is an average that still holds the kernels of the runtime that
// we measured before: it counts as far as it was there when the device was found.
rt::GpuLoad LoadOfOthers(const std::optional<rt::Monitor>& monitor, const RuntimeDevice& device) {
  if (!monitor) return {};
  rt::GpuLoad load = monitor->load();
  if (load.utilization_percent)
    load.utilization_percent = std::min(*load.utilization_percent, PercentWhenFound(device));
  return load;
}

// Of an instance and of unified memory the management library does not tell it.
OthersWork WorkOf(const rt::GpuLoad& load) {
  if (!load.utilization_percent) return OthersWork::kUnknown;
  return rt::IsIdle(load) ? OthersWork::kNone : OthersWork::kSeen;
}

// The driver, showing this process these devices and no other. Makes no context. An error names the device
// that is not there any more.
probe::Result<OpenedDriver> OpenShowing(std::span<const RuntimeDevice> wanted, const OpenRequest& request) {
  ShowOnly(wanted);
  std::vector<OpenedDevice> opened;
  for (const RuntimeDevice& device : wanted) {
    auto monitor = rt::Monitor::Open(request.files, request.environment, device.identity);
    const rt::GpuLoad load = LoadOfOthers(monitor, device);
    opened.push_back({0, {}, load, std::move(monitor)});
  }
  const std::string* library = probe::FindFact(wanted.front().facts, rt::kLibraryFact);
  const auto started =
      rt::StartDriverAt(library == nullptr ? "" : *library, request.files, request.environment);
  if (!started) return started.error();
  if (started->code != rt::kCuSuccess) return rt::ErrorOf("cuInit", started->code);
  rt::LoadCompiler(request.files, request.environment, started->library);
  const rt::Api& api = started->api;
  const auto ids = rt::Devices(api);
  if (!ids) return ids.error();
  std::vector<RuntimeDevice> offered;
  std::string names;
  for (const rt::CuDevice id : *ids) {
    offered.push_back(rt::ReadDevice(api, id, static_cast<std::uint32_t>(offered.size())));
    names += fmt::format("{}{}: {}", names.empty() ? "" : ", ", offered.back().ordinal, offered.back().name);
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto found = std::find_if(offered.begin(), offered.end(),
                                    [&](const RuntimeDevice& device) { return IsSame(wanted[i], device); });
    if (found == offered.end()) {
      return probe::Error{"open", std::nullopt, "not found",
                          fmt::format("{} {} is not among the devices now: {}", wanted[i].ordinal,
                                      wanted[i].name, names.empty() ? "none" : names)};
    }
    opened[i].id = (*ids)[found->ordinal];
    opened[i].found = *found;
  }
  return OpenedDriver{api, std::move(opened)};
}

// Compute capabilities from which kernels exist (Variant::requires_features), as 10 * major + minor.
constexpr std::array kCapabilities = {50, 70, 75, 80, 86, 89, 90, 100, 120};
// Dynamic shared memory that a kernel may ask for, in KiB.
constexpr std::array kSharedKib = {32, 48, 64, 96, 160, 192, 224};

// Chips with matrix instructions of their own, which neither older nor newer ones have: by the names of PTX's
// targets, of which "a" is one chip's and "f" a family's.
struct OwnTarget {
  int capability;
  std::string_view feature;
};
constexpr std::array kOwnTargets = {OwnTarget{90, "sm_90a"}, OwnTarget{100, "sm_100a"},
                                    OwnTarget{100, "sm_100f"}, OwnTarget{103, "sm_100f"},
                                    OwnTarget{110, "sm_110a"}};

std::vector<std::string> FeaturesOf(const rt::Api& api, rt::CuDevice device) {
  const int capability = 10 * rt::Attribute(api, device, rt::kCuCapabilityMajor).value_or(0) +
                         rt::Attribute(api, device, rt::kCuCapabilityMinor).value_or(0);
  const int shared = std::max(rt::Attribute(api, device, rt::kCuSharedMemoryPerBlockOptin).value_or(0),
                              rt::Attribute(api, device, rt::kCuSharedMemoryPerBlock).value_or(0));
  std::vector<std::string> features;
  for (const int known : kCapabilities) {
    if (capability >= known) features.push_back(fmt::format("sm_{}", known));
  }
  for (const auto& [chip, target] : kOwnTargets) {
    if (capability == chip) features.emplace_back(target);
  }
  if (capability >= 90 && api.cuTensorMapEncodeTiled != nullptr) features.emplace_back("tensor_maps");
  // Newer ones have larger.
  if (capability == 70 || capability == 72) features.emplace_back("volta_mma");
  if (capability == 75) features.emplace_back("turing_mma");
  // Chips between take fp8 apart into fp16 (kernels/cuda/modules.txt).
  if (capability == 89 || capability >= 120) features.emplace_back("fp8_mma");
  // Of this family alone: others scale blocks by instructions of another kind.
  if (capability / 10 == 12) features.emplace_back("scaled_mma");
  for (const int kib : kSharedKib) {
    if (shared >= kib * 1024) features.push_back(fmt::format("shared:{}", kib));
  }
  return features;
}

probe::Result<std::unique_ptr<Session>> Open(const OpenRequest& request) {
  const auto driver = OpenShowing({&request.device, 1}, request);
  if (!driver) return driver.error();
  const rt::Api& api = driver->api;
  const OpenedDevice& device = driver->devices.front();
  stream::DeviceTraits traits;
  traits.l2_bytes = rt::Attribute(api, device.id, rt::kCuL2Bytes);
  traits.max_threads = rt::Attribute(api, device.id, rt::kCuMaxThreadsPerBlock).value_or(0);
  traits.subgroup_width = 32;
  traits.features = FeaturesOf(api, device.id);
  traits.others = rt::DescribeLoad(device.load);
  traits.work = WorkOf(device.load);
  return stream::StreamSession::Create(std::make_unique<CudaRuntime>(api, driver->devices, request),
                                       device.found, std::move(traits));
}

probe::Result<std::unique_ptr<PeerGroup>> OpenPeers(std::span<const RuntimeDevice> devices,
                                                    const OpenRequest& request) {
  const auto driver = OpenShowing(devices, request);
  if (!driver) return driver.error();
  std::vector<bool> shared;
  for (const OpenedDevice& device : driver->devices) shared.push_back(!rt::DescribeLoad(device.load).empty());
  return stream::JoinDevices(std::make_unique<CudaRuntime>(driver->api, driver->devices, request), shared);
}

std::vector<kernels::Variant> Variants(const Limits& limits) {
  const bool thor =
      std::find(limits.features.begin(), limits.features.end(), "sm_110a") != limits.features.end();
  return kernels::cuda::Variants(thor ? kernels::cuda::Family::kThor : kernels::cuda::Family::kDataCentre);
}

std::vector<kernels::Variant> Libraries(const OpenRequest& request) {
  const auto directories = rt::LibraryDirectories(request.files, request.environment);
  if (!probe::system::Library::Exists(CublasLt().sonames, directories, request.files, request.environment))
    return {};
  auto variants = stream::ProductVariants("cublaslt", CublasLt().types);
  auto too_new =
      WhyCublasLtIsTooNew(request.device.api_version.value_or(""), request.files, request.environment);
  if (too_new.empty()) return variants;
  variants.resize(1);  // speaks for all of its products
  variants.front().left_out = std::move(too_new);
  return variants;
}

}  // namespace

constexpr std::array<std::string_view, 2> kMemoryErrors = {"CUDA_ERROR_OUT_OF_MEMORY",
                                                           "CUBLAS_STATUS_ALLOC_FAILED"};

Backend Describe() {
  return {.runtime = "cuda",
          .open = Open,
          .variants = Variants,
          .libraries = Libraries,
          .open_peers = OpenPeers,
          .memory_errors = kMemoryErrors};
}

}  // namespace backends::cuda
