// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/hwloc/topology.h"
#include "probe/system/processor.h"

namespace probe::hwloc {
namespace {

using system::FileSystem;

constexpr std::string_view kMemoryKey = "MemTotal:";
constexpr std::string_view kPciDevices = "/sys/bus/pci/devices/";
constexpr std::string_view kCpus = "/sys/devices/system/cpu/";
constexpr std::string_view kNodes = "/sys/devices/system/node/";
constexpr std::uint32_t kMaxCacheLevel = 8;
constexpr std::uint64_t kDisplay = 0x03;  // base classes of the PCI Code and ID Assignment Specification
constexpr std::uint64_t kAccelerator = 0x12;

// The processors or nodes that exist: the numbers after a prefix, of the entries that have one.
std::vector<std::uint32_t> Numbered(const FileSystem& files, std::string_view directory,
                                    std::string_view prefix) {
  std::vector<std::uint32_t> out;
  for (const std::string& name : files.List(directory)) {
    if (!name.starts_with(prefix)) continue;
    const auto number = ParseNumber<std::uint32_t>(std::string_view(name).substr(prefix.size()));
    if (number) out.push_back(*number);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// "2048K", "32M" as sysfs writes a cache's size.
std::uint64_t ParseSize(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value > UINT32_MAX) return 0;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit == "K") return value << 10U;
  if (unit == "M") return value << 20U;
  return unit.empty() ? value : 0;
}

std::string_view CacheType(std::string_view type) {
  if (type == "Data") return "data";
  if (type == "Instruction") return "instruction";
  return type == "Unified" ? "unified" : "";
}

// Every processor lists the caches above it: an instance is known by its level, type and first sharer.
using SeenCaches = std::set<std::tuple<std::uint64_t, std::string, std::uint32_t>>;

void ReadCaches(const FileSystem& files, const std::string& cpu, SeenCaches& seen,
                std::vector<Cache>& caches) {
  for (const std::uint32_t index : Numbered(files, cpu + "/cache", "index")) {
    const std::string cache = cpu + "/cache/index" + std::to_string(index);
    const auto level = files.ReadNumber(cache + "/level");
    const std::string_view type = CacheType(files.ReadLine(cache + "/type").value_or(""));
    const auto size = ParseSize(files.ReadLine(cache + "/size").value_or(""));
    const auto sharers = system::ParseNumberList(files.ReadLine(cache + "/shared_cpu_list").value_or(""));
    if (!level || *level == 0 || *level > kMaxCacheLevel || type.empty() || size == 0) continue;
    if (!sharers || sharers->empty() || !seen.emplace(*level, type, sharers->front()).second) continue;
    AddCache(caches, static_cast<std::uint32_t>(*level), type, size,
             static_cast<std::uint32_t>(sharers->size()));
  }
}

void ReadCpus(const FileSystem& files, Topology& out) {
  std::set<std::uint64_t> packages;
  std::set<std::string> cores;
  SeenCaches caches;
  std::uint32_t threads = 0;
  for (const std::uint32_t number : Numbered(files, kCpus, "cpu")) {
    const std::string cpu = std::string(kCpus) + "cpu" + std::to_string(number);
    if (files.ReadNumber(cpu + "/online") == 0 || !files.Exists(cpu + "/topology")) continue;
    ++threads;
    if (const auto package = files.ReadNumber(cpu + "/topology/physical_package_id"))
      packages.insert(*package);
    if (const auto siblings = files.ReadLine(cpu + "/topology/thread_siblings_list")) cores.insert(*siblings);
    ReadCaches(files, cpu, caches, out.caches);
  }
  if (threads != 0) out.threads = threads;
  if (!packages.empty()) out.packages = static_cast<std::uint32_t>(packages.size());
  if (!cores.empty()) out.cores = static_cast<std::uint32_t>(cores.size());
}

// "Node 0 MemTotal:       16303428 kB"
std::uint64_t NodeMemory(const FileSystem& files, std::uint32_t node) {
  const auto text = files.Read(std::string(kNodes) + "node" + std::to_string(node) + "/meminfo", 65536);
  if (!text) return 0;
  const auto key = text->find(kMemoryKey);
  const auto digits = key == std::string::npos ? key : text->find_first_not_of(' ', key + kMemoryKey.size());
  if (digits == std::string::npos) return 0;
  std::uint64_t kib = 0;
  std::from_chars(text->data() + digits, text->data() + text->size(), kib);
  return kib <= UINT64_MAX / 1024 ? kib * 1024 : 0;
}

struct NodeCpus {
  std::uint32_t node = 0;
  std::set<std::uint32_t> cpus;
};

std::vector<NodeCpus> ReadNodeCpus(const FileSystem& files) {
  std::vector<NodeCpus> out;
  for (const std::uint32_t node : Numbered(files, kNodes, "node")) {
    const auto list = files.ReadLine(std::string(kNodes) + "node" + std::to_string(node) + "/cpulist");
    const auto cpus = system::ParseNumberList(list.value_or(""));
    if (cpus) out.push_back({node, {cpus->begin(), cpus->end()}});
  }
  return out;
}

}  // namespace

std::vector<CardPlace> ReadCardPlaces(const FileSystem& files) {
  std::vector<CardPlace> out;
  const auto nodes = ReadNodeCpus(files);
  if (nodes.size() < 2) return out;
  for (const std::string& name : files.List(kPciDevices)) {
    const std::string directory = std::string(kPciDevices) + name;
    const auto address = ParsePciAddress(name);
    const auto code = files.ReadNumber(directory + "/class").value_or(0) >> 16U;
    if (!address || (code != kDisplay && code != kAccelerator)) continue;
    const auto list = files.ReadLine(directory + "/local_cpulist");
    const auto local = system::ParseNumberList(list.value_or(""));
    if (!local || local->empty()) continue;
    for (const NodeCpus& node : nodes) {
      const bool all =
          std::all_of(local->begin(), local->end(), [&](auto cpu) { return node.cpus.contains(cpu); });
      if (all) out.push_back({*address, node.node, CleanText(*list, 256)});
    }
  }
  return out;
}

void AddCache(std::vector<Cache>& caches, std::uint32_t level, std::string_view type,
              std::uint64_t size_bytes, std::uint32_t shared_by) {
  const Cache cache{level, std::string(type), size_bytes, shared_by, 1};
  const auto known = std::find_if(caches.begin(), caches.end(), [&](const Cache& other) {
    return other.level == level && other.type == type && other.size_bytes == size_bytes &&
           other.shared_by == shared_by;
  });
  if (known == caches.end()) {
    caches.push_back(cache);
  } else {
    ++known->instances;
  }
}

void SortCaches(std::vector<Cache>& caches) {
  const auto key = [](const Cache& c) { return std::tie(c.level, c.type, c.size_bytes, c.shared_by); };
  std::sort(caches.begin(), caches.end(), [&](const Cache& a, const Cache& b) { return key(a) < key(b); });
}

Topology ReadFiles(const FileSystem& files) {
  Topology out;
  ReadCpus(files, out);
  for (const std::uint32_t node : Numbered(files, kNodes, "node")) {
    if (out.numa_memory_bytes.size() < 1024) out.numa_memory_bytes.push_back(NodeMemory(files, node));
  }
  SortCaches(out.caches);
  return out;
}

}  // namespace probe::hwloc
