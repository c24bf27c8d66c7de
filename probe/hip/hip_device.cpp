// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

#include "probe/core/text.h"
#include "probe/hip/hip_api.h"
#include "probe/hip/hip_driver.h"
#include "probe/hip/hip_target.h"
#include "probe/hip/hip_visible.h"

namespace probe::hip {
namespace {

struct FactRow {
  std::string_view key;
  HipAttribute attribute;
};
constexpr std::array kFacts = {
    FactRow{"memory_bus_bits", kHipMemoryBusBits},
    FactRow{"l2_bytes", kHipL2Bytes},
    FactRow{"ecc", kHipEccEnabled},
    FactRow{"integrated", kHipIntegrated},
    FactRow{"large_bar", kHipLargeBar},
    FactRow{"managed_memory", kHipManagedMemory},
    FactRow{"registers_per_block", kHipRegistersPerBlock},
    FactRow{"shared_memory_per_block_bytes", kHipSharedMemoryPerBlock},
    FactRow{"threads_per_block", kHipMaxThreadsPerBlock},
    FactRow{"threads_per_multiprocessor", kHipThreadsPerMultiprocessor},
    FactRow{"multiprocessors", kHipMultiprocessors},  // on RDNA pairs of units, as HIP counts
};

// The string at `offset`, if a target stands there: the one check that tells the layouts apart.
std::optional<std::string> TargetAt(const HipProperties& properties, std::size_t offset) {
  const char* begin = properties.bytes.data() + offset;
  const char* end = std::find(begin, begin + kHipArchitectureBytes, '\0');
  std::string text(begin, end);
  const bool clean = text.size() < 64 &&
                     text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789:+-") == std::string::npos;
  if (!clean || !ParseTarget(text)) return std::nullopt;
  return text;
}

void AddIdentity(const Api& api, int device, RuntimeDevice& out) {
  std::array<char, 32> text{};
  if (api.hipDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()) - 1, device) == kHipSuccess) {
    out.identity.pci = ParsePciAddress(text.data());
  }
  HipUuid uuid{};
  HipDevice handle = 0;
  if (api.hipDeviceGetUuid == nullptr || api.hipDeviceGet(&handle, device) != kHipSuccess ||
      api.hipDeviceGetUuid(&uuid, handle) != kHipSuccess) {
    return;
  }
  // Chips without a number of their own give zeros or "XX...".
  const std::string_view digits(uuid.bytes.data(), uuid.bytes.size());
  if (digits.find_first_not_of("0123456789abcdef") != std::string_view::npos ||
      digits.find_first_not_of('0') == std::string_view::npos) {
    return;
  }
  Uuid bytes{};
  std::memcpy(bytes.data(), uuid.bytes.data(), bytes.size());
  out.identity.uuid = bytes;
}

std::string NameOf(const Api& api, int device) {
  std::array<char, 256> text{};
  HipDevice handle = 0;
  if (api.hipDeviceGet(&handle, device) == kHipSuccess &&
      api.hipDeviceGetName(text.data(), static_cast<int>(text.size()) - 1, handle) == kHipSuccess) {
    if (std::string name = CleanText(text.data()); !name.empty()) return name;
  }
  return "AMD GPU";
}

void AddMemory(const Api& api, int device, RuntimeDevice& out) {
  HipDevice handle = 0;
  std::size_t total = 0;
  if (api.hipDeviceGet(&handle, device) == kHipSuccess &&
      api.hipDeviceTotalMem(&total, handle) == kHipSuccess && total > 0) {
    out.memory_total_bytes = total;
  }
}

void AddPeers(const Api& api, int device, RuntimeDevice& out) {
  const auto count = DeviceCount(api);
  if (api.hipDeviceCanAccessPeer == nullptr || !count || *count < 2) return;
  std::vector<int> peers;
  for (int i = 0; i < *count; ++i) {
    int can = 0;
    if (i != device && api.hipDeviceCanAccessPeer(&can, device, i) == kHipSuccess && can != 0)
      peers.push_back(i);
  }
  out.facts.push_back({"peers", peers.empty() ? "none" : fmt::format("{}", fmt::join(peers, " "))});
}

// HIP's devices are the nodes that the variables leave, one by one, as far as their addresses tell; empty
// where they are not.
std::vector<amd::KfdNode> NodesOf(const std::vector<amd::KfdNode>& nodes,
                                  const system::Environment& environment,
                                  const std::vector<RuntimeDevice>& devices) {
  auto visible = VisibleNodes(environment, nodes);
  const auto is_its = [](const amd::KfdNode& node, const RuntimeDevice& device) {
    return !device.identity.pci || SlotOf(node.address) == SlotOf(*device.identity.pci);
  };
  if (!std::equal(visible.begin(), visible.end(), devices.begin(), devices.end(), is_its)) visible.clear();
  return visible;
}

void NamePartitions(const std::vector<amd::KfdNode>& nodes, const std::vector<amd::KfdNode>& visible,
                    std::vector<RuntimeDevice>& devices) {
  std::map<Slot, std::uint32_t> parts;
  for (const auto& node : nodes) {
    std::uint32_t& count = parts[SlotOf(node.address)];
    count = std::max(count, node.partition + 1);
  }
  std::map<Slot, std::vector<RuntimeDevice*>> slots;
  for (RuntimeDevice& device : devices) {
    if (device.identity.pci) slots[SlotOf(*device.identity.pci)].push_back(&device);
  }
  for (auto& [slot, members] : slots) {
    const auto known = parts.find(slot);
    if (members.size() < 2 && (known == parts.end() || known->second < 2)) continue;
    const bool numbered = std::any_of(members.begin(), members.end(), [](const RuntimeDevice* device) {
      return device->identity.pci->function != 0;
    });
    for (std::size_t i = 0; i < members.size(); ++i) {
      RuntimeDevice& device = *members[i];
      const std::size_t part = !visible.empty() ? visible[device.ordinal].partition
                               : numbered       ? device.identity.pci->function
                                                : i;
      device.identity.pci->function = 0;
      device.identity.partition = PartitionName(static_cast<std::uint32_t>(part));
    }
  }
}

