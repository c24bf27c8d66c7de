// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "probe/core/number_facts.h"
#include "probe/core/text.h"
#include "probe/core/vendor.h"
#include "probe/core/vendor_names.h"
#include "probe/vulkan/vulkan_facts.h"
#include "probe/vulkan/vulkan_names.h"

namespace probe::vulkan {
namespace {

template <std::size_t kSize>
std::string Clean(const char (&text)[kSize]) {
  return CleanText({text, strnlen(text, kSize)});
}

struct Memory {
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;
};

// Of the heaps that are local to the device. A budget is what this process may use in all.
Memory DeviceMemory(const PhysicalFacts& facts) {
  Memory memory;
  for (std::uint32_t i = 0; i < facts.memory.memoryHeapCount; ++i) {
    const auto& heap = facts.memory.memoryHeaps[i];
    if ((heap.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) == 0) continue;
    memory.total_bytes += heap.size;
    const auto budget = facts.budget.heapBudget[i];
    const auto used = facts.budget.heapUsage[i];
    memory.free_bytes += std::min<std::uint64_t>(heap.size, budget > used ? budget - used : 0);
  }
  return memory;
}

std::vector<std::string> Dtypes(const PhysicalFacts& facts) {
  std::vector<std::string> dtypes;
  if (facts.features.shaderFloat64 != VK_FALSE) dtypes.emplace_back("fp64");
  dtypes.emplace_back("fp32");
  if (facts.float16_int8.shaderFloat16 != VK_FALSE) dtypes.emplace_back("fp16");
  if (facts.bfloat16.type != VK_FALSE) dtypes.emplace_back("bf16");
  if (facts.float8.type != VK_FALSE) dtypes.emplace_back("fp8");
  if (facts.float16_int8.shaderInt8 != VK_FALSE) dtypes.emplace_back("int8");
  dtypes.emplace_back("int32");
  return dtypes;
}

std::vector<std::string> MatrixUnits(const PhysicalFacts& facts) {
  std::vector<std::string> units;
  for (const auto& shape : facts.cooperative_shapes) {
    const auto in = DtypeName(shape.a);
    const auto accumulate = DtypeName(shape.c);
    if (!in || !accumulate || shape.a != shape.b || shape.c != shape.result) continue;
    auto unit = fmt::format("{}/{}", *in, *accumulate);
    if (std::find(units.begin(), units.end(), unit) == units.end()) units.push_back(std::move(unit));
  }
  return units;
}

std::optional<bool> UnifiedMemory(DeviceKind kind) {
  if (kind == DeviceKind::kIntegrated || kind == DeviceKind::kSoftware) return true;
  if (kind == DeviceKind::kDiscrete) return false;
  return std::nullopt;
}

class FactList {
 public:
  template <class T>
  void Add(std::string key, const T& value) {
    facts_.push_back({std::move(key), fmt::format("{}", value)});
  }
  // Zero is how a structure that was not filled in looks.
  void AddIfSet(std::string key, std::uint64_t value) {
    if (value != 0) Add(std::move(key), value);
  }
  void AddFlag(std::string key, VkBool32 value) { Add(std::move(key), value != VK_FALSE); }
  std::vector<Fact> Take() { return std::move(facts_); }

