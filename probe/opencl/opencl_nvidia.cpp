// SPDX-License-Identifier: MIT
// cl_nv_device_attribute_query.
#include <fmt/format.h>

#include <array>

#include "probe/opencl/opencl_vendors.h"

namespace probe::opencl::nvidia {

VendorQueries Describe();

namespace {

// The position on the bus is not in Khronos's headers. The slot number holds device and function as PCI packs
// them: device * 8 + function.
constexpr cl_device_info kPciBus = 0x4008;
constexpr cl_device_info kPciSlot = 0x4009;
constexpr cl_device_info kPciDomain = 0x400A;

std::optional<PciAddress> Pci(const Reader& reader) {
  const auto bus = reader.Value<cl_uint>(kPciBus);
  const auto slot = reader.Value<cl_uint>(kPciSlot);
  if (!bus || !slot) return std::nullopt;
  return PciAddress{reader.Value<cl_uint>(kPciDomain).value_or(0), *bus, *slot >> 3U, *slot & 7U};
}

std::optional<std::string> Architecture(const Reader& reader) {
  const auto major = reader.Value<cl_uint>(CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV);
  const auto minor = reader.Value<cl_uint>(CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV);
  return major && minor ? std::optional(fmt::format("sm_{}{}", *major, *minor)) : std::nullopt;
}

constexpr std::array kWordFacts = {FactRow{"registers_per_block", CL_DEVICE_REGISTERS_PER_BLOCK_NV}};

}  // namespace

VendorQueries Describe() {
  VendorQueries queries;
  queries.extension = "cl_nv_device_attribute_query";
  queries.pci = Pci;
  queries.architecture = Architecture;
  queries.subgroup_width = CL_DEVICE_WARP_SIZE_NV;
  queries.word_facts = kWordFacts;
  return queries;
}

}  // namespace probe::opencl::nvidia
