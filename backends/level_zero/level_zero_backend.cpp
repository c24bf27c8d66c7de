// SPDX-License-Identifier: MIT
#include <array>

#include "backends/core/backend.h"
#include "backends/core/device_facts.h"
#include "backends/level_zero/level_zero_session.h"
#include "backends/level_zero/onednn.h"
#include "kernels/spirv/variants.h"

namespace backends::level_zero {

Backend Describe();

namespace {

probe::Result<rt::Api> OpenApi(const OpenRequest& request) {
  // What it keeps from the loader was told when the machine was looked at.
  (void)rt::RestrictLoader(request.files, request.environment);
  const auto library = rt::OpenLoader(request.files, request.environment);
  if (!library) return library.error();
  return rt::ResolveApi(*library);
}

probe::Result<std::unique_ptr<Session>> Open(const OpenRequest& request) {
  const auto api = OpenApi(request);
  if (!api) return api.error();
  const auto drivers = rt::Start(*api);
  if (!drivers) return drivers.error();
  Offered offered;
  for (std::size_t i = 0; i < drivers->size(); ++i) {
    const auto devices = rt::ReadDevices(*api, (*drivers)[i], rt::DriverName(i));
    if (!devices) continue;
    for (const rt::Found& found : devices->found) {
      if (IsSame(request.device, found.device))
        return LevelZeroSession::Create(*api, (*drivers)[i], found, request);
      offered.Add(found.device);
    }
  }
  return offered.NotFound(request.device);
}

std::vector<kernels::Variant> Variants(const Limits& limits) {
  return kernels::spirv::Variants(limits.features);
}

}  // namespace

constexpr std::array<std::string_view, 3> kMemoryErrors = {
    "ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY", "ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY", "dnnl_out_of_memory"};

Backend Describe() {
  return {.runtime = "level_zero",
          .open = Open,
          .variants = Variants,
          .libraries = OneDnnVariants,
          .memory_errors = kMemoryErrors};
}

}  // namespace backends::level_zero
