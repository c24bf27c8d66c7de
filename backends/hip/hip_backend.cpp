// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "backends/core/backend.h"
#include "backends/core/shape.h"
#include "backends/core/sharing.h"
#include "backends/hip/hip_runtime.h"
#include "backends/hip/vendor.h"
#include "backends/stream/stream_peers.h"
#include "backends/stream/stream_session.h"
#include "kernels/hip/variants.h"
#include "probe/core/load.h"
#include "probe/hip/hip_api.h"

namespace backends::hip {

Backend Describe();

namespace {

using probe::RuntimeDevice;
namespace rt = probe::hip;

// Whether `found` is the device asked for. Partitions of one card may share its number. A position alone
// would take another device when one was hidden or added since.
bool IsSame(const RuntimeDevice& wanted, const RuntimeDevice& found) {
  const auto& a = wanted.identity;
  const auto& b = found.identity;
  if (a.uuid && b.uuid && a.uuid != b.uuid) return false;
  if (a.pci && b.pci) return a.pci == b.pci && a.partition == b.partition;
  return a.uuid && b.uuid ? a.partition == b.partition
                          : wanted.name == found.name && wanted.ordinal == found.ordinal;
}

struct OpenedRuntime {
  probe::system::Library library;
  rt::Api api;
  std::vector<RuntimeDevice> devices;
};

probe::Result<OpenedRuntime> OpenRuntime(const OpenRequest& request) {
  const auto library = rt::OpenRuntime(request.files, request.environment);
  if (!library) return library.error();
  const auto api = rt::ResolveApi(*library);
  if (!api) return api.error();
  // Its code misleads (probe/hip/hip_api.h).
  (void)api->hipInit(0);
  auto devices = rt::ReadDevices(*api, probe::amd::ReadKfdNodes(request.files), request.environment);
  if (!devices) return devices.error();
  return OpenedRuntime{*library, *api, *std::move(devices)};
}

probe::Result<RuntimeDevice> Find(const OpenedRuntime& runtime, const RuntimeDevice& wanted) {
  std::string offered;
  for (const RuntimeDevice& found : runtime.devices) {
    if (IsSame(wanted, found)) return found;
    offered += fmt::format("{}{}: {}", offered.empty() ? "" : ", ", found.ordinal, found.name);
  }
  return probe::Error{"open", std::nullopt, "not found",
                      fmt::format("{} {} is not among the devices now: {}", wanted.ordinal, wanted.name,
                                  offered.empty() ? "none" : offered)};
}

// Who else uses it: what was seen when the device was found, unless it has ended since.
std::string LoadNow(const RuntimeDevice& device, const probe::system::FileSystem& files) {
  std::string seen = LoadOfOthers(device);
  if (seen.empty() || !device.identity.pci) return seen;
  RuntimeDevice now;
  now.facts = probe::amd::ReadState(files, "/sys/bus/pci/devices/" + ToString(*device.identity.pci)).facts;
  const bool told = probe::FindFact(now.facts, probe::kUtilizationFact) != nullptr;
  return told && LoadOfOthers(now).empty() ? "" : seen;
}

probe::Result<std::unique_ptr<Session>> Open(const OpenRequest& request) {
  const auto runtime = OpenRuntime(request);
  if (!runtime) return runtime.error();
  const auto found = Find(*runtime, request.device);
  if (!found) return found.error();
  const auto device = static_cast<int>(found->ordinal);
  const auto target = rt::TargetWithFeatures(runtime->api, device);
  if (!target) {
    return probe::Error{"hipGetDeviceProperties", std::nullopt, "no target",
                        "the runtime does not say what architecture to compile for"};
  }
  auto hip =
      std::make_unique<HipRuntime>(runtime->api, std::vector{device}, request.files, request.environment);
  hip->PrepareKernels(*found, rt::OpenCompiler(runtime->library, request.files, request.environment),
                      *target);
  stream::DeviceTraits traits;
  traits.l2_bytes = LastCacheBytes(*found, rt::Attribute(runtime->api, device, rt::kHipL2Bytes));
  traits.max_threads = rt::Attribute(runtime->api, device, rt::kHipMaxThreadsPerBlock).value_or(0);
  traits.subgroup_width = 64;
  traits.features = kernels::hip::FeaturesOf(found->architecture.value_or(""));
  traits.others = LoadNow(request.device, request.files);
  return stream::StreamSession::Create(std::move(hip), *found, std::move(traits));
}

probe::Result<std::unique_ptr<PeerGroup>> OpenPeers(std::span<const RuntimeDevice> wanted,
                                                    const OpenRequest& request) {
  const auto runtime = OpenRuntime(request);
  if (!runtime) return runtime.error();
  std::vector<int> devices;
  std::vector<bool> shared;
  for (const RuntimeDevice& device : wanted) {
    const auto found = Find(*runtime, device);
    if (!found) return found.error();
    devices.push_back(static_cast<int>(found->ordinal));
    shared.push_back(!LoadNow(device, request.files).empty());
  }
  return stream::JoinDevices(
      std::make_unique<HipRuntime>(runtime->api, std::move(devices), request.files, request.environment),
      shared);
}

// Without those for other chips' matrix units where this one computes the same in a way of its own.
std::vector<kernels::Variant> Variants(const Limits& limits) {
  std::vector<kernels::Variant> usable, others;
  for (auto& variant : kernels::hip::Variants()) {
    (MissingFeature(variant, limits).empty() ? usable : others).push_back(std::move(variant));
  }
  const auto end = static_cast<std::ptrdiff_t>(usable.size());
  for (auto& other : others) {
    const bool replaced = std::any_of(usable.begin(), usable.begin() + end, [&](const auto& known) {
      return known.kernel == other.kernel && known.in == other.in && known.acc == other.acc;
    });
    if (!replaced) usable.push_back(std::move(other));
  }
  return usable;
}

}  // namespace

constexpr std::array<std::string_view, 3> kMemoryErrors = {
    "hipErrorOutOfMemory", "HIPBLAS_STATUS_ALLOC_FAILED", "rocblas_status_memory_error"};

Backend Describe() {
  return {.runtime = "hip",
          .open = Open,
          .variants = Variants,
          .libraries = VendorVariants,
          .open_peers = OpenPeers,
          .memory_errors = kMemoryErrors};
}

}  // namespace backends::hip
