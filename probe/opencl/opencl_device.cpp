// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "probe/core/text.h"
#include "probe/opencl/opencl_api.h"

namespace probe::opencl {
namespace {

// cl_nv_device_attribute_query: the position on the bus is not in Khronos's headers. The slot number holds
// device and function as PCI packs them: device * 8 + function.
constexpr cl_device_info kPciBusNv = 0x4008;
constexpr cl_device_info kPciSlotNv = 0x4009;
constexpr cl_device_info kPciDomainNv = 0x400A;

constexpr std::string_view kVersionPrefix = "OpenCL ";
constexpr std::size_t kMaxExtensionText = 16384;
constexpr std::size_t kMaxSubgroupSizes = 32;

struct Reader {
  const Api& api;
  cl_device_id id;
  std::string extensions;

  [[nodiscard]] bool Has(std::string_view name) const { return HasExtension(extensions, name); }
  [[nodiscard]] std::string Text(cl_device_info name) const { return DeviceText(api, id, name); }
  template <class T>
  [[nodiscard]] std::optional<T> Value(cl_device_info name) const {
    return DeviceValue<T>(api, id, name);
  }
  // As Value, but 0 means unknown.
  template <class T>
  [[nodiscard]] std::optional<T> Positive(cl_device_info name) const {
    const auto value = Value<T>(name);
    return value && *value != 0 ? value : std::nullopt;
  }
};

// "OpenCL 3.0 PoCL ..." -> "3.0"
std::optional<std::string> ApiVersion(std::string_view text) {
  if (!text.starts_with(kVersionPrefix)) return std::nullopt;
  text.remove_prefix(kVersionPrefix.size());
  return std::string(text.substr(0, text.find(' ')));
}

// Simulators that call themselves something else than a CPU.
constexpr std::array<std::string_view, 4> kSoftwareNames = {"llvmpipe", "softpipe", "Oclgrind",
                                                            "FPGA Emulation"};

DeviceKind KindOf(const Reader& reader, const RuntimeDevice& device) {
  const auto type = reader.Value<cl_device_type>(CL_DEVICE_TYPE).value_or(0);
  const bool simulated =
      std::any_of(kSoftwareNames.begin(), kSoftwareNames.end(), [&](std::string_view name) {
        return device.name.find(name) != std::string::npos || device.driver.find(name) != std::string::npos;
      });
  if (simulated || (type & CL_DEVICE_TYPE_CPU) != 0) return DeviceKind::kSoftware;
  if ((type & CL_DEVICE_TYPE_GPU) != 0) {
    return device.unified_memory.value_or(false) ? DeviceKind::kIntegrated : DeviceKind::kDiscrete;
  }
  if ((type & (CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM)) != 0) return DeviceKind::kAccelerator;
  return DeviceKind::kUnknown;
}

std::optional<PciAddress> Checked(PciAddress address) {
  const bool possible = address.bus < 256 && address.device < 32 && address.function < 8;
  return possible && address != PciAddress{} ? std::optional(address) : std::nullopt;
}

std::optional<PciAddress> PciOf(const Reader& reader) {
  if (reader.Has("cl_khr_pci_bus_info")) {
    if (const auto p = reader.Value<cl_device_pci_bus_info_khr>(CL_DEVICE_PCI_BUS_INFO_KHR)) {
      return Checked({p->pci_domain, p->pci_bus, p->pci_device, p->pci_function});
    }
  }
  if (reader.Has("cl_nv_device_attribute_query")) {
    const auto bus = reader.Value<cl_uint>(kPciBusNv);
    const auto slot = reader.Value<cl_uint>(kPciSlotNv);
    if (bus && slot)
      return Checked({reader.Value<cl_uint>(kPciDomainNv).value_or(0), *bus, *slot >> 3U, *slot & 7U});
  }
  if (reader.Has("cl_amd_device_attribute_query")) {
    const auto topology = reader.Value<cl_device_topology_amd>(CL_DEVICE_TOPOLOGY_AMD);
    if (topology && topology->raw.type == CL_DEVICE_TOPOLOGY_TYPE_PCIE_AMD) {
      const auto byte = [](cl_char c) { return std::uint32_t{static_cast<std::uint8_t>(c)}; };
      return Checked(
          {0, byte(topology->pcie.bus), byte(topology->pcie.device), byte(topology->pcie.function)});
    }
  }
  return std::nullopt;
}

std::optional<Uuid> UuidOf(const Reader& reader, cl_device_info name) {
  const auto uuid = reader.Value<Uuid>(name);
  return uuid && *uuid != Uuid{} ? uuid : std::nullopt;
}

Identity IdentityOf(const Reader& reader) {
  Identity identity;
  identity.pci = PciOf(reader);
  if (reader.Has("cl_khr_device_uuid")) {
    identity.uuid = UuidOf(reader, CL_DEVICE_UUID_KHR);
    identity.driver_uuid = UuidOf(reader, CL_DRIVER_UUID_KHR);
  }
  // The vendor alone identifies nothing; the device number comes from the two vendors that give it.
  const auto vendor = reader.Value<cl_uint>(CL_DEVICE_VENDOR_ID);
  auto number = reader.Positive<cl_uint>(CL_DEVICE_ID_INTEL);
  if (!reader.Has("cl_intel_device_attribute_query")) number.reset();
  if (reader.Has("cl_amd_device_attribute_query")) number = reader.Positive<cl_uint>(CL_DEVICE_PCIE_ID_AMD);
  if (vendor && number) identity.ids = PciIds{*vendor, *number & 0xffffU, {}, {}, {}};
  return identity;
}

// Intel's IP versions: architecture in bits 31:22, release in 21:14, revision in 5:0
// (https://github.com/intel/compute-runtime, third_party/aot_config_headers/platforms.h).
struct IntelRow {
  std::uint32_t architecture, first_release, last_release;
  std::string_view name;
};
constexpr std::array kIntelRows = {
    IntelRow{8, 0, 255, "gen8"},    IntelRow{9, 0, 255, "gen9"},    IntelRow{11, 0, 255, "gen11"},
    IntelRow{12, 0, 10, "xe-lp"},   IntelRow{12, 50, 50, "xe-hp"},  IntelRow{12, 55, 57, "xe-hpg"},
    IntelRow{12, 60, 61, "xe-hpc"}, IntelRow{12, 70, 74, "xe-lpg"}, IntelRow{20, 0, 255, "xe2"},
    IntelRow{30, 0, 255, "xe3"},
};

std::optional<std::string> IntelArchitecture(std::uint32_t ip) {
  const std::uint32_t architecture = ip >> 22U;
  const std::uint32_t release = (ip >> 14U) & 0xffU;
  for (const auto& row : kIntelRows) {
    if (row.architecture == architecture && row.first_release <= release && release <= row.last_release) {
      return std::string(row.name);
    }
  }
  return std::nullopt;
}

std::optional<std::string> ArchitectureOf(const Reader& reader, std::string_view name) {
  if (reader.Has("cl_nv_device_attribute_query")) {
    const auto major = reader.Value<cl_uint>(CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV);
    const auto minor = reader.Value<cl_uint>(CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV);
    if (major && minor) return fmt::format("sm_{}{}", *major, *minor);
  }
  // AMD names the device "gfx90a:sramecc+:xnack-" and the board apart.
  if (name.starts_with("gfx")) return std::string(name.substr(0, name.find(':')));
  if (!reader.Has("cl_intel_device_attribute_query")) return std::nullopt;
  const auto ip = reader.Value<cl_uint>(CL_DEVICE_IP_VERSION_INTEL);
  return ip ? IntelArchitecture(*ip) : std::nullopt;
}

std::vector<std::size_t> SubgroupSizes(const Reader& reader) {
  if (!reader.Has("cl_intel_required_subgroup_size")) return {};
  std::vector<std::size_t> sizes(kMaxSubgroupSizes);
  std::size_t bytes = 0;
  const cl_int code = reader.api.clGetDeviceInfo(reader.id, CL_DEVICE_SUB_GROUP_SIZES_INTEL,
                                                 sizes.size() * sizeof(std::size_t), sizes.data(), &bytes);
  sizes.resize(code == CL_SUCCESS ? std::min(bytes / sizeof(std::size_t), sizes.size()) : 0);
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

std::optional<std::uint32_t> SubgroupWidth(const Reader& reader, const std::vector<std::size_t>& sizes) {
  if (reader.Has("cl_nv_device_attribute_query")) return reader.Positive<cl_uint>(CL_DEVICE_WARP_SIZE_NV);
  if (reader.Has("cl_amd_device_attribute_query")) {
    return reader.Positive<cl_uint>(CL_DEVICE_WAVEFRONT_WIDTH_AMD);
  }
  if (sizes.empty()) return std::nullopt;
  const std::size_t widest = *std::max_element(sizes.begin(), sizes.end());
  if (widest == 0 || widest > 1024) return std::nullopt;
  return static_cast<std::uint32_t>(widest);
}

bool HasDotProduct(const Reader& reader) {
  return reader.Has("cl_khr_integer_dot_product") &&
         (reader.Value<cl_bitfield>(CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR).value_or(0) &
          CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR) != 0;
}

// Names of kernels::Dtype. int8 counts where the device multiplies and adds four of them at once.
std::vector<std::string> DtypesOf(const Reader& reader) {
  std::vector<std::string> out = {"fp32", "int32"};
  if (reader.Value<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG).value_or(0) != 0)
    out.emplace_back("fp64");
  if (reader.Has("cl_khr_fp16")) out.emplace_back("fp16");
  if (HasDotProduct(reader)) out.emplace_back("int8");
  return out;
}

std::vector<std::string> MatrixUnitsOf(const Reader& reader) {
  std::vector<std::string> out;
  if (reader.Has("cl_intel_subgroup_matrix_multiply_accumulate"))
    out = {"fp16/fp32", "bf16/fp32", "int8/int32"};
  if (reader.Has("cl_intel_subgroup_matrix_multiply_accumulate_tf32")) out.emplace_back("tf32/fp32");
  return out;
}

// cl_amd_device_attribute_query: one or two words in KiB, all free memory first.
std::optional<std::uint64_t> FreeMemory(const Reader& reader) {
  if (!reader.Has("cl_amd_device_attribute_query")) return std::nullopt;
  if (const auto two = reader.Value<std::array<std::size_t, 2>>(CL_DEVICE_GLOBAL_FREE_MEMORY_AMD)) {
    return (*two)[0] * 1024;
  }
  const auto one = reader.Value<std::size_t>(CL_DEVICE_GLOBAL_FREE_MEMORY_AMD);
  return one ? std::optional<std::uint64_t>(*one * 1024) : std::nullopt;
}

struct FactRow {
  std::string_view key;
  cl_device_info name;
  std::string_view extension;  // that must be there; empty for the core
};
constexpr std::array kWordFacts = {
    FactRow{"address_bits", CL_DEVICE_ADDRESS_BITS, ""},
    FactRow{"vendor_id", CL_DEVICE_VENDOR_ID, ""},
    FactRow{"image_support", CL_DEVICE_IMAGE_SUPPORT, ""},
    FactRow{"native_vector_width_float", CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, ""},
    FactRow{"registers_per_block", CL_DEVICE_REGISTERS_PER_BLOCK_NV, "cl_nv_device_attribute_query"},
    FactRow{"simd_per_compute_unit", CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD, "cl_amd_device_attribute_query"},
    FactRow{"ip_version", CL_DEVICE_IP_VERSION_INTEL, "cl_intel_device_attribute_query"},
    FactRow{"slices", CL_DEVICE_NUM_SLICES_INTEL, "cl_intel_device_attribute_query"},
    FactRow{"sub_slices_per_slice", CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL,
            "cl_intel_device_attribute_query"},
    FactRow{"eus_per_sub_slice", CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL, "cl_intel_device_attribute_query"},
    FactRow{"threads_per_eu", CL_DEVICE_NUM_THREADS_PER_EU_INTEL, "cl_intel_device_attribute_query"},
};
constexpr std::array kLongFacts = {
    FactRow{"max_alloc_bytes", CL_DEVICE_MAX_MEM_ALLOC_SIZE, ""},
    FactRow{"local_memory_bytes", CL_DEVICE_LOCAL_MEM_SIZE, ""},
    FactRow{"global_cache_bytes", CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, ""},
    FactRow{"feature_capabilities", CL_DEVICE_FEATURE_CAPABILITIES_INTEL, "cl_intel_device_attribute_query"},
};
constexpr std::array kTextFacts = {
    FactRow{"version", CL_DEVICE_VERSION, ""},
    FactRow{"opencl_c_version", CL_DEVICE_OPENCL_C_VERSION, ""},
    FactRow{"profile", CL_DEVICE_PROFILE, ""},
};

std::vector<Fact> FactsOf(const Reader& reader, const std::vector<std::size_t>& subgroup_sizes) {
  std::vector<Fact> facts;
  const auto add = [&](std::string_view key, std::string value) {
    if (!value.empty()) facts.push_back({std::string(key), std::move(value)});
  };
  const auto known = [&](const FactRow& row) { return row.extension.empty() || reader.Has(row.extension); };
  for (const auto& row : kTextFacts) add(row.key, reader.Text(row.name));
  for (const auto& row : kWordFacts) {
    if (const auto v = known(row) ? reader.Value<cl_uint>(row.name) : std::nullopt)
      add(row.key, fmt::to_string(*v));
  }
  for (const auto& row : kLongFacts) {
    if (const auto v = known(row) ? reader.Value<cl_ulong>(row.name) : std::nullopt)
      add(row.key, fmt::to_string(*v));
  }
  if (const auto v = reader.Value<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE)) {
    add("max_work_group_size", fmt::to_string(*v));
  }
  add("subgroup_sizes", fmt::format("{}", fmt::join(subgroup_sizes, " ")));
  add("extensions", CleanText(reader.extensions, kMaxExtensionText));
  return facts;
}

}  // namespace

