// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <charconv>

#include "probe/core/text.h"
#include "probe/sysfs/card.h"
#include "probe/system/amdgpu_metrics.h"

namespace probe::sysfs {
namespace {

using system::FileSystem;

// File of the device directory, name of the fact. Texts of amdgpu (linux, Documentation/gpu/amdgpu).
struct TextFact {
  std::string_view file;
  std::string_view key;
};
constexpr std::array kTextFacts = {TextFact{"current_compute_partition", "compute_partition"},
                                   TextFact{"current_memory_partition", "memory_partition"},
                                   TextFact{"mem_info_vis_vram_total", "visible_vram_bytes"},
                                   TextFact{"mem_info_gtt_used", "gtt_used_bytes"},
                                   TextFact{"mem_info_vram_vendor", "vram_vendor"},
                                   TextFact{"gpu_busy_percent", "utilization_percent"},
                                   TextFact{"vbios_version", "vbios_version"},
                                   TextFact{"power/runtime_status", "runtime_status"}};

std::optional<std::uint64_t> Mhz(std::string_view line) {
  const auto unit = line.find("Mhz");
  const auto colon = line.find(": ");
  if (unit == std::string_view::npos || colon == std::string_view::npos || colon > unit) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(line.data() + colon + 2, line.data() + unit, value);
  if (error != std::errc() || end != line.data() + unit) return std::nullopt;
  return value;
}

// Highest line of "0: 500Mhz\n1: 2219Mhz *".
std::optional<std::uint64_t> HighestState(const FileSystem& files, const std::string& path) {
  std::optional<std::uint64_t> highest;
  const auto text = files.Read(path, 4096);
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (const auto mhz = Mhz(line)) highest = std::max(highest.value_or(0), *mhz);
  }
  return highest;
}

std::optional<std::uint64_t> MaxClockMhz(const FileSystem& files, const Card& card) {
  const std::string& directory = card.function.directory;
  if (const auto mhz = HighestState(files, directory + "/pp_dpm_sclk")) return mhz;            // amdgpu
  if (const auto mhz = files.ReadNumber(directory + "/tile0/gt0/freq0/rp0_freq")) return mhz;  // xe
  for (const std::string& name : card.node_names) {                                            // i915
    if (const auto mhz = files.ReadNumber("/sys/class/drm/" + name + "/gt_RP0_freq_mhz")) return mhz;
  }
  for (const system::KfdNode& node : card.kfd) {
    if (node.clock_max_mhz) return node.clock_max_mhz;
  }
  return std::nullopt;
}

std::string SensorPath(const std::string& directory, const std::string& sensor) {
  return directory + "/hwmon/" + sensor;
}

// What amdgpu's sensors say now. hwmon's files are in microwatts.
void AddAmdState(const FileSystem& files, const std::string& directory, HardwareDevice& device) {
  for (const std::string& sensor : files.List(directory + "/hwmon")) {
    const std::string path = SensorPath(directory, sensor);
    auto microwatts = files.ReadNumber(path + "/power1_average");
    if (!microwatts) microwatts = files.ReadNumber(path + "/power1_input");
    if (microwatts) device.facts.push_back({"power_mw", std::to_string(*microwatts / 1000)});
    if (const auto limit = files.ReadNumber(path + "/power1_cap")) {
      device.facts.push_back({"power_limit_mw", std::to_string(*limit / 1000)});
    }
  }
  const auto metrics = files.Read(directory + "/gpu_metrics", 4096);
  const auto throttled = metrics ? system::ThrottleText(*metrics) : std::nullopt;
  if (throttled) device.facts.push_back({"throttled", *throttled});
}

}  // namespace

void AddDriverFacts(const FileSystem& files, const Card& card, HardwareDevice& device) {
  const std::string& directory = card.function.directory;
  if (!directory.empty()) {
    if (const auto vram = files.ReadNumber(directory + "/mem_info_vram_total")) device.vram_bytes = vram;
    device.gtt_bytes = files.ReadNumber(directory + "/mem_info_gtt_total");
    const auto used = files.ReadNumber(directory + "/mem_info_vram_used");
    if (device.vram_bytes && used && *used <= *device.vram_bytes) {
      device.memory_free_bytes = *device.vram_bytes - *used;
    }
    for (const TextFact& fact : kTextFacts) {
      const auto text = files.ReadLine(directory + "/" + std::string(fact.file));
      std::string clean = text ? CleanText(*text, 128) : std::string();
      if (!clean.empty()) device.facts.push_back({std::string(fact.key), std::move(clean)});
    }
  }
  if (!directory.empty() && card.function.driver == "amdgpu") AddAmdState(files, directory, device);
  if (const auto mhz = MaxClockMhz(files, card); mhz && *mhz > 0 && *mhz < 100000) {
    device.facts.push_back({"clock_max_hz", std::to_string(*mhz * 1000000)});
  }
}

std::optional<NvidiaInformation> ReadNvidia(const FileSystem& files, const std::string& path) {
  const auto text = files.Read(path, 4096);
  if (!text) return std::nullopt;
  NvidiaInformation out;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const auto key = line.substr(0, colon);
    const std::string value = CleanText(line.substr(colon + 1), 128);
    if (key == "Model" && !value.empty()) out.model = value;
    if (key == "GPU UUID" && value.starts_with("GPU-"))
      out.uuid = ParseUuid(std::string_view(value).substr(4));
    std::uint32_t minor = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), minor);
    if (key == "Device Minor" && error == std::errc() && end == value.data() + value.size())
      out.minor = minor;
  }
  return out;
}

}  // namespace probe::sysfs
