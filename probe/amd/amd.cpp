// SPDX-License-Identifier: MIT
#include "probe/amd/amd.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "probe/core/load.h"
#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/core/vendor.h"
#include "probe/system/filesystem.h"

namespace probe::amd {

Vendor Describe();

namespace {

using system::FileSystem;

void AddFact(HardwareDevice& device, std::string_view key, std::string value) {
  device.facts.push_back({std::string(key), std::move(value)});
}

// One node a partition: others at the same address are cards whose addresses this kernel does not tell apart.
std::vector<KfdNode> Partitions(const std::vector<KfdNode>& nodes) {
  std::vector<KfdNode> out;
  for (const KfdNode& node : nodes) {
    const auto is_same = [&](const KfdNode& other) { return other.partition == node.partition; };
    if (std::none_of(out.begin(), out.end(), is_same)) out.push_back(node);
  }
  return out;
}

// What the nodes of one card tell together.
ListedCard CardOf(const FileSystem& files, const PciAddress& address, const std::vector<KfdNode>& nodes) {
  const KfdNode& first = nodes.front();
  ListedCard card{.address = address,
                  .vendor = first.ids.vendor,
                  .ids = first.ids,
                  .driver = "amdgpu",
                  .told = {},
                  .clock_max_mhz = {}};
  HardwareDevice& told = card.told;
  told.architecture = first.target;
  told.nodes = {system::CheckNode(files, "/dev/kfd")};
  const auto partitions = Partitions(nodes);
  std::uint64_t units = 0;
  std::uint64_t bytes = 0;
  for (const KfdNode& node : partitions) {
    units += node.compute_units.value_or(0);
    bytes += node.memory_bytes.value_or(0);
  }
  for (const KfdNode& node : nodes) {
    if (!card.clock_max_mhz) card.clock_max_mhz = node.clock_max_mhz;
  }
  if (bytes != 0) told.vram_bytes = bytes;
  if (partitions.size() > 1) AddFact(told, "compute_partitions", std::to_string(partitions.size()));
  if (units != 0) AddFact(told, "compute_units", std::to_string(units));
  if (first.wavefront_size) AddFact(told, "wavefront_size", std::to_string(*first.wavefront_size));
  if (first.xcc_count) AddFact(told, "xcc_count", std::to_string(*first.xcc_count));
  // A partition has a link to each other one of its own card and to each of the other cards.
  const std::uint64_t own = partitions.size() - 1;
  if (first.xgmi_links > own) {
    AddFact(told, "xgmi_peers", std::to_string((first.xgmi_links - own) / partitions.size()));
  }
  return card;
}

std::vector<ListedCard> List(const FileSystem& files, const std::set<PciAddress>& known) {
  std::map<PciAddress, std::vector<KfdNode>> nodes;
  for (KfdNode& node : ReadKfdNodes(files)) {
    PciAddress address = node.address;
    if (!known.contains(address)) address.function = 0;  // a partition counts under its card
    nodes[address].push_back(std::move(node));
  }
  std::vector<ListedCard> out;
  out.reserve(nodes.size());
  for (const auto& [address, own] : nodes) out.push_back(CardOf(files, address, own));
  return out;
}

// File of the device directory, name of the fact (linux, Documentation/gpu/amdgpu).
struct TextFact {
  std::string_view file;
  std::string_view key;
};
constexpr std::array kTextFacts = {TextFact{"current_compute_partition", "compute_partition"},
                                   TextFact{"current_memory_partition", "memory_partition"},
                                   TextFact{"mem_info_vis_vram_total", "visible_vram_bytes"},
                                   TextFact{"mem_info_gtt_used", "gtt_used_bytes"},
                                   TextFact{"mem_info_vram_vendor", "vram_vendor"},
                                   TextFact{"vbios_version", "vbios_version"}};

void DescribeCard(const FileSystem& files, const CardFiles& card, HardwareDevice& device) {
  const std::string& directory = card.directory;
  const CardState state = ReadState(files, directory);
  if (state.memory_total_bytes) device.vram_bytes = state.memory_total_bytes;
  device.gtt_bytes = files.ReadNumber(directory + "/mem_info_gtt_total");
  const auto& used = state.memory_used_bytes;
  if (device.vram_bytes && used && *used <= *device.vram_bytes) {
    device.memory_free_bytes = *device.vram_bytes - *used;
  }
  for (const TextFact& fact : kTextFacts) {
    const auto text = files.ReadLine(directory + "/" + std::string(fact.file));
    std::string clean = text ? CleanText(*text, 128) : std::string();
    if (!clean.empty()) AddFact(device, fact.key, std::move(clean));
  }
}

void DescribeState(const FileSystem& files, const CardFiles& card, HardwareDevice& device) {
  if (card.driver != "amdgpu") return;
  auto state = ReadState(files, std::string(card.directory));
  std::move(state.facts.begin(), state.facts.end(), std::back_inserter(device.facts));
}

// The highest line of "0: 500Mhz\n1: 2219Mhz *".
std::optional<std::uint64_t> ClockMaxMhz(const FileSystem& files, const CardFiles& card) {
  std::optional<std::uint64_t> highest;
  const auto text = files.Read(card.directory + "/pp_dpm_sclk", 4096);
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    const auto line = TakeUpTo(rest, '\n');
    const auto colon = line.find(": ");
    const auto unit = line.find("Mhz");
    if (unit == std::string_view::npos || colon == std::string_view::npos || colon > unit) continue;
    const auto mhz = ParseNumber<std::uint64_t>(line.substr(colon + 2, unit - colon - 2));
    if (mhz) highest = std::max(highest.value_or(0), *mhz);
  }
  return highest;
}

constexpr std::size_t kMetricsBytes = 120;    // of format 1.3
constexpr std::size_t kThrottleOffset = 112;  // of the throttle bits that mean the same on every chip
constexpr std::uint64_t kUnsupported = ~std::uint64_t{0};

std::uint64_t LittleEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[i]);
  return value;
}

