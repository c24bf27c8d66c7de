// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/opencl/opencl_vendors.h"

namespace probe::opencl {
namespace {

constexpr std::string_view kVersionPrefix = "OpenCL ";
constexpr std::size_t kMaxExtensionText = 16384;

// Of the maker whose extension the device has; else none.
VendorQueries QueriesFor(const Reader& reader) {
  for (const VendorQueries& queries : AllVendorQueries()) {
    if (reader.Has(queries.extension)) return queries;
  }
  return {};
}

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

std::optional<PciAddress> PciOf(const Reader& reader, const VendorQueries& own) {
  if (reader.Has("cl_khr_pci_bus_info")) {
    if (const auto p = reader.Value<cl_device_pci_bus_info_khr>(CL_DEVICE_PCI_BUS_INFO_KHR)) {
      return PossibleAddress({p->pci_domain, p->pci_bus, p->pci_device, p->pci_function});
    }
  }
  const auto address = own.pci != nullptr ? own.pci(reader) : std::nullopt;
  return address ? PossibleAddress(*address) : std::nullopt;
}

std::optional<Uuid> UuidOf(const Reader& reader, cl_device_info name) {
  const auto uuid = reader.Value<Uuid>(name);
  return uuid && *uuid != Uuid{} ? uuid : std::nullopt;
}

Identity IdentityOf(const Reader& reader, const VendorQueries& own) {
  Identity identity;
  identity.pci = PciOf(reader, own);
  if (reader.Has("cl_khr_device_uuid")) {
    identity.uuid = UuidOf(reader, CL_DEVICE_UUID_KHR);
    identity.driver_uuid = UuidOf(reader, CL_DRIVER_UUID_KHR);
  }
  // The vendor alone identifies nothing.
  const auto vendor = reader.Value<cl_uint>(CL_DEVICE_VENDOR_ID);
  const auto number = own.device_number ? reader.Positive<cl_uint>(*own.device_number) : std::nullopt;
  if (vendor && number) identity.ids = PciIds{*vendor, *number & 0xffffU, {}, {}, {}};
  return identity;
}

std::optional<std::string> ArchitectureOf(const Reader& reader, const VendorQueries& own,
                                          std::string_view name) {
  if (auto told = own.architecture != nullptr ? own.architecture(reader) : std::nullopt) return told;
  // The device may be named for its target, "gfx90a:sramecc+:xnack-", and the board apart.
  if (name.starts_with("gfx")) return std::string(name.substr(0, name.find(':')));
  return std::nullopt;
}

std::vector<std::size_t> SubgroupSizes(const Reader& reader) {
  for (const VendorQueries& queries : AllVendorQueries()) {
    auto sizes =
        queries.subgroup_sizes != nullptr ? queries.subgroup_sizes(reader) : std::vector<std::size_t>();
    if (!sizes.empty()) return sizes;
  }
  return {};
}

std::optional<std::uint32_t> SubgroupWidth(const Reader& reader, const VendorQueries& own,
                                           const std::vector<std::size_t>& sizes) {
  if (own.subgroup_width) return reader.Positive<cl_uint>(*own.subgroup_width);
  if (sizes.empty()) return std::nullopt;
  const std::size_t widest = sizes.back();
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
  for (const VendorQueries& queries : AllVendorQueries()) {
    auto units = queries.matrix_units != nullptr ? queries.matrix_units(reader) : std::vector<std::string>();
    if (!units.empty()) return units;
  }
  return {};
}

// Of makers whose products of matrices or of packed numbers are extensions of their own, beside those above.
std::string ProductExtensions(const Reader& reader) {
  constexpr std::array<std::string_view, 4> kWords = {"matrix", "dot_product", "_ml_ops", "tensor"};
  std::vector<std::string_view> found;
  for (std::string_view rest = reader.extensions; !rest.empty();) {
    const auto name = TakeUpTo(rest, ' ');
    const bool is_product = std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
      return name.find(word) != std::string_view::npos;
    });
    if (is_product) found.push_back(name);
  }
  return CleanText(fmt::format("{}", fmt::join(found, " ")), kMaxExtensionText);
}

std::string_view UnitOf(const Reader& reader) {
  for (const VendorQueries& queries : AllVendorQueries()) {
    const auto unit = queries.unit != nullptr ? queries.unit(reader) : std::string_view();
    if (!unit.empty()) return unit;
  }
  return "";
}