 private:
  std::vector<Fact> facts_;
};

void AddShapes(const PhysicalFacts& facts, FactList& list) {
  for (const auto& shape : facts.cooperative_shapes) {
    const auto in = DtypeName(shape.a);
    const auto accumulate = DtypeName(shape.c);
    if (!in || !accumulate || shape.scope != kScopeSubgroup) continue;
    list.Add("cooperative_matrix",
             fmt::format("{}/{} {}x{}x{}", *in, *accumulate, shape.m, shape.n, shape.k));
  }
}

// The device numbers of its nodes, by which it is found where there is no PCI bus.
void AddDrm(const PhysicalFacts& facts, FactList& list) {
  if (!facts.has_drm) return;
  const auto& drm = facts.drm;
  const auto add = [&](std::string_view key, VkBool32 has, std::int64_t major, std::int64_t minor) {
    if (has != VK_FALSE && major >= 0 && minor >= 0)
      list.Add(std::string(key), fmt::format("{}:{}", major, minor));
  };
  add(kRenderNodeFact, drm.hasRender, drm.renderMajor, drm.renderMinor);
  add(kDisplayNodeFact, drm.hasPrimary, drm.primaryMajor, drm.primaryMinor);
}

std::vector<Fact> Facts(const PhysicalFacts& facts) {
  const auto& limits = facts.properties.limits;
  FactList list;
  list.Add("memory_heaps", facts.memory.memoryHeapCount);
  list.Add("max_storage_buffer_range_bytes", limits.maxStorageBufferRange);
  list.Add("max_texel_buffer_elements", limits.maxTexelBufferElements);
  list.AddIfSet("max_allocation_bytes", facts.maintenance3.maxMemoryAllocationSize);
  list.AddIfSet("max_buffer_bytes", facts.maintenance4.maxBufferSize);
  list.Add("max_work_group_invocations", limits.maxComputeWorkGroupInvocations);
  list.Add("max_work_group_size",
           fmt::format("{}x{}x{}", limits.maxComputeWorkGroupSize[0], limits.maxComputeWorkGroupSize[1],
                       limits.maxComputeWorkGroupSize[2]));
  list.Add("max_work_group_count_x", limits.maxComputeWorkGroupCount[0]);
  list.Add("max_shared_memory_bytes", limits.maxComputeSharedMemorySize);
  list.Add("timestamp_period_ns", limits.timestampPeriod);
  list.AddIfSet("min_subgroup_width", facts.subgroup_size.minSubgroupSize);
  list.AddIfSet("max_subgroup_width", facts.subgroup_size.maxSubgroupSize);
  list.AddFlag("storage_buffer_16bit", facts.storage16.storageBuffer16BitAccess);
  list.AddFlag("storage_buffer_8bit", facts.storage8.storageBuffer8BitAccess);
  list.AddFlag("integer_dot_product", facts.integer_dot_features.shaderIntegerDotProduct);
  list.AddFlag("integer_dot_product_accelerated",
               facts.integer_dot.integerDotProduct4x8BitPackedSignedAccelerated);
  AddDrm(facts, list);
  AddShapes(facts, list);
  return list.Take();
}

}  // namespace

std::string DriverName(const PhysicalFacts& facts, const DriverManifest& driver) {
  if (facts.has_driver) {
    if (auto name = Clean(facts.driver.driverName); !name.empty()) return name;
  }
  const std::string_view library = driver.library;
  auto name = CleanText(library.substr(library.rfind('/') + 1));
  return name.empty() ? "unknown" : name;
}

std::string DriverVersion(const PhysicalFacts& facts) {
  if (facts.has_driver) {
    if (auto info = Clean(facts.driver.driverInfo); !info.empty()) return info;
  }
  const std::uint32_t version = facts.properties.driverVersion;
  const Vendor* vendor = FindVendor(facts.properties.vendorID);
  if (vendor != nullptr && vendor->version_text != nullptr) return vendor->version_text(version);
  return VersionText(version);
}

RuntimeDevice DescribeDevice(const PhysicalFacts& facts, const DriverManifest& driver,
                             std::uint32_t ordinal) {
  RuntimeDevice device;
  device.runtime = "vulkan";
  device.driver = DriverName(facts, driver);
  device.manifest = driver.path;
  device.ordinal = ordinal;
  device.identity = IdentityOf(facts);
  device.name = NameOf(facts);
  if (const auto vendor = VendorName(facts.properties.vendorID); !vendor.empty()) device.vendor = vendor;
  // As bytes: a driver may write what is no value of the enumeration, and g++ 12 loads it as one in
  // std::bit_cast.
  std::uint32_t type = 0;
  static_assert(sizeof type == sizeof facts.properties.deviceType);
  std::memcpy(&type, &facts.properties.deviceType, sizeof type);
  device.kind = KindOf(type);
  device.api_version = VersionText(facts.properties.apiVersion);
  device.driver_version = DriverVersion(facts);
  const Memory memory = DeviceMemory(facts);
  if (memory.total_bytes != 0) device.memory_total_bytes = memory.total_bytes;
  if (memory.total_bytes != 0 && facts.has_budget) device.memory_free_bytes = memory.free_bytes;
  if (facts.compute_units != 0 && facts.compute_units <= UINT32_MAX)
    device.compute_units = static_cast<std::uint32_t>(facts.compute_units);
  if (facts.subgroup.subgroupSize != 0) device.subgroup_width = facts.subgroup.subgroupSize;
  device.dtypes = Dtypes(facts);
  device.matrix_units = MatrixUnits(facts);
  device.unified_memory = UnifiedMemory(device.kind);
  device.facts = Facts(facts);
  return device;
}

}  // namespace probe::vulkan
