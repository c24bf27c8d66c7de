// SPDX-License-Identifier: MIT
// The objects behind the fake's Vulkan handles, and the tables of its entry points. All memory is host
// memory; commands are recorded as functions and run inside vkQueueSubmit; a dispatch computes nothing.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#define VK_NO_PROTOTYPES
#include <vulkan/vk_icd.h>

#include "tests/fakes/common/host_memory.h"
#include "tests/fakes/common/misbehave.h"
#include "tests/fakes/common/scenario.h"

namespace fakes::vulkan {

using Clock = std::chrono::steady_clock;

// The loader requires its own word at the start of every dispatchable object.
struct Dispatchable {
  VK_LOADER_DATA loader{ICD_LOADER_MAGIC};
};

struct PhysicalDevice : Dispatchable {
  explicit PhysicalDevice(std::uint32_t place) : index(place), facts(Current().devices[place]) {}
  std::uint32_t index;
  const fakes::Device& facts;
};

struct Instance : Dispatchable {
  std::vector<std::unique_ptr<PhysicalDevice>> devices;
};

struct Device;
struct Queue : Dispatchable {
  Device* device = nullptr;
};

struct Device : Dispatchable {
  explicit Device(const PhysicalDevice& physical) : index(physical.index), facts(physical.facts) {
    queue.device = this;
  }
  std::uint32_t index;
  const fakes::Device& facts;
  Queue queue;
  std::uint64_t allocated_bytes = 0;
  std::uint32_t launches = 0;
  bool lost = false;
  Clock::time_point start = Clock::now();
};

struct Memory {
  explicit Memory(std::size_t bytes) : host(bytes) {}
  HostMemory host;
};

struct Buffer {
  std::uint64_t bytes = 0;
  std::byte* data = nullptr;  // null until memory is bound
};

struct BufferView {
  Buffer* buffer = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

// Only what a dispatch may write to is kept.
struct DescriptorSet {
  std::map<std::uint32_t, std::span<std::byte>> writable;
};

struct DescriptorPool {
  std::vector<std::unique_ptr<DescriptorSet>> sets;
};

struct Fence {
  bool signalled = false;
};

struct QueryPool {
  std::vector<std::optional<std::uint64_t>> values;
};

struct CommandBuffer : Dispatchable {
  Device* device = nullptr;
  std::map<std::uint32_t, DescriptorSet*> sets;
  std::vector<std::function<void()>> commands;
};

struct CommandPool {
  std::vector<std::unique_ptr<CommandBuffer>> buffers;
};

// Objects that only have to exist.
struct Nothing {};

template <class T, class Handle>
[[nodiscard]] T* From(Handle handle) {
  return reinterpret_cast<T*>(handle);
}
template <class Handle, class T>
[[nodiscard]] Handle To(T* object) {
  return reinterpret_cast<Handle>(object);
}

// VK_SUCCESS, or the error that the scenario wants at this point.
[[nodiscard]] VkResult At(Point point, std::optional<std::uint32_t> device = std::nullopt);

// The two-call idiom of Vulkan's enumerations.
template <class T>
VkResult Fill(std::span<const T> items, std::uint32_t* count, T* out) {
  const auto available = static_cast<std::uint32_t>(items.size());
  if (out == nullptr) {
    *count = available;
    return VK_SUCCESS;
  }
  const std::uint32_t copied = std::min(*count, available);
  std::copy_n(items.begin(), copied, out);
  *count = copied;
  return copied < available ? VK_INCOMPLETE : VK_SUCCESS;
}

inline constexpr std::uint64_t kHostHeapBytes = std::uint64_t{16} << 30U;

// A text that does not fit fills the field to its last byte, without an end: what a careless driver does.
template <std::size_t N>
void SetText(char (&out)[N], std::string_view text) {
  std::memset(out, 0, N);
  text.copy(out, N);
}

// Fills every structure of a pNext chain that the fake knows.
void FillChain(const fakes::Device& facts, void* chain);

struct Entry {
  const char* name;
  PFN_vkVoidFunction function;
};

// The signature is checked against the header; the name is the header's without its prefix.
#define FAKE_VK_ENTRY(name, function)                                                        \
  ::fakes::vulkan::Entry {                                                                   \
    "vk" #name, reinterpret_cast<PFN_vkVoidFunction>(static_cast<PFN_vk##name>(&(function))) \
  }

[[nodiscard]] std::span<const Entry> PhysicalDeviceEntries();
[[nodiscard]] std::span<const Entry> ObjectEntries();   // device, queue, memory, descriptors, pipelines
[[nodiscard]] std::span<const Entry> CommandEntries();  // command buffers, submission, fences, queries

// Exported here because vkCreateDevice belongs to the physical device and to the objects.
VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkDevice* out);

}  // namespace fakes::vulkan