constexpr std::array kWordFacts = {
    FactRow{"address_bits", CL_DEVICE_ADDRESS_BITS},
    FactRow{"vendor_id", CL_DEVICE_VENDOR_ID},
    FactRow{"image_support", CL_DEVICE_IMAGE_SUPPORT},
    FactRow{"native_vector_width_float", CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT},
};
constexpr std::array kLongFacts = {
    FactRow{"max_alloc_bytes", CL_DEVICE_MAX_MEM_ALLOC_SIZE},
    FactRow{"local_memory_bytes", CL_DEVICE_LOCAL_MEM_SIZE},
    FactRow{"global_cache_bytes", CL_DEVICE_GLOBAL_MEM_CACHE_SIZE},
};
constexpr std::array kTextFacts = {
    FactRow{"version", CL_DEVICE_VERSION},
    FactRow{"opencl_c_version", CL_DEVICE_OPENCL_C_VERSION},
    FactRow{"profile", CL_DEVICE_PROFILE},
};

std::vector<Fact> FactsOf(const Reader& reader, const VendorQueries& own,
                          const std::vector<std::size_t>& subgroup_sizes) {
  std::vector<Fact> facts;
  const auto add = [&](std::string_view key, std::string value) {
    if (!value.empty()) facts.push_back({std::string(key), std::move(value)});
  };
  for (const auto& row : kTextFacts) add(row.key, reader.Text(row.name));
  for (const std::span<const FactRow> rows : {std::span<const FactRow>(kWordFacts), own.word_facts}) {
    for (const FactRow& row : rows) {
      if (const auto v = reader.Value<cl_uint>(row.name)) add(row.key, fmt::to_string(*v));
    }
  }
  for (const std::span<const FactRow> rows : {std::span<const FactRow>(kLongFacts), own.long_facts}) {
    for (const FactRow& row : rows) {
      if (const auto v = reader.Value<cl_ulong>(row.name)) add(row.key, fmt::to_string(*v));
    }
  }
  if (const auto v = reader.Value<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE)) {
    add("max_work_group_size", fmt::to_string(*v));
  }
  if (own.further_facts != nullptr) {
    for (Fact& fact : own.further_facts(reader)) facts.push_back(std::move(fact));
  }
  add("compute_unit", std::string(UnitOf(reader)));
  add("subgroup_sizes", fmt::format("{}", fmt::join(subgroup_sizes, " ")));
  add("product_extensions", ProductExtensions(reader));
  add("extensions", CleanText(reader.extensions, kMaxExtensionText));
  return facts;
}

}  // namespace

RuntimeDevice ReadDevice(const Api& api, cl_platform_id platform, cl_device_id id, std::uint32_t ordinal) {
  const Reader reader{api, id, DeviceText(api, id, CL_DEVICE_EXTENSIONS)};
  const auto subgroup_sizes = SubgroupSizes(reader);
  const std::string own_name = CleanText(reader.Text(CL_DEVICE_NAME));
  const VendorQueries own = QueriesFor(reader);
  const std::string board = own.board_name ? CleanText(reader.Text(*own.board_name)) : "";
  const auto optional_text = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(CleanText(text));
  };
  RuntimeDevice device;
  device.runtime = "opencl";
  device.driver = CleanText(PlatformText(api, platform, CL_PLATFORM_NAME));
  device.ordinal = ordinal;
  device.identity = IdentityOf(reader, own);
  device.name = board.empty() ? own_name : board;
  device.vendor = optional_text(reader.Text(CL_DEVICE_VENDOR));
  device.unified_memory = reader.Value<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY).value_or(CL_FALSE) != CL_FALSE;
  device.kind = KindOf(reader, device);
  device.architecture = ArchitectureOf(reader, own, own_name);
  device.api_version = ApiVersion(reader.Text(CL_DEVICE_VERSION));
  device.driver_version = optional_text(reader.Text(CL_DRIVER_VERSION));
  device.memory_total_bytes = reader.Positive<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);
  device.memory_free_bytes = own.free_bytes != nullptr ? own.free_bytes(reader) : std::nullopt;
  device.compute_units = reader.Positive<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS);
  if (own.units_in_one != nullptr && device.compute_units)
    *device.compute_units *= own.units_in_one(reader, device.architecture.value_or(""));
  constexpr cl_uint kFastestMhz = 100'000;  // beyond it is no clock
  if (const auto mhz = reader.Positive<cl_uint>(CL_DEVICE_MAX_CLOCK_FREQUENCY); mhz && *mhz <= kFastestMhz)
    device.clock_max_hz = *mhz * 1e6;
  device.subgroup_width = SubgroupWidth(reader, own, subgroup_sizes);
  device.dtypes = DtypesOf(reader);
  device.matrix_units = MatrixUnitsOf(reader);
  device.facts = FactsOf(reader, own, subgroup_sizes);
  return device;
}

}  // namespace probe::opencl
