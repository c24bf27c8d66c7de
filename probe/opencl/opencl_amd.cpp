// SPDX-License-Identifier: MIT
// cl_amd_device_attribute_query.
#include <array>

#include "probe/opencl/opencl_vendors.h"

namespace probe::opencl::amd {

VendorQueries Describe();

namespace {

std::optional<PciAddress> Pci(const Reader& reader) {
  const auto topology = reader.Value<cl_device_topology_amd>(CL_DEVICE_TOPOLOGY_AMD);
  if (!topology || topology->raw.type != CL_DEVICE_TOPOLOGY_TYPE_PCIE_AMD) return std::nullopt;
  const auto byte = [](cl_char c) { return std::uint32_t{static_cast<std::uint8_t>(c)}; };
  return PciAddress{0, byte(topology->pcie.bus), byte(topology->pcie.device), byte(topology->pcie.function)};
}

// One or two words in KiB, all free memory first.
std::optional<std::uint64_t> FreeBytes(const Reader& reader) {
  if (const auto two = reader.Value<std::array<std::size_t, 2>>(CL_DEVICE_GLOBAL_FREE_MEMORY_AMD)) {
    return (*two)[0] * 1024;
  }
  const auto one = reader.Value<std::size_t>(CL_DEVICE_GLOBAL_FREE_MEMORY_AMD);
  return one ? std::optional<std::uint64_t>(*one * 1024) : std::nullopt;
}

// On RDNA (gfx10 and later), where two compute units of two SIMDs each work as a pair, AMD's driver counts
// the pairs and their SIMDs (ROCm/clr, rocclr/device/rocm/rocdevice.cpp, enableWgpMode_).
std::uint32_t UnitsInOne(const Reader& reader, std::string_view architecture) {
  const bool rdna = architecture.size() > 6 && architecture.starts_with("gfx1");
  return rdna && reader.Value<cl_uint>(CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD) == 4U ? 2 : 1;
}

constexpr std::array kWordFacts = {FactRow{"simd_per_compute_unit", CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD}};

}  // namespace

VendorQueries Describe() {
  VendorQueries queries;
  queries.extension = "cl_amd_device_attribute_query";
  queries.pci = Pci;
  queries.device_number = CL_DEVICE_PCIE_ID_AMD;
  queries.board_name = CL_DEVICE_BOARD_NAME_AMD;
  queries.subgroup_width = CL_DEVICE_WAVEFRONT_WIDTH_AMD;
  queries.units_in_one = UnitsInOne;
  queries.free_bytes = FreeBytes;
  queries.word_facts = kWordFacts;
  return queries;
}

}  // namespace probe::opencl::amd
