// SPDX-License-Identifier: MIT
// What the parts of the fake loader share.
#pragma once

#include <cstdint>

#include "probe/level_zero/level_zero_declarations.h"
#include "tests/fakes/common/scenario.h"
#include "tests/fakes/level_zero/machine.h"

#define FAKE_ZE extern "C" [[gnu::visibility("default")]] std::uint32_t

namespace fakes::level_zero {

namespace rt = probe::level_zero;

// Whether the drivers were started; calls before that crash the real loader.
[[nodiscard]] bool& IsStarted();
// Set once a launch found the device lost or faulted; every later call returns it.
[[nodiscard]] std::uint32_t& Broken();
// The code that a call at this point of the device returns.
[[nodiscard]] std::uint32_t Usable(Point point, const Slot* slot);

// The convention of lists: a count alone is told, else as many entries are written as there is room for.
template <class Write>
std::uint32_t Reply(std::uint32_t* count, bool wants_entries, std::uint32_t there, const Write& write) {
  if (!wants_entries || *count == 0) {
    *count = there;
    return rt::kZeSuccess;
  }
  *count = *count < there ? *count : there;
  for (std::uint32_t i = 0; i < *count; ++i) write(i);
  return rt::kZeSuccess;
}

// What a call made; nothing, where the scenario wants a success without it.
enum class Makes : std::uint8_t {
  kContext = 1,
  kQueue,
  kList,
  kPool,
  kEvent,
  kMemory,
  kHost,
  kModule,
  kKernel
};
template <class T>
T* Given(Makes call, T* made) {
  return GetOfDriver("gives_nothing", 0) == static_cast<int>(call) ? nullptr : made;
}

[[nodiscard]] inline std::uint64_t AddressOf(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

}  // namespace fakes::level_zero