// What HIP does not say, or says of some devices only.
void AddKernelFacts(const amd::KfdNode& node, RuntimeDevice& device) {
  if (node.xcc_count) device.facts.push_back({"xcc_count", std::to_string(*node.xcc_count)});
  // HIP tells the size of the second level, which on MI300A and Strix Halo is not the last.
  if (node.l3_bytes) device.facts.push_back({"l3_bytes", std::to_string(*node.l3_bytes)});
  if (node.has_processor) {
    device.unified_memory = true;
    device.kind = DeviceKind::kIntegrated;
  }
}

// On RDNA, whose compute units work in pairs, HIP counts the pairs in both of its attributes unless
// GPU_ENABLE_WGP_MODE is off (ROCm/clr, rocclr/device/rocm/rocdevice.cpp). The kernel counts the units.
void CorrectUnits(const amd::KfdNode* node, const system::Environment& environment, RuntimeDevice& device) {
  if (node != nullptr && node->compute_units) {
    device.compute_units = node->compute_units;
    return;
  }
  const auto target = ParseTarget(device.architecture.value_or(""));
  const auto mode = environment.Get("GPU_ENABLE_WGP_MODE");
  // As clr reads it (rocclr/utils/flags.cpp): "true" or a number that is not 0.
  const bool on = !mode || *mode == "true" || std::atoi(mode->c_str()) != 0;
  const bool pairs = target && target->major >= 10 && on;
  if (pairs && device.compute_units) device.compute_units = 2 * *device.compute_units;
}

}  // namespace

std::optional<std::string> TargetWithFeatures(const Api& api, int device) {
  HipProperties properties{};
  if (api.hipGetDevicePropertiesR0600 != nullptr &&
      api.hipGetDevicePropertiesR0600(&properties, device) == kHipSuccess) {
    if (auto target = TargetAt(properties, kHipArchitectureOffset6)) return target;
  }
  properties = {};
  if (api.hipGetDeviceProperties != nullptr &&
      api.hipGetDeviceProperties(&properties, device) == kHipSuccess) {
    return TargetAt(properties, kHipArchitectureOffset5);
  }
  return std::nullopt;
}

RuntimeDevice ReadDevice(const Api& api, int id) {
  const auto get = [&](HipAttribute attribute) { return Attribute(api, id, attribute); };
  const auto positive = [&](HipAttribute attribute) -> std::optional<std::uint32_t> {
    const auto value = get(attribute);
    return value && *value > 0 ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
  };
  RuntimeDevice device;
  device.runtime = "hip";
  device.driver = "ROCm";
  device.ordinal = static_cast<std::uint32_t>(id);
  device.name = NameOf(api, id);
  device.vendor = "Advanced Micro Devices, Inc.";
  AddIdentity(api, id, device);
  int version = 0;
  if (api.hipRuntimeGetVersion(&version) == kHipSuccess && version > 0)
    device.api_version = VersionText(version);
  const bool integrated = get(kHipIntegrated).value_or(0) != 0;
  // Before ROCm 6.2 it is 0 of every device: others know better (ROCm/clr, hipamd/src/hip_device.cpp).
  constexpr int kFirstToTell = 60200000;
  if (integrated || version >= kFirstToTell) {
    device.unified_memory = integrated;
    device.kind = integrated ? DeviceKind::kIntegrated : DeviceKind::kDiscrete;
  }
  if (const auto text = TargetWithFeatures(api, id)) {
    const Target target = *ParseTarget(*text);
    device.architecture = ToString(target);
    AddCapabilities(target, device);
    device.facts.push_back({"target", *text});
  }
  AddMemory(api, id, device);
  device.compute_units = positive(kHipMultiprocessors);
  device.subgroup_width = positive(kHipWarpSize);
  if (const auto khz = positive(kHipClockKhz)) device.clock_max_hz = *khz * 1e3;
  if (const auto khz = positive(kHipMemoryClockKhz)) {
    device.facts.push_back({"memory_clock_hz", fmt::format("{}", std::uint64_t{*khz} * 1000)});
  }
  for (const auto& row : kFacts) {
    if (const auto value = get(row.attribute))
      device.facts.push_back({std::string(row.key), fmt::to_string(*value)});
  }
  AddPeers(api, id, device);
  return device;
}

Result<std::vector<RuntimeDevice>> ReadDevices(const Api& api, const std::vector<amd::KfdNode>& nodes,
                                               const system::Environment& environment) {
  const auto count = DeviceCount(api);
  if (!count) return count.error();
  std::vector<RuntimeDevice> devices;
  devices.reserve(static_cast<std::size_t>(*count));
  for (int device = 0; device < *count; ++device) devices.push_back(ReadDevice(api, device));
  const auto visible = NodesOf(nodes, environment, devices);
  for (std::size_t i = 0; i < visible.size(); ++i) {
    auto& address = devices[i].identity.pci;
    if (!address) address = visible[i].address;
  }
  NamePartitions(nodes, visible, devices);
  for (RuntimeDevice& device : devices) {
    const amd::KfdNode* node = NodeOf(nodes, device);
    CorrectUnits(node, environment, device);
    if (node == nullptr) continue;
    AddKernelFacts(*node, device);
    // HIP leaves out the function, which a virtual machine's card may have.
    if (!device.identity.partition) device.identity.pci = node->address;
  }
  return devices;
}

}  // namespace probe::hip
