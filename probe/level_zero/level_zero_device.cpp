// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>

#include "probe/core/enumerate.h"
#include "probe/core/text.h"
#include "probe/core/vendor_names.h"
#include "probe/intel/intel_ip.h"
#include "probe/level_zero/level_zero_api.h"
#include "probe/level_zero/level_zero_declarations.h"

namespace probe::level_zero {
namespace {

constexpr std::uint32_t kMaxParts = 64;  // queue groups, memories, caches, extensions' list apart
constexpr std::uint32_t kMaxExtensions = 1024;
constexpr std::uint32_t kFastestMhz = 100'000;  // beyond it is no clock
constexpr std::string_view kIpExtension = "ZE_extension_device_ip_version";

// The structures of a list, each of which has its type before it is filled.
template <class T, class Ask>
std::vector<T> List(std::uint32_t most, const Ask& ask) {
  std::vector<T> all;
  static_cast<void>(Enumerate(most, ask, all));  // none where it fails
  return all;
}

template <std::size_t kBytes>
std::string TextOf(const std::array<char, kBytes>& text) {
  return CleanText(
      {text.data(), static_cast<std::size_t>(std::find(text.begin(), text.end(), '\0') - text.begin())});
}

DeviceKind KindOf(const ZeDeviceProperties& properties) {
  if (properties.kind == kZeCpu) return DeviceKind::kSoftware;
  if (properties.kind != kZeGpu) return DeviceKind::kAccelerator;
  return (properties.flags & kZeIntegrated) != 0 ? DeviceKind::kIntegrated : DeviceKind::kDiscrete;
}

std::optional<PciAddress> PciOf(const Api& api, ZeDevice device) {
  ZePciProperties properties;
  if (api.zeDevicePciGetPropertiesExt == nullptr ||
      api.zeDevicePciGetPropertiesExt(device, &properties) != kZeSuccess)
    return std::nullopt;
  const ZePciAddress& at = properties.address;
  return PossibleAddress({at.domain, at.bus, at.device, at.function});
}

// Of one driver; what is the same of all of its devices is read once.
class Reader {
 public:
  Reader(const Api& api, ZeDriver driver, const std::string& name) : api_(api), name_(name) {
    version_ = DriverVersion(api, driver);
    std::uint32_t interface = 0;
    if (api.zeDriverGetApiVersion(driver, &interface) == kZeSuccess && interface != 0)
      interface_ = fmt::format("{}.{}", interface >> 16U, interface & 0xffffU);
    const auto extensions = List<ZeExtension>(kMaxExtensions, [&](std::uint32_t* count, ZeExtension* all) {
      return api.zeDriverGetExtensionProperties(driver, count, all);
    });
    tells_ip_ = std::any_of(extensions.begin(), extensions.end(),
                            [](const ZeExtension& one) { return TextOf(one.name) == kIpExtension; });
    ZeDriverProperties properties;
    if (api.zeDriverGetProperties(driver, &properties) == kZeSuccess && properties.uuid != ZeUuid{})
      driver_uuid_ = properties.uuid;
  }

  [[nodiscard]] Result<Found> Read(ZeDevice handle, std::uint32_t ordinal) const;

 private:
  void AddCompute(ZeDevice handle, RuntimeDevice& device) const;
  void AddModules(ZeDevice handle, RuntimeDevice& device) const;
  void AddMemory(ZeDevice handle, RuntimeDevice& device) const;
  void AddQueues(ZeDevice handle, RuntimeDevice& device) const;

