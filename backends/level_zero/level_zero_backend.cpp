// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <array>

#include "backends/core/backend.h"
#include "backends/level_zero/level_zero_session.h"
#include "kernels/spirv/variants.h"

namespace backends::level_zero {

Backend Describe();

namespace {

using probe::RuntimeDevice;

// Whether `found` is the device asked for. Identifiers decide where there are some; a position alone would
// take another device when one was hidden or added since.
bool IsSame(const RuntimeDevice& wanted, const RuntimeDevice& found) {
  if (wanted.driver != found.driver || wanted.name != found.name) return false;
  const auto& a = wanted.identity;
  const auto& b = found.identity;
  if (a.pci != b.pci || a.partition != b.partition || a.uuid != b.uuid) return false;
  return a.pci || a.uuid || wanted.ordinal == found.ordinal;
}

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
  std::string offered;
  for (std::size_t i = 0; i < drivers->size(); ++i) {
    const auto devices = rt::ReadDevices(*api, (*drivers)[i], rt::DriverName(i));
    if (!devices) continue;
    for (const rt::Found& found : devices->found) {
      if (IsSame(request.device, found.device))
        return LevelZeroSession::Create(*api, (*drivers)[i], found, request);
      offered += fmt::format("{}{} {}: {}", offered.empty() ? "" : ", ", found.device.driver,
                             found.device.ordinal, found.device.name);
    }
  }
  return probe::Error{
      "open", std::nullopt, "not found",
      fmt::format("{} {}: {} is not among the devices now: {}", request.device.driver, request.device.ordinal,
                  request.device.name, offered.empty() ? "none" : offered)};
}

std::vector<kernels::Variant> Variants(const Limits& limits) {
  return kernels::spirv::Variants(limits.features);
}

}  // namespace

constexpr std::array<std::string_view, 2> kMemoryErrors = {"ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY",
                                                           "ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY"};

Backend Describe() {
  return {.runtime = "level_zero", .open = Open, .variants = Variants, .memory_errors = kMemoryErrors};
}

}  // namespace backends::level_zero