// Sixteen bits a cause.
constexpr std::array<std::string_view, 4> kCauses = {"power", "current", "temperature", "other"};

std::optional<std::string> ThrottledBy(const FileSystem& files, const std::string& directory) {
  const auto metrics = files.Read(directory + "/gpu_metrics", 4096);  // one page, as the kernel writes it
  return metrics ? ThrottleText(*metrics) : std::nullopt;
}

// How much of the time the card computed. RDNA 3 and 4 say 99 or 100 % while any process merely has a queue
// of ROCm (ROCm/ROCm issues 2777 and 5706): with little memory in use that is nobody's work. Which they are
// tells the version of the graphics core (linux, amdgpu_discovery.c).
std::optional<std::uint64_t> BusyPercent(const FileSystem& files, const std::string& card,
                                         const CardState& state) {
  constexpr std::uint64_t kIdleWithQueue = 99, kRdna3 = 11;
  constexpr std::uint64_t kShareOfWork = 8;  // of the memory
  const auto percent = files.ReadNumber(card + "/gpu_busy_percent");
  const auto core = files.ReadNumber(card + "/ip_discovery/die/0/GC/0/major");
  const bool doubtful = core.value_or(0) >= kRdna3 && percent && *percent >= kIdleWithQueue &&
                        state.memory_total_bytes && state.memory_used_bytes &&
                        *state.memory_used_bytes < *state.memory_total_bytes / kShareOfWork;
  return doubtful ? std::nullopt : percent;
}

}  // namespace

CardState ReadState(const FileSystem& files, const std::string& card) {
  CardState state;
  state.memory_total_bytes = files.ReadNumber(card + "/mem_info_vram_total");
  state.memory_used_bytes = files.ReadNumber(card + "/mem_info_vram_used");
  const auto add = [&](std::string_view key, const std::optional<std::uint64_t>& value) {
    if (value) state.facts.push_back({std::string(key), std::to_string(*value)});
  };
  add(kUtilizationFact, BusyPercent(files, card, state));
  for (const std::string& sensor : files.List(card + "/hwmon")) {
    // In microwatts there.
    const auto milliwatts = [&](const char* file) -> std::optional<std::uint64_t> {
      const auto value = files.ReadNumber(fmt::format("{}/hwmon/{}/{}", card, sensor, file));
      return value ? std::optional(*value / 1000) : std::nullopt;
    };
    const auto average = milliwatts("power1_average");
    add("power_mw", average ? average : milliwatts("power1_input"));
    add("power_limit_mw", milliwatts("power1_cap"));
    add("power_limit_default_mw", milliwatts("power1_cap_default"));
  }
  return state;
}

std::optional<std::string> ThrottleText(std::string_view gpu_metrics) {
  if (gpu_metrics.size() < kMetricsBytes || LittleEndian(gpu_metrics.substr(0, 2)) != kMetricsBytes ||
      gpu_metrics[2] != 1 || gpu_metrics[3] != 3) {
    return std::nullopt;
  }
  const std::uint64_t bits = LittleEndian(gpu_metrics.substr(kThrottleOffset, 8));
  if (bits == kUnsupported) return std::nullopt;
  std::string text;
  for (std::size_t i = 0; i < kCauses.size(); ++i) {
    if ((bits >> (16 * i) & 0xffffU) != 0) text.append(text.empty() ? "" : ", ").append(kCauses[i]);
  }
  return text.empty() ? "none" : text;
}

Vendor Describe() {
  // Of 64 bits: hexadecimal in ROCR_VISIBLE_DEVICES, decimal in the files of the compute driver (amdkfd).
  static constexpr std::array kChipNumbers = {ChipNumber{"GPU-", "0123456789abcdef", 16, 16},
                                              ChipNumber{"unique_id ", "0123456789", 5, 20},
                                              ChipNumber{"hive_id ", "0123456789", 5, 20}};
  static constexpr std::array<std::string_view, 1> kNodes = {"kfd"};
  Vendor vendor;
  vendor.pci_number = kPciNumber;
  vendor.computes_by_gpus = true;
  vendor.list = List;
  vendor.describe = DescribeCard;
  vendor.describe_state = DescribeState;
  vendor.clock_max_mhz = ClockMaxMhz;
  vendor.throttled_by = ThrottledBy;
  vendor.partition_device = "amdgpu_xcp";
  vendor.kernel_module = "amdgpu";
  vendor.nodes = kNodes;
  vendor.chip_numbers = kChipNumbers;
  // Documentation/admin-guide/pm/amd-pstate.rst, active mode; in passive mode it is called amd-pstate.
  vendor.preference_driver = "amd-pstate-epp";
  return vendor;
}

}  // namespace probe::amd
