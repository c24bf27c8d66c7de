// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "backends/core/backend.h"
#include "backends/hip/hip_session.h"
#include "kernels/hip/variants.h"
#include "probe/hip/hip_api.h"

namespace backends::hip {

Backend Describe();

namespace {

using probe::RuntimeDevice;
namespace rt = probe::hip;

constexpr unsigned kBusyPercent = 10;

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

// Who used the device when it was found, before this process did; for people.
std::string LoadOfOthers(const RuntimeDevice& device) {
  for (const probe::Fact& fact : device.facts) {
    unsigned percent = 0;
    if (fact.key != "utilization_percent") continue;
    std::from_chars(fact.value.data(), fact.value.data() + fact.value.size(), percent);
    if (percent >= kBusyPercent) return fmt::format("{} % busy", std::min(percent, 100U));
  }
  return {};
}

probe::Result<std::unique_ptr<Session>> Open(const OpenRequest& request) {
  const auto library = rt::OpenRuntime(request.files, request.environment);
  if (!library) return library.error();
  const auto api = rt::ResolveApi(*library);
  if (!api) return api.error();
  // Its code misleads (probe/hip/hip_api.h).
  (void)api->hipInit(0);
  const auto devices = rt::ReadDevices(*api, probe::system::ReadKfdNodes(request.files));
  if (!devices) return devices.error();
  std::string offered;
  for (const RuntimeDevice& found : *devices) {
    if (IsSame(request.device, found)) {
      const auto device = static_cast<int>(found.ordinal);
      const auto target = rt::TargetWithFeatures(*api, device);
      if (!target) {
        return probe::Error{"hipGetDeviceProperties", std::nullopt, "no target",
                            "the runtime does not say what architecture to compile for"};
      }
      return HipSession::Create(
          *api, rt::OpenCompiler(*library, request.files, request.environment), device,
          {found, *target, LoadOfOthers(request.device), request.files, request.environment});
    }
    offered += fmt::format("{}{}: {}", offered.empty() ? "" : ", ", found.ordinal, found.name);
  }
  return probe::Error{"open", std::nullopt, "not found",
                      fmt::format("{} {} is not among the devices now: {}", request.device.ordinal,
                                  request.device.name, offered.empty() ? "none" : offered)};
}

std::vector<kernels::Variant> Variants(const Limits&) { return kernels::hip::Variants(); }

}  // namespace

Backend Describe() { return {"hip", Open, Variants, VendorVariants}; }

}  // namespace backends::hip
