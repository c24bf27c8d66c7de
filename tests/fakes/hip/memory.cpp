// SPDX-License-Identifier: MIT
// Memory, copies and events of the fake libamdhip64.
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "tests/fakes/common/device_memory.h"
#include "tests/fakes/common/launch.h"
#include "tests/fakes/common/misbehave.h"
#include "tests/fakes/hip/state.h"

namespace fakes::hip {
namespace {

const std::chrono::steady_clock::time_point kStart = std::chrono::steady_clock::now();

struct Event {
  bool recorded = false;
  std::uint64_t nanoseconds = 0;
};

std::size_t FreeBytes() {
  const Device& self = CurrentSlot()->self();
  const std::size_t most = self.memory_free_bytes.value_or(self.memory_total_bytes);
  return most > ReservedBytes() ? most - ReservedBytes() : 0;
}

}  // namespace
}  // namespace fakes::hip

using namespace fakes::hip;  // NOLINT: the entry points below are C
using fakes::Point;

FAKE_HIP hipMemGetInfo(std::size_t* free, std::size_t* total) {
  if (CurrentSlot() == nullptr) return Fail(kNoDevice);
  if (const auto code = GetOfDriver("memory_info", 0); code != 0) return static_cast<int>(code);
  *free = FreeBytes();
  *total = CurrentSlot()->self().memory_total_bytes;
  return kSuccess;
}
FAKE_HIP hipMalloc(rt::HipPointer* pointer, std::size_t bytes) {
  if (const int code = Usable(Point::kAllocate); code != kSuccess) return code;
  if (bytes == 0) return Fail(kInvalidValue);
  if (bytes > FreeBytes() || bytes > CurrentSlot()->self().allocation_limit_bytes.value_or(UINT64_MAX)) {
    return Fail(kOutOfMemory);
  }
  *pointer = std::bit_cast<void*>(fakes::ReserveMemory(bytes));
  return *pointer == nullptr ? kOutOfMemory : kSuccess;
}
FAKE_HIP hipFree(rt::HipPointer pointer) {
  if (CurrentSlot() != nullptr) fakes::ReachTeardown(CurrentSlot()->index);
  return pointer == nullptr || fakes::ReleaseMemory(AddressOf(pointer)) ? kSuccess : kInvalidValue;
}
FAKE_HIP hipHostMalloc(void** pointer, std::size_t bytes, unsigned int) {
  if (const int code = Usable(Point::kAllocate); code != kSuccess) return code;
  const auto most = static_cast<std::size_t>(GetOfDriver("pinned_bytes", INT64_MAX));
  *pointer = bytes > most ? nullptr : std::malloc(bytes);
  return *pointer == nullptr ? kOutOfMemory : kSuccess;
}
FAKE_HIP hipHostFree(void* pointer) {
  std::free(pointer);
  const auto code = static_cast<int>(GetOfDriver("host_free", 0));
  return code == 0 ? kSuccess : Fail(code);
}
FAKE_HIP hipMemcpy(void* to, const void* from, std::size_t bytes, int kind) {
  const bool back = kind == rt::kHipDeviceToHost;
  if (const int code = back ? Usable(Point::kReadBack) : Broken(); code != kSuccess) return code;
  if (kind != rt::kHipHostToDevice && !back) return Fail(kInvalidValue);
  const auto memory = fakes::MemoryAt(AddressOf(back ? from : to));
  if (memory.size() < bytes) return Fail(kInvalidValue);
  if (back) {
    std::memcpy(to, memory.data(), bytes);
  } else {
    std::memcpy(memory.data(), from, bytes);
  }
  return kSuccess;
}
FAKE_HIP hipEventCreateWithFlags(rt::HipEvent* event, unsigned int) {
  if (CurrentSlot() == nullptr) return Fail(kNoDevice);
  *event = reinterpret_cast<rt::HipEvent>(new Event());
  return kSuccess;
}
FAKE_HIP hipEventRecord(rt::HipEvent event, rt::HipStream) {
  if (CurrentSlot() == nullptr) return Fail(kNoDevice);
  *reinterpret_cast<Event*>(event) = {true, fakes::EventTime(*CurrentSlot()->gpu, kStart)};
  return Broken();
}
FAKE_HIP hipEventElapsedTime(float* milliseconds, rt::HipEvent from, rt::HipEvent to) {
  const auto* a = reinterpret_cast<const Event*>(from);
  const auto* b = reinterpret_cast<const Event*>(to);
  if (!a->recorded || !b->recorded) return kNotReady;
  *milliseconds = static_cast<float>(static_cast<double>(b->nanoseconds - a->nanoseconds) * 1e-6);
  return kSuccess;
}
