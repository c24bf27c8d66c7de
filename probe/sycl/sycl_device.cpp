// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "probe/core/text.h"
#include "probe/core/vendor_names.h"
#include "probe/intel/intel_ip.h"
#include "probe/sycl/sycl_api.h"
#include "probe/sycl/sycl_declarations.h"

namespace probe::sycl {
namespace {

constexpr std::size_t kMostText = 4096;
constexpr std::uint32_t kFastestMhz = 100'000;  // beyond it is no clock
constexpr std::uint32_t kMostParts = 64;

// Questions to one device.
class Reader {
 public:
  Reader(const Api& api, UrDevice device) : api_(api), device_(device) {}

  // A value of exactly T's size, or nullopt.
  template <class T>
  [[nodiscard]] std::optional<T> Value(UrDeviceInfo what) const {
    T value{};
    std::size_t size = 0;
    const bool is_told = api_.urDeviceGetInfo(device_, what, 0, nullptr, &size) == kUrSuccess &&
                         size == sizeof(T) &&
                         api_.urDeviceGetInfo(device_, what, sizeof(T), &value, nullptr) == kUrSuccess;
    return is_told ? std::optional(value) : std::nullopt;
  }
  template <class T>
  [[nodiscard]] std::optional<T> Positive(UrDeviceInfo what) const {
    const auto value = Value<T>(what);
    return value && *value > 0 ? value : std::nullopt;
  }
  // Empty where it tells none.
  [[nodiscard]] std::string Text(UrDeviceInfo what) const {
    std::size_t size = 0;
    if (api_.urDeviceGetInfo(device_, what, 0, nullptr, &size) != kUrSuccess || size > kMostText) return {};
    std::string text(size, '\0');
    if (size == 0 || api_.urDeviceGetInfo(device_, what, size, text.data(), nullptr) != kUrSuccess) return {};
    return CleanText(text.c_str());
  }
  [[nodiscard]] std::vector<std::uint32_t> Numbers(UrDeviceInfo what) const {
    std::size_t size = 0;
    if (api_.urDeviceGetInfo(device_, what, 0, nullptr, &size) != kUrSuccess || size > kMostText) return {};
    std::vector<std::uint32_t> all(size / sizeof(std::uint32_t));
    if (all.empty() || api_.urDeviceGetInfo(device_, what, all.size() * sizeof(std::uint32_t), all.data(),
                                            nullptr) != kUrSuccess)
      return {};
    return all;
  }
  [[nodiscard]] Result<std::uint32_t> Type() const {
    std::uint32_t type = 0;
    const UrResult code = api_.urDeviceGetInfo(device_, kUrType, sizeof type, &type, nullptr);
    return code == kUrSuccess ? Result<std::uint32_t>(type) : ErrorOf("urDeviceGetInfo", code);
  }

