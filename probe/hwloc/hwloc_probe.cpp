// SPDX-License-Identifier: MIT
// The host's packages, cores, caches and memory nodes, and which memory node each card is near.
#include <string>
#include <string_view>

#include "probe/core/module.h"
#include "probe/core/text.h"
#include "probe/core/topology_variables.h"
#include "probe/hwloc/topology.h"
#include "probe/system/environment.h"

namespace probe::hwloc {
namespace {

void HeedVariables(const ProbeContext& context) {
  for (const auto name : kTopologyVariables) {
    const auto value = context.environment.Get(name);
    if (!value || value->empty()) continue;
    context.sink(EnvironmentVariable{std::string(name), CleanText(*value)});
    context.sink(
        Warning{std::string(name) +
                " is set: hwloc, and drivers that use it (PoCL), may see another machine than this"});
  }
}

Topology Read(const ProbeContext& context) {
  if (!context.files.live()) return ReadFiles(context.files);
  HeedVariables(context);
  auto topology = ReadWithHwloc();
  if (topology) return std::move(topology).value();
  context.sink(Warning{Describe(topology.error()) + "; read from files instead"});
  return ReadFiles(context.files);
}

std::string Joined(const std::vector<std::uint64_t>& numbers) {
  std::string out;
  for (const std::uint64_t number : numbers)
    out.append(out.empty() ? "" : " ").append(std::to_string(number));
  return CleanText(out);
}

void Probe(const ProbeContext& context) {
  context.sink(StageEntered{Stage::kEnumerate});
  Topology topology = Read(context);
  if (!topology.threads) return;
  HardwareDevice host;
  host.source = "hwloc";
  host.kind = DeviceKind::kCpu;
  host.processor.emplace();
  host.processor->packages = topology.packages;
  host.processor->cores = topology.cores;
  host.processor->threads = topology.threads;
  if (const auto nodes = topology.numa_memory_bytes.size(); nodes != 0) {
    host.processor->numa_nodes = static_cast<std::uint32_t>(nodes);
    host.facts.push_back({"numa_memory_bytes", Joined(topology.numa_memory_bytes)});
  }
  host.processor->caches = std::move(topology.caches);
  context.sink(host);
  for (const CardPlace& card : ReadCardPlaces(context.files)) {
    HardwareDevice device;
    device.source = "hwloc";
    device.identity.pci = card.address;
    device.numa_node = card.numa_node;
    device.facts.push_back({"local_cpus", card.local_cpus});
    context.sink(device);
  }
}

}  // namespace

Module Describe() {
  Module module;
  module.name = "hwloc";
  module.title = "hwloc";
  module.kind = ModuleKind::kHardware;
  module.loads_vendor_code = false;
  module.visibility_variables = kTopologyVariables;
  module.probe = Probe;
  return module;
}

}  // namespace probe::hwloc