  const Api& api_;
  const std::string& name_;
  std::string version_, interface_;
  std::optional<Uuid> driver_uuid_;
  bool tells_ip_ = false;
};

void Add(std::string_view key, std::uint64_t value, RuntimeDevice& device) {
  if (value != 0) device.facts.push_back({std::string(key), fmt::to_string(value)});
}

void AddUnits(const ZeDeviceProperties& properties, RuntimeDevice& device) {
  const std::uint64_t cores = std::uint64_t{properties.slices} * properties.subslices_per_slice;
  const std::uint64_t eus = cores * properties.eus_per_subslice;
  constexpr std::uint64_t kMost = 1U << 20U;  // no device has as many
  if (eus > 0 && eus <= kMost) device.compute_units = static_cast<std::uint32_t>(eus);
  Add("slices", properties.slices, device);
  Add("xe_cores", cores <= kMost ? cores : 0, device);
  Add("eus_per_sub_slice", properties.eus_per_subslice, device);
  Add("threads_per_eu", properties.threads_per_eu, device);
  Add("simd_width", properties.simd_width, device);
  Add("max_alloc_bytes", properties.max_allocation, device);
  Add("vendor_id", properties.vendor, device);
  if ((properties.flags & kZeErrorCorrection) != 0) device.facts.push_back({"ecc", "on"});
  if (properties.clock_mhz > 0 && properties.clock_mhz <= kFastestMhz)
    device.clock_max_hz = properties.clock_mhz * 1e6;
}

void Reader::AddCompute(ZeDevice handle, RuntimeDevice& device) const {
  ZeComputeProperties properties;
  if (api_.zeDeviceGetComputeProperties(handle, &properties) != kZeSuccess) return;
  Add("max_work_group_size", properties.max_group, device);
  Add("local_memory_bytes", properties.local_memory, device);
  const auto count = std::min<std::size_t>(properties.subgroup_sizes, properties.subgroup_size.size());
  std::vector<std::uint32_t> sizes(properties.subgroup_size.begin(),
                                   properties.subgroup_size.begin() + static_cast<std::ptrdiff_t>(count));
  std::erase_if(sizes, [](std::uint32_t size) { return size == 0 || size > 1024; });
  if (sizes.empty()) return;
  std::sort(sizes.begin(), sizes.end());
  device.subgroup_width = sizes.back();
  device.facts.push_back({"subgroup_sizes", fmt::format("{}", fmt::join(sizes, " "))});
}

void Reader::AddModules(ZeDevice handle, RuntimeDevice& device) const {
  device.dtypes = {"fp32", "int32"};
  ZeModuleProperties properties;
  if (api_.zeDeviceGetModuleProperties(handle, &properties) != kZeSuccess) return;
  if ((properties.flags & kZeModuleFp64) != 0) device.dtypes.emplace_back("fp64");
  if ((properties.flags & kZeModuleFp16) != 0) device.dtypes.emplace_back("fp16");
  if ((properties.flags & kZeModuleDp4a) != 0) device.dtypes.emplace_back("int8");
  if (properties.spirv_version != 0) {
    device.facts.push_back({"spirv_version", fmt::format("{}.{}", properties.spirv_version >> 16U,
                                                         properties.spirv_version & 0xffffU)});
  }
}

void Reader::AddMemory(ZeDevice handle, RuntimeDevice& device) const {
  const auto memories = List<ZeMemoryProperties>(kMaxParts, [&](std::uint32_t* count, auto* all) {
    return api_.zeDeviceGetMemoryProperties(handle, count, all);
  });
  std::uint64_t bytes = 0;
  for (const ZeMemoryProperties& memory : memories) bytes += memory.bytes;
  if (bytes != 0) device.memory_total_bytes = bytes;
  if (!memories.empty()) {
    if (auto kind = TextOf(memories.front().name); !kind.empty())
      device.facts.push_back({"memory_type", std::move(kind)});
    if (memories.front().clock_mhz <= kFastestMhz)
      Add("memory_clock_hz", std::uint64_t{memories.front().clock_mhz} * 1'000'000, device);
    // Of the width of its bus Intel's driver tells the bits of an address (DeviceImp::getMemoryProperties).
  }
  const auto caches = List<ZeCacheProperties>(kMaxParts, [&](std::uint32_t* count, auto* all) {
    return api_.zeDeviceGetCacheProperties(handle, count, all);
  });
  std::uint64_t largest = 0;
  for (const ZeCacheProperties& cache : caches) largest = std::max<std::uint64_t>(largest, cache.bytes);
  Add("global_cache_bytes", largest, device);
}

// "compute:1 copy:8": the engines by what their queues take, those for both among the former.
void Reader::AddQueues(ZeDevice handle, RuntimeDevice& device) const {
  std::uint64_t compute = 0, copy = 0;
  const auto groups = List<ZeQueueGroup>(kMaxParts, [&](std::uint32_t* count, auto* all) {
    return api_.zeDeviceGetCommandQueueGroupProperties(handle, count, all);
  });
  for (const ZeQueueGroup& group : groups) {
    if ((group.flags & kZeQueueCompute) != 0) {
      compute += group.queues;
    } else if ((group.flags & kZeQueueCopy) != 0) {
      copy += group.queues;
    }
  }
  if (!groups.empty()) device.facts.push_back({"engines", fmt::format("compute:{} copy:{}", compute, copy)});
}

Result<Found> Reader::Read(ZeDevice handle, std::uint32_t ordinal) const {
  ZeDeviceProperties properties;
  ZeIpVersion ip;
  if (tells_ip_) properties.next = &ip;
  if (const ZeResult code = api_.zeDeviceGetProperties(handle, &properties); code != kZeSuccess)
    return ErrorOf("zeDeviceGetProperties", code);
  Found found{handle, {}};
  RuntimeDevice& device = found.device;
  device.runtime = "level_zero";
  device.driver = name_;
  device.ordinal = ordinal;
  device.name = TextOf(properties.name);
  if (const auto* vendor = FindVendorNames(properties.vendor)) device.vendor = std::string(vendor->name);
  device.identity.pci = PciOf(api_, handle);
  if (properties.uuid != ZeUuid{}) device.identity.uuid = properties.uuid;
  device.identity.driver_uuid = driver_uuid_;
  if (properties.vendor != 0 && properties.vendor <= 0xffffU)
    device.identity.ids = PciIds{properties.vendor, properties.device & 0xffffU, {}, {}, {}};
  device.kind = KindOf(properties);
  device.unified_memory = (properties.flags & kZeIntegrated) != 0;
  if (!interface_.empty()) device.api_version = interface_;
  if (!version_.empty()) device.driver_version = version_;
  intel::AddIp(ip.version, device);
  AddUnits(properties, device);
  AddCompute(handle, device);
  AddModules(handle, device);
  AddMemory(handle, device);
  AddQueues(handle, device);
  std::uint32_t tiles = 0;
  if (api_.zeDeviceGetSubDevices(handle, &tiles, nullptr) == kZeSuccess && tiles > 1 && tiles <= kMaxParts)
    Add("tiles", tiles, device);
  return found;
}

// Where several devices of a driver have one address they are tiles of that card. Of one tile that is left of
// a card the system management alone knows.
void NameTiles(const Sysman& sysman, std::vector<Found>& devices) {
  std::map<PciAddress, std::uint32_t> at_address;
  for (const Found& one : devices) {
    if (one.device.identity.pci) ++at_address[*one.device.identity.pci];
  }
  std::map<PciAddress, std::uint32_t> next;
  for (Found& one : devices) {
    Identity& identity = one.device.identity;
    if (!identity.pci) continue;
    const auto told = identity.uuid ? sysman.TileOf(*identity.uuid) : std::nullopt;
    const std::uint32_t place = next[*identity.pci]++;
    if (told || at_address[*identity.pci] > 1)
      identity.partition = fmt::format("tile{}", told.value_or(place));
  }
}

}  // namespace

Result<Shown> ReadDevices(const Api& api, ZeDriver driver, const std::string& name) {
  const auto handles = Devices(api, driver);
  if (!handles) return handles.error();
  Shown shown;
  const Reader reader(api, driver, name);
  std::uint32_t ordinal = 0;
  for (const ZeDevice handle : *handles) {
    auto found = reader.Read(handle, ordinal++);
    if (found) {
      shown.found.push_back(*std::move(found));
    } else {
      shown.failed.push_back(found.error());
    }
  }
  const Sysman sysman(api);
  NameTiles(sysman, shown.found);
  for (Found& one : shown.found) {
    RuntimeDevice& device = one.device;
    // Of a tile the card's memory is not its own; of one that shares the processor's the system knows more.
    if (!device.identity.pci || device.identity.partition || device.kind != DeviceKind::kDiscrete) continue;
    const auto free = sysman.FreeBytes(*device.identity.pci);
    // It counts all of the card, of which the driver keeps a part from programs.
    if (free && device.memory_total_bytes)
      device.memory_free_bytes = std::min(*free, *device.memory_total_bytes);
  }
  return shown;
}

std::optional<std::uint32_t> ComputeGroup(const Api& api, ZeDevice device) {
  const auto groups = List<ZeQueueGroup>(kMaxParts, [&](std::uint32_t* count, auto* all) {
    return api.zeDeviceGetCommandQueueGroupProperties(device, count, all);
  });
  std::optional<std::uint32_t> first;
  for (std::uint32_t i = 0; i < groups.size(); ++i) {
    const bool computes = (groups[i].flags & kZeQueueCompute) != 0 && groups[i].queues > 0;
    if (computes && (groups[i].flags & kZeQueueCopy) != 0) return i;
    if (computes && !first) first = i;
  }
  return first;
}

}  // namespace probe::level_zero
