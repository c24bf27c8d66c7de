// SPDX-License-Identifier: MIT
// The objects behind the fake's OpenCL handles, and what its files share. All memory is host memory; a
// command has run when its enqueue returns; a kernel computes nothing.
//
// Attributes of a device that the scenario may give: lazy_memory (1: a buffer's is found as it is first
// used), lost_after_writes (how many buffers are written before it is), fault_shows (where a kernel that
// faulted is told of: 0 at its enqueue, 1 at clFinish, 2 in its event alone).
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_icd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fakes/common/host_memory.h"
#include "tests/fakes/common/misbehave.h"
#include "tests/fakes/common/scenario.h"

namespace fakes::opencl {

using Clock = std::chrono::steady_clock;

// Every entry is a function: those that the fake implements, and for the rest one that says
// CL_INVALID_OPERATION.
[[nodiscard]] cl_icd_dispatch& Dispatch();
void AddPlatform(cl_icd_dispatch& table);  // platform and devices
void AddObjects(cl_icd_dispatch& table);   // contexts, buffers, programs, kernels
void AddCommands(cl_icd_dispatch& table);  // queues, commands, events

// The loader requires the table's address at the start of every object.
struct Object {
  cl_icd_dispatch* dispatch = &Dispatch();
  cl_uint references = 1;
};

struct Platform : Object {};

struct Device : Object {
  explicit Device(std::uint32_t place) : index(place), facts(Current().devices[place]) {}
  std::uint32_t index;
  const fakes::Device& facts;
  std::uint64_t allocated_bytes = 0;
  std::uint32_t launches = 0;
  std::int64_t writes = 0;
  bool faulted = false;  // and nobody was told yet
  bool lost = false;
  Clock::time_point start = Clock::now();
};

struct Context : Object {
  std::vector<Device*> devices;
};

struct Queue : Object {
  Context* context = nullptr;
  Device* device = nullptr;
  cl_command_queue_properties properties = 0;
};

struct Buffer : Object {
  Buffer() { Living().insert(this); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { Living().erase(this); }

  // Tells a buffer given as a kernel's argument from a scalar of the same size.
  static std::set<const Buffer*>& Living() {
    static std::set<const Buffer*> living;
    return living;
  }

  Context* context = nullptr;
  cl_mem_flags flags = 0;
  std::unique_ptr<HostMemory> own;  // none with CL_MEM_USE_HOST_PTR, nor in a part of another buffer
  std::span<std::byte> bytes;
  bool charged = false;  // the device has memory for it
};

// Where a device tells that a kernel faulted (attribute "fault_shows").
enum class FaultShows { kAtEnqueue, kAtFinish, kInEvent };
[[nodiscard]] FaultShows FaultShowsIn(const Device& device);
// Before a command uses the buffer: finds memory for it where that was not done as it was made (attribute
// "lazy_memory").
[[nodiscard]] cl_int Touch(Buffer& buffer);

struct Program : Object {
  Context* context = nullptr;
  std::string source;
  bool built = false;
};

struct Kernel : Object {
  Program* program = nullptr;
  std::string name;
  std::set<cl_uint> arguments;
  std::map<cl_uint, Buffer*> buffers;  // those of the arguments that are buffers
};

struct Event : Object {
  Queue* queue = nullptr;  // none for a user event
  cl_command_type command = CL_COMMAND_MARKER;
  cl_int status = CL_COMPLETE;
  cl_ulong begin_ns = 0;
  cl_ulong end_ns = 0;
};

template <class T, class Handle>
[[nodiscard]] T* From(Handle handle) {
  return reinterpret_cast<T*>(handle);
}
template <class Handle, class T>
[[nodiscard]] Handle To(T* object) {
  return reinterpret_cast<Handle>(object);
}

template <class T, class Handle>
cl_int CL_API_CALL Retain(Handle handle) {
  ++From<T>(handle)->references;
  return CL_SUCCESS;
}
template <class T, class Handle>
cl_int CL_API_CALL Release(Handle handle) {
  if (--From<T>(handle)->references == 0) delete From<T>(handle);
  return CL_SUCCESS;
}

[[nodiscard]] Platform& ThePlatform();
[[nodiscard]] std::span<const std::unique_ptr<Device>> Devices();

// CL_SUCCESS, or the error that the scenario wants at this point.
[[nodiscard]] cl_int At(Point point, std::optional<std::uint32_t> device = std::nullopt);

// Answers to the clGet…Info calls of one object: parameter -> the value's bytes.
using Answers = std::map<cl_uint, std::string>;

template <class T>
[[nodiscard]] std::string Bytes(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}
template <class T>
[[nodiscard]] std::string Bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}
[[nodiscard]] inline std::string Text(std::string_view text) { return std::string(text) + '\0'; }

// The clGet…Info convention: CL_INVALID_VALUE for an unknown parameter or too small a space.
cl_int Reply(const Answers& answers, cl_uint parameter, std::size_t space, void* value, std::size_t* needed);

// Stores the code where the caller wants it and returns the handle, null on an error.
template <class Handle>
Handle Return(cl_int code, Handle handle, cl_int* error) {
  if (error != nullptr) *error = code;
  return code == CL_SUCCESS ? handle : nullptr;
}

}  // namespace fakes::opencl
