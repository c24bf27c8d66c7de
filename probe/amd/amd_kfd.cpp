// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>

#include "probe/amd/amd.h"
#include "probe/core/parse.h"

namespace probe::amd {
namespace {

constexpr std::string_view kTopology = "/sys/class/kfd/kfd/topology/nodes";
constexpr std::size_t kMaxNodes = 1024;
constexpr std::size_t kMaxIoLinks = 256;
constexpr std::size_t kMaxBanks = 16;
constexpr std::size_t kLastCaches = 16;  // those of a third level come last
constexpr std::size_t kMaxPropertiesBytes = 65536;

using Properties = std::map<std::string, std::uint64_t, std::less<>>;

Properties ReadProperties(const system::FileSystem& files, const std::string& path) {
  Properties out;
  const auto text = files.Read(path, kMaxPropertiesBytes);
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    std::string_view line = TakeUpTo(rest, '\n');
    const auto key = TakeUpTo(line, ' ');
    if (const auto value = ParseNumber<std::uint64_t>(line)) out.emplace(key, *value);
  }
  return out;
}

std::optional<std::uint64_t> Get(const Properties& properties, std::string_view key) {
  const auto found = properties.find(key);
  if (found == properties.end()) return std::nullopt;
  return found->second;
}

std::optional<std::uint32_t> Small(std::optional<std::uint64_t> value, std::uint64_t limit) {
  if (!value || *value == 0 || *value > limit) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

// location_id is bus << 8 | device << 3 | function; partitions of one card differ in the function (older
// kernels) or in bits 28 to 31 (newer ones): linux, drivers/gpu/drm/amd/amdkfd/kfd_topology.c.
std::optional<KfdNode> Interpret(const Properties& properties) {
  const auto vendor = Small(Get(properties, "vendor_id"), 0xffff);
  const auto device = Small(Get(properties, "device_id"), 0xffff);
  const auto simds = Small(Get(properties, "simd_count"), 65536);
  const auto location = Get(properties, "location_id");
  if (!vendor || !device || !simds || !location) return std::nullopt;
  KfdNode node;
  const auto place = static_cast<std::uint32_t>(*location & 0xffffU);
  const auto domain = Get(properties, "domain").value_or(0);
  node.address = {domain <= 0xffffffff ? static_cast<std::uint32_t>(domain) : 0, place >> 8U,
                  place >> 3U & 0x1fU, place & 7U};
  node.ids = {*vendor, *device, std::nullopt, std::nullopt, std::nullopt};
  node.target = GfxTarget(Get(properties, "gfx_target_version").value_or(0));
  if (const auto per_unit = Small(Get(properties, "simd_per_cu"), 64))
    node.compute_units = *simds / *per_unit;
  node.wavefront_size = Small(Get(properties, "wave_front_size"), 1024);
  node.clock_max_mhz = Small(Get(properties, "max_engine_clk_fcompute"), 100000);
  node.has_processor = Get(properties, "cpu_cores_count").value_or(0) > 0;
  node.xcc_count = Small(Get(properties, "num_xcc"), 256);
  if (const auto unique = Get(properties, "unique_id"); unique && *unique != 0) node.unique_id = unique;
  node.render_minor = Small(Get(properties, "drm_render_minor"), 1U << 20U);
  const auto newer = static_cast<std::uint32_t>(*location >> 28U & 0xfU);
  node.partition = newer != 0 ? newer : node.address.function;
  return node;
}

std::string PropertiesIn(const std::string& directory, const std::string& entry) {
  return directory + "/" + entry + "/properties";
}

// A link's type 11 is xGMI (linux, include/uapi/linux/kfd_sysfs.h, KFD's CRAT table).
std::uint32_t CountXgmi(const system::FileSystem& files, const std::string& directory) {
  std::uint32_t count = 0;
  auto names = files.List(directory);
  names.resize(std::min(names.size(), kMaxIoLinks));
  for (const std::string& name : names) {
    count += Get(ReadProperties(files, PropertiesIn(directory, name)), "type") == 11U ? 1U : 0U;
  }
  return count;
}

// Banks of a GPU's own memory are of the types 1 and 2, visible to the processor or not
// (HSA_HEAPTYPE_FRAME_BUFFER_*).
std::optional<std::uint64_t> MemoryBytes(const system::FileSystem& files, const std::string& directory) {
  std::optional<std::uint64_t> sum;
  auto names = files.List(directory);
  names.resize(std::min<std::size_t>(names.size(), kMaxBanks));
  for (const std::string& name : names) {
    const auto bank = ReadProperties(files, PropertiesIn(directory, name));
    const auto type = Get(bank, "heap_type");
    const auto bytes = Get(bank, "size_in_bytes");
    if ((type == 1U || type == 2U) && bytes && *bytes < std::uint64_t{1} << 48U)
      sum = sum.value_or(0) + *bytes;
  }
  return sum;
}

// Names that are numbers, by their value.
std::vector<std::string> Numbered(std::vector<std::string> names) {
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return names;
}

// Sizes there are in KiB.
std::optional<std::uint64_t> L3Bytes(const system::FileSystem& files, const std::string& directory) {
  std::uint64_t largest = 0;
  const auto names = Numbered(files.List(directory));
  for (std::size_t i = names.size() - std::min(names.size(), kLastCaches); i < names.size(); ++i) {
    const auto cache = ReadProperties(files, PropertiesIn(directory, names[i]));
    const auto size = Small(Get(cache, "size"), 1U << 21U);
    if (Get(cache, "level") == 3U && size) largest = std::max(largest, std::uint64_t{*size} * 1024);
  }
  return largest != 0 ? std::optional(largest) : std::nullopt;
}

// A function other than 0 alone in its slot is a device that a virtual machine was given, and no partition.
// One that the bus does not have, where it has the slot's first, is a partition whose neighbours a container
// does not see.
void NameWholeCards(const system::FileSystem& files, std::vector<KfdNode>& nodes) {
  const auto is_on_bus = [&](const PciAddress& address) {
    return files.Exists("/sys/bus/pci/devices/" + ToString(address));
  };
  for (KfdNode& node : nodes) {
    if (node.address.function == 0 || node.partition != node.address.function) continue;
    const auto in_slot = std::count_if(nodes.begin(), nodes.end(), [&](const KfdNode& other) {
      return other.address.domain == node.address.domain && other.address.bus == node.address.bus &&
             other.address.device == node.address.device;
    });
    PciAddress card = node.address;
    card.function = 0;
    if (in_slot == 1 && (is_on_bus(node.address) || !is_on_bus(card))) node.partition = 0;
  }
}

}  // namespace

std::optional<std::string> GfxTarget(std::uint64_t version) {
  const std::uint64_t major = version / 10000;
  if (major < 6 || major > 99) return std::nullopt;
  char text[32];
  std::snprintf(text, sizeof text, "gfx%u%x%x", static_cast<unsigned>(major),
                static_cast<unsigned>(version / 100 % 100), static_cast<unsigned>(version % 100));
  return text;
}

std::vector<KfdNode> ReadKfdNodes(const system::FileSystem& files) {
  std::vector<KfdNode> out;
  for (const std::string& name : Numbered(files.List(kTopology))) {
    if (out.size() == kMaxNodes) break;
    const std::string directory = std::string(kTopology) + "/" + name;
    auto node = Interpret(ReadProperties(files, directory + "/properties"));
    if (!node) continue;
    node->number = ParseNumber<std::uint32_t>(name).value_or(0);
    node->memory_bytes = MemoryBytes(files, directory + "/mem_banks");
    node->l3_bytes = L3Bytes(files, directory + "/caches");
    node->xgmi_links = CountXgmi(files, directory + "/io_links");
    out.push_back(*std::move(node));
  }
  NameWholeCards(files, out);
  return out;
}

}  // namespace probe::amd
