// SPDX-License-Identifier: MIT
#include "report/core/device_peak.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "probe/core/parse.h"

namespace report {
namespace {

const DevicePeak* ById(const Peaks& peaks, const probe::Identity& identity) {
  if (!identity.ids) return nullptr;
  const auto id = fmt::format("{:04x}:{:04x}", identity.ids->vendor, identity.ids->device);
  const auto found = std::find_if(peaks.devices.begin(), peaks.devices.end(),
                                  [&](const DevicePeak& row) { return row.id == id; });
  return found == peaks.devices.end() ? nullptr : &*found;
}

// "Apple M1 GPU" and "M1" are the "Apple M1" of the table, and "M1 Pro" is not.
bool IsCalled(const DevicePeak& row, std::string name) {
  constexpr std::string_view kSuffix = " gpu";
  if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
  const auto known = probe::Lower(row.name);
  return name == known || name == known.substr(known.find(' ') + 1);
}

}  // namespace

const DevicePeak* FindPeak(const Peaks& peaks, const probe::PhysicalDevice& device) {
  if (device.hardware) {
    if (const auto* row = ById(peaks, device.hardware->identity)) return row;
  }
  for (const auto& view : device.views) {
    if (const auto* row = ById(peaks, view.device.identity)) return row;
  }
  if (!device.hardware || !device.hardware->identity.ids) return nullptr;
  const auto vendor = fmt::format("{:04x}", device.hardware->identity.ids->vendor);
  const auto name = probe::Lower(device.name);
  const auto found = std::find_if(peaks.parts.begin(), peaks.parts.end(), [&](const DevicePeak& row) {
    return row.id == vendor && IsCalled(row, name);
  });
  return found == peaks.parts.end() ? nullptr : &*found;
}

}  // namespace report
