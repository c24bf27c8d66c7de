// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "backends/core/backend.h"
#include "backends/metal/metal_session.h"
#include "kernels/metal/variants.h"
#include "probe/metal/metal_api.h"

namespace backends::metal {

Backend Describe();

namespace {

using probe::RuntimeDevice;
namespace rt = probe::metal;

// By the number that the system has given it since it started; a position alone would take another device
// when one was pulled out since.
bool IsSame(const RuntimeDevice& wanted, const RuntimeDevice& found) {
  const std::string* a = probe::FindFact(wanted.facts, "registry_id");
  const std::string* b = probe::FindFact(found.facts, "registry_id");
  if (wanted.name != found.name || (a == nullptr) != (b == nullptr)) return false;
  return a != nullptr ? *a == *b : wanted.ordinal == found.ordinal;
}

probe::Result<std::unique_ptr<Session>> Open(const OpenRequest& request) {
  const auto libraries = rt::OpenLibraries(request.files, request.environment);
  if (!libraries) return libraries.error();
  const auto api = rt::ResolveApi(*libraries);
  if (!api) return api.error();
  const rt::Pool pool(*api);
  const auto devices = rt::Devices(*api);
  std::string offered;
  for (std::uint32_t i = 0; i < devices.size(); ++i) {
    const RuntimeDevice found = rt::ReadDevice(*api, devices[i].get(), i);
    if (IsSame(request.device, found)) return MetalSession::Create(*api, devices[i].get(), found, request);
    offered += fmt::format("{}{}: {}", offered.empty() ? "" : ", ", i, found.name);
  }
  return probe::Error{"open", std::nullopt, "not found",
                      fmt::format("{}: {} is not among the devices now: {}", request.device.ordinal,
                                  request.device.name, offered.empty() ? "none" : offered)};
}

// Others' GPUs are not asked for simdgroups of 32 lanes, and may have them: what needs these was written for
// Apple's alone, and it says so.
std::vector<kernels::Variant> Variants(const Limits& limits) {
  auto all = kernels::metal::Variants();
  const auto needs = [](const std::vector<std::string>& features) {
    return std::find(features.begin(), features.end(), kernels::metal::kSimdgroups) != features.end();
  };
  if (needs(limits.features)) return all;
  for (kernels::Variant& variant : all) {
    if (needs(variant.requires_features))
      variant.requires_features = {"a kernel for it: this one was not written for this GPU"};
  }
  return all;
}

}  // namespace

constexpr std::array<std::string_view, 2> kMemoryErrors = {"no buffer", "MTLCommandBufferErrorOutOfMemory"};

Backend Describe() {
  return {.runtime = "metal", .open = Open, .variants = Variants, .memory_errors = kMemoryErrors};
}

}  // namespace backends::metal
