// SPDX-License-Identifier: MIT
// What the hardware's version that drivers tell says: architecture, release and revision, packed into 32 bits
// (intel/compute-runtime, third_party/aot_config_headers/platforms.h). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace probe::intel {

struct Ip {
  std::uint32_t architecture = 0, release = 0;
};

// Architecture in bits 31:22, release in 21:14, revision in 5:0. nullopt of 0, and of what OpenCL's drivers
// before 2023 told in bytes (12, 7 and 1 of every DG2: shared/source/helpers, makeDeviceIpVersion), which
// names no release.
[[nodiscard]] std::optional<Ip> IpOf(std::uint32_t version);

// "ip-12.55", as data/architectures.csv and builds of programs name the release; nullopt as above.
[[nodiscard]] std::optional<std::string> ArchitectureOf(std::uint32_t version);

}  // namespace probe::intel
