// SPDX-License-Identifier: MIT
// What the system's registry of devices (IOKit) knows of a GPU beside what Metal says.
#include "probe/metal/metal_api.h"

namespace probe::metal {
namespace {

// No chip has as many.
constexpr std::int64_t kMostCores = 4096;

}  // namespace

// The accelerator's entry, which Metal's number names, has it, and System Information shows it as "Total
// Number of Cores".
std::optional<std::uint32_t> CoresOf(const Api& api, Id device) {
  const auto id = api.Ask<std::uint64_t>(device, &Selectors::registry_id);
  if (!api.has_registry || !id) return std::nullopt;
  const IoObject entry =
      api.IOServiceGetMatchingService(kIoMainPortDefault, api.IORegistryEntryIDMatching(*id));
  const CfType key = api.CFStringCreateWithCString(nullptr, "gpu-core-count", kCfStringEncodingUtf8);
  const CfType value =
      entry != 0 && key != nullptr ? api.IORegistryEntryCreateCFProperty(entry, key, nullptr, 0) : nullptr;
  std::int64_t cores = 0;
  const bool told = value != nullptr && api.CFGetTypeID(value) == api.CFNumberGetTypeID() &&
                    api.CFNumberGetValue(value, kCfNumberSInt64Type, &cores) != 0;
  if (value != nullptr) api.CFRelease(value);
  if (key != nullptr) api.CFRelease(key);
  if (entry != 0) api.IOObjectRelease(entry);
  if (!told || cores < 1 || cores > kMostCores) return std::nullopt;
  return static_cast<std::uint32_t>(cores);
}

}  // namespace probe::metal
