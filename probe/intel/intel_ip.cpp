// SPDX-License-Identifier: MIT
#include "probe/intel/intel_ip.h"

#include <array>
#include <utility>

namespace probe::intel {
namespace {

std::uint32_t ArchitectureIn(std::uint32_t version) { return version >> 22U; }
std::uint32_t ReleaseIn(std::uint32_t version) { return version >> 14U & 0xffU; }

// Releases with matrix instructions, and what they multiply: intel/compute-runtime, hardware infos with
// isMatrixMultiplyAccumulateSupported, and of tf32 the extension
// cl_intel_subgroup_matrix_multiply_accumulate_tf32.
struct MatrixRow {
  std::uint32_t architecture, first_release, last_release;
  bool tf32;
};
constexpr std::array kMatrixRows = {
    MatrixRow{12, 55, 57, false}, MatrixRow{12, 60, 60, true}, MatrixRow{12, 74, 74, false},
    MatrixRow{20, 0, 255, true},  MatrixRow{30, 0, 255, true}, MatrixRow{35, 10, 11, true},
};
// Of all releases up to this architecture it is known which have none.
constexpr std::uint32_t kLastWithout = 12;

}  // namespace

std::optional<std::string> ArchitectureOfIp(std::uint32_t version) {
  constexpr std::uint32_t kOldest = 8;  // gen8, the first with these drivers
  if (ArchitectureIn(version) < kOldest) return std::nullopt;
  return "ip-" + std::to_string(ArchitectureIn(version)) + "." + std::to_string(ReleaseIn(version));
}

std::optional<std::vector<std::string>> MatrixUnitsOfIp(std::uint32_t version) {
  const auto architecture = ArchitectureIn(version), release = ReleaseIn(version);
  for (const MatrixRow& row : kMatrixRows) {
    if (architecture != row.architecture || release < row.first_release || release > row.last_release)
      continue;
    std::vector<std::string> units = {"fp16/fp32", "bf16/fp32", "int8/int32"};
    if (row.tf32) units.emplace_back("tf32/fp32");
    return units;
  }
  return architecture <= kLastWithout ? std::optional(std::vector<std::string>()) : std::nullopt;
}

void AddIp(std::uint32_t version, RuntimeDevice& device) {
  auto units = version != 0 ? MatrixUnitsOfIp(version) : std::nullopt;
  device.architecture = ArchitectureOfIp(version);
  if (version != 0) device.facts.push_back({"ip_version", std::to_string(version)});
  if (units) {
    device.matrix_units = *std::move(units);
  } else {
    device.facts.push_back({"matrix_units", "not known"});
  }
}

}  // namespace probe::intel
