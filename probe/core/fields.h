// SPDX-License-Identifier: MIT
// The field lists of the detection types, for codec.h.
#pragma once

#include "probe/core/codec.h"
#include "probe/core/report.h"

namespace probe {

WHICHGPU_FIELDS(Error, call, code, name, text)
WHICHGPU_FIELDS(PciIds, vendor, device, subsystem_vendor, subsystem_device, revision)
WHICHGPU_FIELDS(Identity, pci, uuid, driver_uuid, ids, partition)
WHICHGPU_FIELDS(Fact, key, value)
WHICHGPU_FIELDS(RuntimeDevice, runtime, driver, manifest, ordinal, identity, name, vendor, kind, architecture,
                api_version, driver_version, memory_total_bytes, memory_free_bytes, compute_units,
                clock_max_hz, subgroup_width, dtypes, matrix_units, unified_memory, facts)
WHICHGPU_FIELDS(DeviceNode, path, exists, openable, open_error, open_to)
WHICHGPU_FIELDS(PcieLink, generation, lanes, max_generation, max_lanes)
WHICHGPU_FIELDS(Cache, level, type, size_bytes, shared_by, instances)
WHICHGPU_FIELDS(Processor, packages, cores, threads, usable_threads, quota_cores, memory_limit_bytes,
                numa_nodes, governor, caches, features)
WHICHGPU_FIELDS(HardwareDevice, source, identity, name, vendor, kind, architecture, kernel_driver, nodes,
                memory_total_bytes, memory_free_bytes, vram_bytes, gtt_bytes, pcie, numa_node, removable,
                processor, facts)
WHICHGPU_FIELDS(DeviceMemory, total_bytes, free_bytes, usable_bytes, gtt_bytes)

// A view's JSON is its runtime device with two keys more.
template <class V, Is<View> S>
void Fields(V& v, S& s) {
  Fields(v, s.device);
  v("matched_by", s.matched_by);
  v("environment_hidden", s.environment_hidden);
}

WHICHGPU_FIELDS(Conflict, field, module, value)
WHICHGPU_FIELDS(UsableBy, target, how)
WHICHGPU_FIELDS(NotMeasurable, what, family, reason, runtime, drivers, programs, page)
WHICHGPU_FIELDS(PhysicalDevice, id, name, vendor, kind, memory, hardware, views, parent_id, conflicts,
                not_measurable)
WHICHGPU_FIELDS(Library, soname, path, version)
WHICHGPU_FIELDS(DriverReport, manifest, name, version, library, outcome, stage, error, elapsed_s)
WHICHGPU_FIELDS(EnvironmentVariable, name, value)
WHICHGPU_FIELDS(ProcessExit, code, signal)
WHICHGPU_FIELDS(ProbeReport, format, module, outcome, stage, error, library, drivers, devices, hardware,
                environment, warnings, elapsed_s, exit, stderr_tail)
WHICHGPU_FIELDS(OsRelease, id, id_like, version_id, variant_id, codename, parent_codename)
WHICHGPU_FIELDS(StageEntered, stage)
WHICHGPU_FIELDS(Warning, text)
WHICHGPU_FIELDS(Failure, outcome, error)

// {"event": "device", "value": {...}}; events are named after the alternatives of ProbeEvent.
[[nodiscard]] Json EncodeEvent(const ProbeEvent& event);
[[nodiscard]] Result<ProbeEvent> DecodeEvent(const Json& json);

extern template struct Codec<ProbeReport>;
extern template struct Codec<PhysicalDevice>;
extern template struct Codec<RuntimeDevice>;
extern template struct Codec<HardwareDevice>;

}  // namespace probe
