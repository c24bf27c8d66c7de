// SPDX-License-Identifier: MIT
// The shape of the host: packages, cores, threads, caches, memory nodes, and which memory node a card is
// near. From hwloc on the live machine, from the files themselves in any other tree: hwloc follows links out
// of a foreign one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/result.h"
#include "probe/system/filesystem.h"

namespace probe::hwloc {

struct CardPlace {
  PciAddress address;
  std::uint32_t numa_node = 0;
  std::string local_cpus;  // "0-15"
};

struct Topology {
  std::optional<std::uint32_t> packages;
  std::optional<std::uint32_t> cores;
  std::optional<std::uint32_t> threads;
  std::vector<std::uint64_t> numa_memory_bytes;  // one a memory node, in the order of their numbers
  std::vector<Cache> caches;     // by level and type; sizes that differ between cores have a row each
  std::vector<CardPlace> cards;  // only where there are several memory nodes to be near to
};

// The running machine through hwloc, with its plug-ins and its own environment variables out of play: a
// plug-in would load GPU drivers into this process. Meant for a process of its own; changes its environment.
[[nodiscard]] Result<Topology> ReadWithHwloc();

// Any tree, from /sys/devices/system. Fields that the tree does not show stay unknown.
[[nodiscard]] Topology ReadFiles(const system::FileSystem& files);

// Which memory node each display and accelerator of the PCI bus is near: the one node that has all processors
// which the kernel calls local to it. Empty where there is only one node to be near to.
[[nodiscard]] std::vector<CardPlace> ReadCardPlaces(const system::FileSystem& files);

// Sums up caches of which each instance was seen once.
void AddCache(std::vector<Cache>& caches, std::uint32_t level, std::string_view type,
              std::uint64_t size_bytes, std::uint32_t shared_by);
void SortCaches(std::vector<Cache>& caches);

}  // namespace probe::hwloc
