// SPDX-License-Identifier: MIT
#include <array>

#include "backends/core/backend.h"
#include "backends/core/device_facts.h"
#include "backends/core/host.h"
#include "backends/core/shape.h"
#include "backends/sycl/sycl_session.h"
#include "kernels/spirv/variants.h"

namespace backends::sycl {

Backend Describe();

namespace {

probe::Result<rt::Api> OpenApi(const OpenRequest& request) {
  const auto loader = rt::FindLoader(request.files, request.environment);
  if (!loader) return loader.error();
  // What it keeps from the loader was told when the machine was looked at.
  const auto restricted = rt::RestrictLoader(*loader, request.files, request.environment);
  if (!restricted) return restricted.error();
  const auto library = rt::OpenLoader(request.files, request.environment);
  if (!library) return library.error();
  return rt::ResolveApi(*library);
}

// intel/llvm, sycl/doc/EnvironmentVariables.md: how many threads compute on a processor.
constexpr const char* kThreads = "DPCPP_CPU_NUM_CUS";

probe::Result<std::unique_ptr<Session>> Open(const OpenRequest& request) {
  if (OnHost(request.device)) LimitThreads(request, kThreads);
  const auto api = OpenApi(request);
  if (!api) return api.error();
  const auto adapters = rt::Start(*api);
  if (!adapters) return adapters.error();
  Offered offered;
  for (const rt::UrAdapter adapter : *adapters) {
    const auto platforms = rt::Platforms(*api, adapter);
    if (!platforms) continue;
    for (const rt::Platform& platform : *platforms) {
      const auto devices = rt::ReadDevices(*api, platform);
      if (!devices) continue;
      for (const rt::Found& found : devices->found) {
        if (IsSame(request.device, found.device)) return SyclSession::Create(*api, found, request);
        offered.Add(found.device);
      }
    }
  }
  return offered.NotFound(request.device);
}

std::vector<kernels::Variant> Variants(const Limits& limits) {
  return kernels::spirv::Variants(limits.features);
}

}  // namespace

constexpr std::array<std::string_view, 3> kMemoryErrors = {"UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY",
                                                           "UR_RESULT_ERROR_OUT_OF_HOST_MEMORY",
                                                           "UR_RESULT_ERROR_MEM_OBJECT_ALLOCATION_FAILURE"};

Backend Describe() {
  return {.runtime = "sycl", .open = Open, .variants = Variants, .memory_errors = kMemoryErrors};
}

}  // namespace backends::sycl
