// SPDX-License-Identifier: MIT
// What the version of a GPU's hardware says that drivers tell: architecture, release and revision, packed
// into 32 bits (intel/compute-runtime, third_party/aot_config_headers/platforms.h). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probe/core/device.h"

namespace probe::intel {

// As data/architectures.csv and builds of programs name it: "ip-12.55". Architecture in bits 31:22, release
// in 21:14, revision in 5:0. nullopt of 0, and of what OpenCL's drivers before 2023 told in bytes (12, 7 and
// 1 of every DG2: shared/source/helpers, makeDeviceIpVersion), which names no release.
[[nodiscard]] std::optional<std::string> ArchitectureOfIp(std::uint32_t version);

// What its matrix instructions (XMX) multiply, "fp16/fp32", ...; empty of a release without any, nullopt
// where that is not known.
[[nodiscard]] std::optional<std::vector<std::string>> MatrixUnitsOfIp(std::uint32_t version);

// Both of a GPU, and the version as a fact; 0: its driver does not tell it.
void AddIp(std::uint32_t version, RuntimeDevice& device);

}  // namespace probe::intel
