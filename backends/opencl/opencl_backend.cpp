// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "backends/core/backend.h"
#include "backends/core/device_facts.h"
#include "backends/core/host.h"
#include "backends/opencl/opencl_session.h"
#include "kernels/opencl/variants.h"
#include "probe/opencl/opencl_api.h"

namespace backends::opencl {

Backend Describe();

namespace {

using probe::RuntimeDevice;
namespace rt = probe::opencl;

// PoCL runs a linker for every kernel and aborts the process where there is none.
constexpr std::array<std::string_view, 2> kLinkers = {"ld", "ld.lld"};

std::optional<probe::Error> MissingTool(const OpenRequest& request) {
  if (request.device.driver != kPocl) return std::nullopt;
  const std::string path = request.environment.Get("PATH").value_or("");
  std::string_view rest = path;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(':'), rest.size());
    for (const auto linker : kLinkers) {
      const std::string file = std::string(rest.substr(0, end)) + "/" + std::string(linker);
      if (file.starts_with('/') && request.files.Exists(file)) return std::nullopt;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return probe::Error{
      "open", std::nullopt, "no linker",
      "PoCL needs the linker ld to compile kernels, and PATH leads to none: install binutils"};
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
  if (auto missing = MissingTool(request)) return *std::move(missing);
  // It starts a thread for every processor of the machine, allowed or not.
  if (request.device.driver == kPocl) LimitThreads(request, "POCL_MAX_PTHREAD_COUNT");
  const auto api = OpenApi(request);
  if (!api) return api.error();
  const auto platforms = rt::Platforms(*api);
  if (!platforms) return platforms.error();
  Offered offered;
  for (const cl_platform_id platform : *platforms) {
    const auto devices = rt::Devices(*api, platform);
    if (!devices) continue;
    std::uint32_t ordinal = 0;
    for (const cl_device_id id : *devices) {
      const RuntimeDevice found = rt::ReadDevice(*api, platform, id, ordinal++);
      if (IsSame(request.device, found)) {
        return OpenClSession::Create(*api, platform, id, WithinHost(found, request.processor), request);
      }
      offered.Add(found);
    }
  }
  return offered.NotFound(request.device);
}

std::vector<kernels::Variant> Variants(const Limits& limits) {
  return kernels::opencl::Variants(limits.features);
}

}  // namespace

// OpenCL 3.0, table of error codes. CL_OUT_OF_RESOURCES may be a kernel's fault, and is none of them.
constexpr std::array<std::string_view, 1> kMemoryErrors = {"CL_MEM_OBJECT_ALLOCATION_FAILURE"};

Backend Describe() {
  return {.runtime = "opencl", .open = Open, .variants = Variants, .memory_errors = kMemoryErrors};
}

}  // namespace backends::opencl
