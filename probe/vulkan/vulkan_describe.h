// SPDX-License-Identifier: MIT
// Turns what a physical device says into the vocabulary of probe/core. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "probe/core/device.h"
#include "probe/vulkan/vulkan_facts.h"
#include "probe/vulkan/vulkan_manifest.h"

namespace probe::vulkan {

// `ordinal` is the device's position in its own driver's enumeration.
[[nodiscard]] RuntimeDevice DescribeDevice(const PhysicalFacts& facts, const DriverManifest& driver,
                                           std::uint32_t ordinal);

// The driver's name and version; from the manifest's library and the packed number where it does not say.
[[nodiscard]] std::string DriverName(const PhysicalFacts& facts, const DriverManifest& driver);
[[nodiscard]] std::string DriverVersion(const PhysicalFacts& facts);

}  // namespace probe::vulkan
