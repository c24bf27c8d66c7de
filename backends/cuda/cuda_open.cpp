// SPDX-License-Identifier: MIT
#include "backends/cuda/cuda_open.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "probe/system/this_process.h"

namespace backends::cuda {
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

// This process sees these devices, whatever the user's variable shows other programs: a MIG instance can be
// reached in no other way, and a neighbour's context costs memory.
void ShowOnly(std::span<const RuntimeDevice> devices) {
  std::vector<std::string> names;
  for (const RuntimeDevice& device : devices) {
    names.push_back(FactOf(device, "visible_as"));
    if (!names.back().starts_with("GPU-") && !names.back().starts_with("MIG-")) return;
  }
  probe::system::SetProcessVariable("CUDA_VISIBLE_DEVICES", fmt::format("{}", fmt::join(names, ",")));
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

}  // namespace

probe::Result<OpenedDriver> OpenShowing(std::span<const RuntimeDevice> wanted,
                                        const probe::system::FileSystem& files,
                                        const probe::system::Environment& environment) {
  ShowOnly(wanted);
  std::vector<OpenedDevice> opened;
  for (const RuntimeDevice& device : wanted) {
    auto monitor = rt::Monitor::Open(files, environment, device.identity);
    const rt::GpuLoad load = LoadOfOthers(monitor, device);
    opened.push_back({0, {}, load, std::move(monitor)});
  }
  const auto library = rt::OpenDriver(files, environment);
  if (!library) return library.error();
  const auto api = rt::ResolveApi(*library);
  if (!api) return api.error();
  if (const auto code = api->cuInit(0); code != rt::kCuSuccess) return rt::ErrorOf("cuInit", code);
  const auto ids = rt::Devices(*api);
  if (!ids) return ids.error();
  std::vector<RuntimeDevice> offered;
  std::string names;
  for (const rt::CuDevice id : *ids) {
    offered.push_back(rt::ReadDevice(*api, id, static_cast<std::uint32_t>(offered.size())));
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
  return OpenedDriver{*api, std::move(opened)};
}

}  // namespace backends::cuda
