// SPDX-License-Identifier: MIT
// What the parts of the fake libamdhip64 share: codes, the current device and what is broken.
#pragma once

#include <cstdint>
#include <optional>

#include "probe/hip/hip_declarations.h"
#include "tests/fakes/common/scenario.h"
#include "tests/fakes/hip/machine.h"

#define FAKE_HIP extern "C" [[gnu::visibility("default")]] int

namespace fakes::hip {

namespace rt = probe::hip;

// enum hipError_t.
inline constexpr int kSuccess = 0;
inline constexpr int kInvalidValue = 1;
inline constexpr int kOutOfMemory = 2;
inline constexpr int kNoDevice = 100;
inline constexpr int kInvalidDevice = 101;
inline constexpr int kInvalidImage = 200;
inline constexpr int kNoBinaryForGpu = 209;
inline constexpr int kNotFound = 500;
inline constexpr int kNotReady = 600;
inline constexpr int kIllegalAddress = 700;
inline constexpr int kLaunchOutOfResources = 701;
inline constexpr int kLaunchFailed = 719;

[[nodiscard]] const Slot* SlotAt(int device);
// Of hipSetDevice; the first without it, as in HIP. nullptr without any device.
[[nodiscard]] const Slot* CurrentSlot();
void SetCurrent(int device);
// What hipGetLastError tells: as since ROCm 7, the last error that a call returned, until it is asked for.
[[nodiscard]] int& LastError();
inline int Fail(int code) { return LastError() = code; }
// Set once a launch found the device lost or faulted; every later call returns it.
[[nodiscard]] int& Broken();
// The code that a call at this point of the current device returns.
[[nodiscard]] int Usable(Point point);

// HIP gives addresses of a device as pointers.
[[nodiscard]] inline std::uint64_t AddressOf(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

}  // namespace fakes::hip