RuntimeDevice ReadDevice(const Api& api, cl_platform_id platform, cl_device_id id, std::uint32_t ordinal) {
  const Reader reader{api, id, DeviceText(api, id, CL_DEVICE_EXTENSIONS)};
  const auto subgroup_sizes = SubgroupSizes(reader);
  const std::string own_name = CleanText(reader.Text(CL_DEVICE_NAME));
  const std::string board =
      reader.Has("cl_amd_device_attribute_query") ? CleanText(reader.Text(CL_DEVICE_BOARD_NAME_AMD)) : "";
  const auto optional_text = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(CleanText(text));
  };
  RuntimeDevice device;
  device.runtime = "opencl";
  device.driver = CleanText(PlatformText(api, platform, CL_PLATFORM_NAME));
  device.ordinal = ordinal;
  device.identity = IdentityOf(reader);
  device.name = board.empty() ? own_name : board;
  device.vendor = optional_text(reader.Text(CL_DEVICE_VENDOR));
  device.unified_memory = reader.Value<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY).value_or(CL_FALSE) != CL_FALSE;
  device.kind = KindOf(reader, device);
  device.architecture = ArchitectureOf(reader, own_name);
  device.api_version = ApiVersion(reader.Text(CL_DEVICE_VERSION));
  device.driver_version = optional_text(reader.Text(CL_DRIVER_VERSION));
  device.memory_total_bytes = reader.Positive<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);
  device.memory_free_bytes = FreeMemory(reader);
  device.compute_units = reader.Positive<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS);
  constexpr cl_uint kFastestMhz = 100'000;  // beyond it is no clock
  if (const auto mhz = reader.Positive<cl_uint>(CL_DEVICE_MAX_CLOCK_FREQUENCY); mhz && *mhz <= kFastestMhz)
    device.clock_max_hz = *mhz * 1e6;
  device.subgroup_width = SubgroupWidth(reader, subgroup_sizes);
  device.dtypes = DtypesOf(reader);
  device.matrix_units = MatrixUnitsOf(reader);
  device.facts = FactsOf(reader, subgroup_sizes);
  return device;
}

}  // namespace probe::opencl
