// SPDX-License-Identifier: MIT
// What a probe module is: one constant of function pointers and names. The registry is generated from the
// lists in the root CMakeLists.txt; nothing else names a module.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/report.h"

namespace probe::system {
class Environment;
class FileSystem;
}  // namespace probe::system

namespace probe {

enum class ModuleKind { kRuntime, kHardware };

struct ProbeContext {
  const system::FileSystem& files;  // rooted at the sysroot
  const system::Environment& environment;
  std::optional<std::string> manifest;  // ask only the driver that this file registers
  ProbeSink sink;
};

// A compile cache of a driver: the variable that says where it is or how large it may grow.
struct DriverCache {
  std::string_view variable;
  std::string_view value;  // the folder's name below our cache directory, or the value itself
  bool is_folder = true;
  bool is_executed = false;  // libraries lie in it, which are of no use where nothing may be executed
};

struct Module {
  std::string_view name;   // in options and JSON, e.g. vulkan
  std::string_view title;  // for people, e.g. Vulkan
  ModuleKind kind = ModuleKind::kRuntime;
  // PCI number of the vendor whose GPUs it sets up one after the other: where there are several it has more
  // time.
  std::uint32_t gpu_vendor = 0;
  bool loads_vendor_code = true;  // false: reads files only, so it also runs under --sysroot
  // Variables that hide, reorder or replace this runtime's devices.
  std::span<const std::string_view> visibility_variables;
  // Sonames that it loads, in its order of trying; a change of those files is a change of the runtime.
  std::span<const std::string_view> libraries;
  // Of its drivers; two modules may name the same.
  std::span<const DriverCache> caches;
  // Whether the probe would load and open nothing on this machine, because what it needs is not there: then
  // it only reads files. nullptr: it always may.
  bool (*loads_nothing)(const ProbeContext&) = nullptr;
  // Whether its library is there, whatever devices are; nullptr: by `libraries` in the usual places.
  bool (*is_installed)(const ProbeContext&) = nullptr;
  // Beginnings of the names below /dev through which its drivers reach hardware. Empty: not known.
  std::span<const std::string_view> device_nodes;
  // Enumerates and emits events; returns when done. Runs in a child process, its own where it may load
  // vendor code.
  void (*probe)(const ProbeContext&) = nullptr;
  // Seconds that the probe of an ordinary machine takes, where that is long: such children start first.
  double usual_s = 0;
  // Manifests of the installed drivers, found without loading or reading any; nullptr where a runtime has
  // none.
  std::vector<std::string> (*manifests)(const ProbeContext&) = nullptr;
  // Variables that make the runtime's loader see the driver of this manifest alone.
  std::vector<EnvironmentVariable> (*restrict_to)(std::string_view manifest) = nullptr;
};

}  // namespace probe
