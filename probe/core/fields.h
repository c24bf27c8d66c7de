// SPDX-License-Identifier: MIT
// The field lists of the detection types, for codec.h.
#pragma once

#include <concepts>

#include "probe/core/codec.h"
#include "probe/core/report.h"

namespace probe {

template <class S, class T>
concept Is = std::same_as<std::remove_const_t<S>, T>;

template <class V, Is<Error> S>
void Fields(V& v, S& s) {
  v("call", s.call);
  v("code", s.code);
  v("name", s.name);
  v("text", s.text);
}

template <class V, Is<PciIds> S>
void Fields(V& v, S& s) {
  v("vendor", s.vendor);
  v("device", s.device);
  v("subsystem_vendor", s.subsystem_vendor);
  v("subsystem_device", s.subsystem_device);
  v("revision", s.revision);
}

template <class V, Is<Identity> S>
void Fields(V& v, S& s) {
  v("pci", s.pci);
  v("uuid", s.uuid);
  v("driver_uuid", s.driver_uuid);
  v("ids", s.ids);
  v("partition", s.partition);
}

template <class V, Is<Fact> S>
void Fields(V& v, S& s) {
  v("key", s.key);
  v("value", s.value);
}

template <class V, Is<RuntimeDevice> S>
void Fields(V& v, S& s) {
  v("runtime", s.runtime);
  v("driver", s.driver);
  v("manifest", s.manifest);
  v("ordinal", s.ordinal);
  v("identity", s.identity);
  v("name", s.name);
  v("vendor", s.vendor);
  v("kind", s.kind);
  v("architecture", s.architecture);
  v("api_version", s.api_version);
  v("driver_version", s.driver_version);
  v("memory_total_bytes", s.memory_total_bytes);
  v("memory_free_bytes", s.memory_free_bytes);
  v("compute_units", s.compute_units);
  v("clock_max_hz", s.clock_max_hz);
  v("subgroup_width", s.subgroup_width);
  v("dtypes", s.dtypes);
  v("matrix_units", s.matrix_units);
  v("unified_memory", s.unified_memory);
  v("facts", s.facts);
}

template <class V, Is<DeviceNode> S>
void Fields(V& v, S& s) {
  v("path", s.path);
  v("exists", s.exists);
  v("openable", s.openable);
  v("open_error", s.open_error);
}

template <class V, Is<PcieLink> S>
void Fields(V& v, S& s) {
  v("generation", s.generation);
  v("lanes", s.lanes);
  v("max_generation", s.max_generation);
  v("max_lanes", s.max_lanes);
}

template <class V, Is<Cache> S>
void Fields(V& v, S& s) {
  v("level", s.level);
  v("type", s.type);
  v("size_bytes", s.size_bytes);
  v("shared_by", s.shared_by);
  v("instances", s.instances);
}

template <class V, Is<Processor> S>
void Fields(V& v, S& s) {
  v("packages", s.packages);
  v("cores", s.cores);
  v("threads", s.threads);
  v("usable_threads", s.usable_threads);
  v("quota_cores", s.quota_cores);
  v("memory_limit_bytes", s.memory_limit_bytes);
  v("numa_nodes", s.numa_nodes);
  v("governor", s.governor);
  v("caches", s.caches);
  v("features", s.features);
}

template <class V, Is<HardwareDevice> S>
void Fields(V& v, S& s) {
  v("source", s.source);
  v("identity", s.identity);
  v("name", s.name);
  v("vendor", s.vendor);
  v("kind", s.kind);
  v("architecture", s.architecture);
  v("kernel_driver", s.kernel_driver);
  v("nodes", s.nodes);
  v("memory_total_bytes", s.memory_total_bytes);
  v("memory_free_bytes", s.memory_free_bytes);
  v("vram_bytes", s.vram_bytes);
  v("gtt_bytes", s.gtt_bytes);
  v("pcie", s.pcie);
  v("numa_node", s.numa_node);
  v("removable", s.removable);
  v("processor", s.processor);
  v("facts", s.facts);
}

template <class V, Is<DeviceMemory> S>
void Fields(V& v, S& s) {
  v("total_bytes", s.total_bytes);
  v("free_bytes", s.free_bytes);
  v("usable_bytes", s.usable_bytes);
  v("gtt_bytes", s.gtt_bytes);
}

// A view's JSON is its runtime device with two keys more.
template <class V, Is<View> S>
void Fields(V& v, S& s) {
  Fields(v, s.device);
  v("matched_by", s.matched_by);
  v("environment_hidden", s.environment_hidden);
}

template <class V, Is<Conflict> S>
void Fields(V& v, S& s) {
  v("field", s.field);
  v("module", s.module);
  v("value", s.value);
}

template <class V, Is<PhysicalDevice> S>
void Fields(V& v, S& s) {
  v("id", s.id);
  v("name", s.name);
  v("vendor", s.vendor);
  v("kind", s.kind);
  v("memory", s.memory);
  v("hardware", s.hardware);
  v("views", s.views);
  v("parent_id", s.parent_id);
  v("conflicts", s.conflicts);
}

template <class V, Is<Library> S>
void Fields(V& v, S& s) {
  v("soname", s.soname);
  v("path", s.path);
  v("version", s.version);
}

template <class V, Is<DriverReport> S>
void Fields(V& v, S& s) {
  v("manifest", s.manifest);
  v("name", s.name);
  v("version", s.version);
  v("library", s.library);
  v("outcome", s.outcome);
  v("stage", s.stage);
  v("error", s.error);
  v("elapsed_s", s.elapsed_s);
}

template <class V, Is<EnvironmentVariable> S>
void Fields(V& v, S& s) {
  v("name", s.name);
  v("value", s.value);
}

template <class V, Is<ProcessExit> S>
void Fields(V& v, S& s) {
  v("code", s.code);
  v("signal", s.signal);
}

template <class V, Is<ProbeReport> S>
void Fields(V& v, S& s) {
  v("format", s.format);
  v("module", s.module);
  v("outcome", s.outcome);
  v("stage", s.stage);
  v("error", s.error);
  v("library", s.library);
  v("drivers", s.drivers);
  v("devices", s.devices);
  v("hardware", s.hardware);
  v("environment", s.environment);
  v("warnings", s.warnings);
  v("elapsed_s", s.elapsed_s);
  v("exit", s.exit);
  v("stderr_tail", s.stderr_tail);
}

template <class V, Is<StageEntered> S>
void Fields(V& v, S& s) {
  v("stage", s.stage);
}

template <class V, Is<Warning> S>
void Fields(V& v, S& s) {
  v("text", s.text);
}

template <class V, Is<Failure> S>
void Fields(V& v, S& s) {
  v("outcome", s.outcome);
  v("error", s.error);
}

// {"event": "device", "value": {...}}; events are named after the alternatives of ProbeEvent.
[[nodiscard]] Json EncodeEvent(const ProbeEvent& event);
[[nodiscard]] Result<ProbeEvent> DecodeEvent(const Json& json);

extern template struct Codec<ProbeReport>;
extern template struct Codec<PhysicalDevice>;
extern template struct Codec<RuntimeDevice>;
extern template struct Codec<HardwareDevice>;

}  // namespace probe
