// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "backends/core/backend.h"
#include "backends/cuda/cuda_session.h"
#include "kernels/cuda/variants.h"
#include "probe/cuda/cuda_api.h"
#include "probe/system/this_process.h"

namespace backends::cuda {

Backend Describe();

namespace {

using probe::RuntimeDevice;
namespace rt = probe::cuda;

// Whether `found` is the device asked for: by UUID, which an instance has of its own; else by address and
// name. A position alone would take another device when one was hidden or added since.
bool IsSame(const RuntimeDevice& wanted, const RuntimeDevice& found) {
  const auto& a = wanted.identity;
  const auto& b = found.identity;
  if (a.uuid && b.uuid) return a.uuid == b.uuid;
  if (a.pci && b.pci) return a.pci == b.pci && a.partition == b.partition;
  return wanted.name == found.name && wanted.ordinal == found.ordinal;
}

std::string FactOf(const RuntimeDevice& device, std::string_view key) {
  const auto fact = std::find_if(device.facts.begin(), device.facts.end(),
                                 [&](const probe::Fact& known) { return known.key == key; });
  return fact == device.facts.end() ? std::string() : fact->value;
}

// This process sees the one device, whatever the user's variable shows other programs: a MIG instance can be
// reached in no other way, and a neighbour's context costs memory.
void ShowOnly(const RuntimeDevice& device) {
  const std::string name = FactOf(device, "visible_as");
  if (name.starts_with("GPU-") || name.starts_with("MIG-")) {
    probe::system::SetProcessVariable("CUDA_VISIBLE_DEVICES", name);
  }
}

// Who uses the device beside us. Utilisation is an average that still holds the kernels of the runtime that
// we measured before: it counts as far as it was there when the device was found.
rt::GpuLoad LoadOfOthers(const std::optional<rt::Monitor>& monitor, const RuntimeDevice& device) {
  if (!monitor) return {};
  rt::GpuLoad load = monitor->load();
  const std::string found = FactOf(device, "utilization_percent");
  unsigned int before = 0;
  std::from_chars(found.data(), found.data() + found.size(), before);
  if (load.utilization_percent) load.utilization_percent = std::min(*load.utilization_percent, before);
  return load;
}

probe::Result<std::unique_ptr<Session>> Open(const OpenRequest& request) {
  ShowOnly(request.device);
  auto monitor = rt::Monitor::Open(request.files, request.environment, request.device.identity);
  const rt::GpuLoad load = LoadOfOthers(monitor, request.device);
  const auto library = rt::OpenDriver(request.files, request.environment);
  if (!library) return library.error();
  const auto api = rt::ResolveApi(*library);
  if (!api) return api.error();
  if (const auto code = api->cuInit(0); code != rt::kCuSuccess) return rt::ErrorOf("cuInit", code);
  const auto devices = rt::Devices(*api);
  if (!devices) return devices.error();
  std::string offered;
  std::uint32_t ordinal = 0;
  for (const rt::CuDevice id : *devices) {
    const RuntimeDevice found = rt::ReadDevice(*api, id, ordinal++);
    if (IsSame(request.device, found)) {
      return CudaSession::Create(*api, id, found,
                                 {request.files, request.environment, std::move(monitor), load});
    }
    offered += fmt::format("{}{}: {}", offered.empty() ? "" : ", ", found.ordinal, found.name);
  }
  return probe::Error{"open", std::nullopt, "not found",
                      fmt::format("{} {} is not among the devices now: {}", request.device.ordinal,
                                  request.device.name, offered.empty() ? "none" : offered)};
}

std::vector<kernels::Variant> Variants(const Limits&) { return kernels::cuda::Variants(); }

std::vector<kernels::Variant> Libraries(const OpenRequest& request) {
  return CublasLt::IsInstalled(request.files, request.environment) ? CublasLt::Variants()
                                                                   : std::vector<kernels::Variant>();
}

}  // namespace

Backend Describe() { return {"cuda", Open, Variants, Libraries}; }

}  // namespace backends::cuda
