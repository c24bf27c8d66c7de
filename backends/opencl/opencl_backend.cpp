// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "backends/core/backend.h"
#include "backends/opencl/opencl_session.h"
#include "kernels/opencl/variants.h"
#include "probe/opencl/opencl_api.h"

namespace backends::opencl {

Backend Describe();

namespace {

using probe::RuntimeDevice;
namespace rt = probe::opencl;

// Whether `found` is the device asked for. Identifiers decide where both have them; a position alone would
// take another device when one was hidden or added since.
bool IsSame(const RuntimeDevice& wanted, const RuntimeDevice& found) {
  if (wanted.driver != found.driver || wanted.name != found.name) return false;
  const auto& a = wanted.identity;
  const auto& b = found.identity;
  if (a.pci != b.pci || a.uuid != b.uuid || a.driver_uuid != b.driver_uuid) return false;
  return a.pci || a.uuid || wanted.ordinal == found.ordinal;
}

// Only the drivers that the request allows reach the loader.
probe::Result<rt::Api> OpenApi(const OpenRequest& request) {
  const auto& manifest = request.device.manifest;
  const auto manifests = manifest
                             ? std::vector{rt::ReadManifest(request.files, request.environment, *manifest)}
                             : rt::FindManifests(request.files, request.environment);
  const auto restricted =
      rt::RestrictLoader(manifests, manifest.has_value(), request.files, request.environment);
  if (!restricted) return restricted.error();
  const auto library = rt::OpenLoader(request.files, request.environment);
  if (!library) return library.error();
  return rt::ResolveApi(*library);
}

probe::Result<std::unique_ptr<Session>> Open(const OpenRequest& request) {
  const auto api = OpenApi(request);
  if (!api) return api.error();
  const auto platforms = rt::Platforms(*api);
  if (!platforms) return platforms.error();
  std::string offered;
  for (const cl_platform_id platform : *platforms) {
    const auto devices = rt::Devices(*api, platform);
    if (!devices) continue;
    std::uint32_t ordinal = 0;
    for (const cl_device_id id : *devices) {
      const RuntimeDevice found = rt::ReadDevice(*api, platform, id, ordinal++);
      if (IsSame(request.device, found)) return OpenClSession::Create(*api, platform, id, found);
      offered +=
          fmt::format("{}{} {}: {}", offered.empty() ? "" : ", ", found.driver, found.ordinal, found.name);
    }
  }
  return probe::Error{
      "open", std::nullopt, "not found",
      fmt::format("{} {}: {} is not among the devices now: {}", request.device.driver, request.device.ordinal,
                  request.device.name, offered.empty() ? "none" : offered)};
}

std::vector<kernels::Variant> Variants(const Limits& limits) {
  return kernels::opencl::Variants(limits.features);
}

}  // namespace

Backend Describe() { return {"opencl", Open, Variants}; }

}  // namespace backends::opencl
