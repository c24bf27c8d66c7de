// SPDX-License-Identifier: MIT
#include <errno.h>
#include <hwloc.h>

#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "probe/hwloc/topology.h"
#include "probe/system/this_process.h"

namespace probe::hwloc {
namespace {

struct Destroy {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Handle = std::unique_ptr<hwloc_topology, Destroy>;

// Variables by which a user could make hwloc describe another machine or load something
// (https://www.open-mpi.org/projects/hwloc/doc/v2.9.0/a00353.php). The Linux component alone answers.
constexpr std::array kUnset = {"HWLOC_XMLFILE",          "HWLOC_SYNTHETIC",  "HWLOC_FSROOT",
                               "HWLOC_CPUID_PATH",       "HWLOC_THISSYSTEM", "HWLOC_ALLOW",
                               "HWLOC_DUMPED_HWDATA_DIR"};
constexpr std::array kSet = {std::pair{"HWLOC_COMPONENTS", "linux,stop"},
                             std::pair{"HWLOC_PLUGINS_PATH", "/dev/null"},
                             std::pair{"HWLOC_HIDE_ERRORS", "2"}};

Error Failed(const char* call) {
  const int number = errno;
  return Error{call, number, std::strerror(number), "hwloc could not describe this machine"};
}

Result<Handle> Load() {
  for (const char* name : kUnset) system::SetProcessVariable(name, std::nullopt);
  for (const auto& [name, value] : kSet) system::SetProcessVariable(name, value);
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return Failed("hwloc_topology_init");
  Handle topology(raw);
  // Processors that our control group denies still belong to the machine.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  hwloc_topology_set_cache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_icache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  // Not its PCI devices: it reads their whole configuration space, which takes milliseconds each in a virtual
  // machine.
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  if (hwloc_topology_load(raw) != 0) return Failed("hwloc_topology_load");
  return topology;
}

std::optional<std::uint32_t> Count(hwloc_topology_t topology, hwloc_obj_type_t type) {
  const int count = hwloc_get_nbobjs_by_type(topology, type);
  if (count <= 0) return std::nullopt;
  return static_cast<std::uint32_t>(count);
}

std::string_view TypeName(hwloc_obj_cache_type_t type) {
  if (type == HWLOC_OBJ_CACHE_UNIFIED) return "unified";
  return type == HWLOC_OBJ_CACHE_DATA ? "data" : "instruction";
}

void ReadCaches(hwloc_topology_t topology, std::vector<Cache>& caches) {
  for (int depth = 0; depth < hwloc_topology_get_depth(topology); ++depth) {
    hwloc_obj_t object = nullptr;
    while ((object = hwloc_get_next_obj_by_depth(topology, depth, object)) != nullptr) {
      if (hwloc_obj_type_is_cache(object->type) == 0) break;
      const auto& cache = object->attr->cache;
      const int threads = hwloc_bitmap_weight(object->cpuset);
      if (cache.size == 0 || threads <= 0) continue;
      AddCache(caches, cache.depth, TypeName(cache.type), cache.size, static_cast<std::uint32_t>(threads));
    }
  }
}

}  // namespace

Result<Topology> ReadWithHwloc() {
  auto loaded = Load();
  if (!loaded) return loaded.error();
  const hwloc_topology_t topology = loaded->get();
  Topology out;
  out.packages = Count(topology, HWLOC_OBJ_PACKAGE);
  out.cores = Count(topology, HWLOC_OBJ_CORE);
  out.threads = Count(topology, HWLOC_OBJ_PU);
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr) {
    out.numa_memory_bytes.push_back(node->attr->numanode.local_memory);
  }
  ReadCaches(topology, out.caches);
  SortCaches(out.caches);
  return out;
}

}  // namespace probe::hwloc
