// SPDX-License-Identifier: MIT
// The scenario as Metal shows it, and what the parts of the fake share.
//
// Attributes that the scenario may give. Of a device: apple_family (default 7; 0 is no GPU of Apple's), mac2,
// metal4, gpu_cores (-1: a word), location, low_power, headless, removable. Of the driver: macos (its major
// version, default 15, 11 at least: from 14 on a device has an architecture and the language a version 3.1,
// with bfloat), tells_no_sizes (neither of buffers nor of the working set), compiler_refuses (every source),
// internal_error (what a command buffer's error of code 1 says: 1 that it impacted interactivity, 2 that it
// is the innocent victim of another's, 3 something new).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/fakes/common/device_memory.h"
#include "tests/fakes/metal/objects.h"

namespace fakes::metal {

struct DeviceObject : Object {
  DeviceObject(ClassObject* type, const Device& given_scenario, std::uint32_t given_index)
      : Object(type), scenario(given_scenario), index(given_index) {}
  const Device& scenario;
  std::uint32_t index;
  std::uint32_t launches = 0;
  Integer broken = 0;  // the code with which its command buffers end from now on
};

struct BufferObject : Object {
  BufferObject(DeviceObject& given_device, DeviceAddress given_address, std::uint64_t given_bytes,
               bool given_shared);
  void Empty() override;
  DeviceObject& device;
  DeviceAddress address;
  std::uint64_t bytes;
  bool shared;
};

// What a kernel asks for at a place: a buffer's address, a number of some bytes, or a group's memory.
struct Parameter {
  enum class Kind { kBuffer, kNumber, kGroupMemory } kind;
  UInteger place;
};
struct Entry {
  std::string name;
  std::vector<Parameter> parameters;
};
struct PipelineObject : Object {
  PipelineObject(DeviceObject& given_device, Entry given_entry);
  DeviceObject& device;
  Entry entry;
};

[[nodiscard]] std::int64_t Get(const Device& device, const std::string& attribute, std::int64_t otherwise);
[[nodiscard]] std::int64_t GetOfDriver(const std::string& attribute, std::int64_t otherwise);
inline constexpr std::int64_t kMacosOfBfloat = 14;
[[nodiscard]] std::int64_t Macos();
// So that objc_getClass knows it.
void NameCompileOptions();

// Methods of a device, of the other files.
[[nodiscard]] rt::Id NewQueue(DeviceObject* device, Sel);
[[nodiscard]] rt::Id NewBuffer(DeviceObject* device, Sel, UInteger bytes, UInteger options);
[[nodiscard]] rt::Id NewLibrary(DeviceObject* device, Sel, rt::Id source, rt::Id options, rt::Id* error);
[[nodiscard]] rt::Id NewPipeline(DeviceObject* device, Sel, rt::Id function, rt::Id* error);

}  // namespace fakes::metal
