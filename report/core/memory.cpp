// SPDX-License-Identifier: MIT
#include "report/core/memory.h"

#include <algorithm>

#include "report/core/devices.h"

namespace report {

using probe::DeviceKind;

double WorkMemory::OnHost(double needed, double buffers, double share) const {
  switch (kind) {
    case MemoryKind::kHosts:
      return needed;
    case MemoryKind::kShared:
      return share >= 1 ? 0 : std::max(0.0, needed - apart_bytes);
    case MemoryKind::kOwn:
      break;
  }
  return share >= 1 ? 0 : (1 - share) * (needed - buffers);
}

std::optional<double> WorkMemory::OnePlace() const {
  if (kind != MemoryKind::kShared || !host_bytes) return own_bytes;
  return *host_bytes + apart_bytes;
}

WorkMemory WorkMemoryOf(const probe::PhysicalDevice& device, const probe::View& view,
                        std::optional<double> host_bytes) {
  const bool shares = SharesHostMemory(device);
  const auto kind = device.kind == DeviceKind::kCpu ? MemoryKind::kHosts
                    : shares                        ? MemoryKind::kShared
                                                    : MemoryKind::kOwn;
  const auto own = AvailableBytes(device, view);
  return {own || kind != MemoryKind::kHosts ? own : host_bytes, host_bytes, kind,
          shares ? OwnFreeBytes(device) : 0};
}

std::optional<double> HostBytes(std::span<const probe::PhysicalDevice> devices) {
  std::optional<double> bytes;
  for (const auto& device : devices) {
    if (device.kind != DeviceKind::kCpu) continue;
    for (const auto& view : device.views) {
      if (IsSoftware(device, view)) continue;
      if (const auto found = AvailableBytes(device, view)) bytes = found;
    }
  }
  return bytes;
}

bool SharesHostMemory(const probe::PhysicalDevice& device) { return device.kind == DeviceKind::kIntegrated; }

std::string_view HowToSayMemory(const probe::PhysicalDevice& device) {
  if (!device.hardware || device.hardware->source != kDescribed) return "";
  return device.kind == DeviceKind::kCpu ? "ram=64GiB" : "memory=24GiB";
}

}  // namespace report
