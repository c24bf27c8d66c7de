// SPDX-License-Identifier: MIT
// What the parts of the fake loader of the Unified Runtime share. Its Level Zero devices are those of
// tests/fakes/level_zero, to which all variables apply; a scenario's device of type "cpu" is its OpenCL
// adapter's.
#pragma once

#include <cstdint>
#include <vector>

#include "probe/sycl/sycl_declarations.h"
#include "tests/fakes/level_zero/objects.h"

#define FAKE_UR extern "C" [[gnu::visibility("default")]] std::uint32_t

namespace fakes::sycl {

namespace ur = probe::sycl;
using level_zero::Event;
using level_zero::Get;
using level_zero::GetOfDriver;
using level_zero::Kernel;
using level_zero::Module;
using level_zero::Slot;

struct Platform {
  std::uint32_t backend = 0;
  const char* name = "";
  std::vector<const Slot*> slots;
};
struct Adapter {
  std::vector<const Platform*> platforms;
};
// Those that have devices.
[[nodiscard]] const std::vector<const Adapter*>& Adapters();

// Of a handle that the fake gave; nullptr for any other.
[[nodiscard]] const Slot* SlotOf(const void* handle);
[[nodiscard]] bool IsProcessor(const Slot& slot);

// Set once a launch found the device lost or faulted; every later call returns it.
[[nodiscard]] std::uint32_t& Broken();
// The code that a call at this point of the device returns.
[[nodiscard]] std::uint32_t CodeAt(Point point, const Slot* slot);

// The convention of lists: a count, or as many entries as there is room for.
template <class Handle, class Entry>
std::uint32_t Reply(const std::vector<const Entry*>& all, std::uint32_t room, Handle* handles,
                    std::uint32_t* count) {
  if (count != nullptr) *count = static_cast<std::uint32_t>(all.size());
  if (handles == nullptr) return ur::kUrSuccess;
  for (std::uint32_t i = 0; i < room && i < all.size(); ++i)
    handles[i] = reinterpret_cast<Handle>(const_cast<Entry*>(all[i]));
  return ur::kUrSuccess;
}

// What a call made; nothing, where the scenario wants a success without it.
enum class Makes : std::uint8_t { kContext = 1, kQueue, kMemory, kHost, kProgram, kKernel };
template <class T>
T* Given(Makes call, T* made) {
  return GetOfDriver("gives_nothing", 0) == static_cast<int>(call) ? nullptr : made;
}

// Runs it on the queue, at once.
[[nodiscard]] std::uint32_t LaunchOn(ur::UrQueue queue, Kernel& kernel, std::uint32_t dimensions,
                                     const std::size_t* global, const std::size_t* local, ur::UrEvent* event);
[[nodiscard]] std::uint32_t SetArgument(Kernel& kernel, std::uint32_t index, std::size_t size,
                                        const void* value);

}  // namespace fakes::sycl