 private:
  const Api& api_;
  UrDevice device_;
};

DeviceKind KindOf(std::uint32_t type, const RuntimeDevice& device) {
  if (type == kUrGpu)
    return device.unified_memory.value_or(false) ? DeviceKind::kIntegrated : DeviceKind::kDiscrete;
  const bool is_simulated = device.name.find("Emulation") != std::string::npos;
  return type == kUrCpu || is_simulated ? DeviceKind::kSoftware : DeviceKind::kAccelerator;
}

void Add(std::string_view key, std::optional<std::uint64_t> value, RuntimeDevice& device) {
  if (value.value_or(0) != 0) device.facts.push_back({std::string(key), fmt::to_string(*value)});
}

void AddIdentity(const Reader& reader, std::uint32_t type, RuntimeDevice& device) {
  if (const auto uuid = reader.Value<Uuid>(kUrUuid); uuid && *uuid != Uuid{}) device.identity.uuid = uuid;
  if (type != kUrGpu) return;
  if (const auto address = ParsePciAddress(reader.Text(kUrPciAddress)))
    device.identity.pci = PossibleAddress(*address);
  const auto vendor = reader.Positive<std::uint32_t>(kUrVendorId);
  const auto number = reader.Positive<std::uint32_t>(kUrDeviceId);
  if (vendor && number && *vendor <= 0xffffU)
    device.identity.ids = PciIds{*vendor, *number & 0xffffU, {}, {}, {}};
}

void AddSubgroups(const Reader& reader, RuntimeDevice& device) {
  auto sizes = reader.Numbers(kUrSubgroupSizes);
  std::erase_if(sizes, [](std::uint32_t size) { return size == 0 || size > 1024; });
  if (sizes.empty()) return;
  std::sort(sizes.begin(), sizes.end());
  device.subgroup_width = sizes.back();
  device.facts.push_back({"subgroup_sizes", fmt::format("{}", fmt::join(sizes, " "))});
}

void AddFacts(const Reader& reader, RuntimeDevice& device) {
  Add("max_alloc_bytes", reader.Positive<std::uint64_t>(kUrMaxAllocation), device);
  Add("max_work_group_size", reader.Positive<std::size_t>(kUrWorkGroupSize), device);
  Add("local_memory_bytes", reader.Positive<std::uint64_t>(kUrLocalBytes), device);
  Add("global_cache_bytes", reader.Positive<std::uint64_t>(kUrCacheBytes), device);
  Add("native_vector_width_float", reader.Positive<std::uint32_t>(kUrVectorWidthFloat), device);
  Add("vendor_id", reader.Positive<std::uint32_t>(kUrVendorId), device);
  AddSubgroups(reader, device);
  // Of a card that is shown as one.
  const auto tiles = reader.Positive<std::uint32_t>(kUrMostParts);
  if (device.kind == DeviceKind::kDiscrete && tiles && *tiles > 1 && *tiles <= kMostParts)
    Add("tiles", *tiles, device);
}

void AddMemory(const Reader& reader, RuntimeDevice& device) {
  device.memory_total_bytes = reader.Positive<std::uint64_t>(kUrMemoryBytes);
  const auto free = reader.Positive<std::uint64_t>(kUrFreeBytes);
  if (free && device.memory_total_bytes && device.kind == DeviceKind::kDiscrete)
    device.memory_free_bytes = std::min(*free, *device.memory_total_bytes);
}

// nullopt of one that takes no SPIR-V.
Result<std::optional<Found>> Read(const Api& api, const Platform& platform, UrDevice handle,
                                  std::uint32_t ordinal) {
  const Reader reader(api, handle);
  const auto type = reader.Type();
  if (!type) return type.error();
  const auto code = reader.Text(kUrIlVersion);
  if (code.find("SPIR-V") == std::string::npos) return std::optional<Found>();
  Found found{handle, {}};
  RuntimeDevice& device = found.device;
  device.runtime = "sycl";
  device.driver = platform.name;
  device.ordinal = ordinal;
  device.name = reader.Text(kUrName);
  device.unified_memory = reader.Value<std::uint8_t>(kUrUnifiedMemory).value_or(0) != 0;
  device.kind = KindOf(*type, device);
  const auto* vendor = FindVendorNames(reader.Value<std::uint32_t>(kUrVendorId).value_or(0));
  if (vendor != nullptr) device.vendor = std::string(vendor->name);
  AddIdentity(reader, *type, device);
  const auto told = [](std::string text) {
    return text.empty() ? std::nullopt : std::optional(std::move(text));
  };
  device.api_version = told(reader.Text(kUrRuntimeVersion));
  device.driver_version = told(reader.Text(kUrDriverVersion));
  device.compute_units = reader.Positive<std::uint32_t>(kUrComputeUnits);
  if (const auto mhz = reader.Positive<std::uint32_t>(kUrClockMhz); mhz && *mhz <= kFastestMhz)
    device.clock_max_hz = *mhz * 1e6;
  device.dtypes = {"fp32", "int32"};
  if (reader.Value<std::uint32_t>(kUrDouble).value_or(0) != 0) device.dtypes.emplace_back("fp64");
  if (reader.Value<std::uint32_t>(kUrHalf).value_or(0) != 0) device.dtypes.emplace_back("fp16");
  device.facts.push_back({std::string(kBackendFact), std::string(RuntimeOf(platform.backend))});
  device.facts.push_back({"spirv_versions", code});
  AddMemory(reader, device);
  AddFacts(reader, device);
  if (*type == kUrGpu) intel::AddIp(reader.Value<std::uint32_t>(kUrIpVersion).value_or(0), device);
  return std::optional(std::move(found));
}

// Where several devices of a platform have one address they are tiles of that card.
void NameTiles(std::vector<Found>& devices) {
  std::map<PciAddress, std::uint32_t> at_address, next;
  for (const Found& one : devices) {
    if (one.device.identity.pci) ++at_address[*one.device.identity.pci];
  }
  for (Found& one : devices) {
    Identity& identity = one.device.identity;
    if (identity.pci && at_address[*identity.pci] > 1)
      identity.partition = fmt::format("tile{}", next[*identity.pci]++);
  }
}

}  // namespace

Result<Shown> ReadDevices(const Api& api, const Platform& platform) {
  const auto handles = Devices(api, platform.handle);
  if (!handles) return handles.error();
  Shown shown;
  std::uint32_t ordinal = 0;
  for (const UrDevice handle : *handles) {
    auto found = Read(api, platform, handle, ordinal++);
    if (!found) {
      shown.failed.push_back(found.error());
    } else if (*found) {
      shown.found.push_back(**std::move(found));
    } else {
      ++shown.without_code;
    }
  }
  NameTiles(shown.found);
  return shown;
}

}  // namespace probe::sycl
