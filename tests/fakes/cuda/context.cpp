// SPDX-License-Identifier: MIT
// Contexts, memory, copies and events of the fake libcuda.
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "tests/fakes/common/device_memory.h"
#include "tests/fakes/common/launch.h"
#include "tests/fakes/common/misbehave.h"
#include "tests/fakes/cuda/state.h"

namespace fakes::cuda {
namespace {

const Slot* current = nullptr;
std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

struct Event {
  bool recorded = false;
  std::uint64_t nanoseconds = 0;
};

std::size_t FreeBytes() {
  const Device& self = current->self();
  const std::size_t most = self.memory_free_bytes.value_or(self.memory_total_bytes);
  const std::size_t taken = ReservedBytes(current->index);
  return most > taken ? most - taken : 0;
}

int Usable(Point point) {
  if (current == nullptr) return kInvalidContext;
  if (Broken() != kSuccess) return Broken();
  return Ready(point, current->index);
}

}  // namespace

const Slot* CurrentSlot() { return current; }

int& Broken() {
  static int code = kSuccess;
  return code;
}

}  // namespace fakes::cuda

using namespace fakes::cuda;  // NOLINT: the entry points below are C
using fakes::Point;

FAKE_CUDA cuDevicePrimaryCtxRetain(nv::CuContext* context, nv::CuDevice device) {
  const Slot* slot = SlotOf(device);
  if (slot == nullptr) return kInvalidDevice;
  *context = reinterpret_cast<nv::CuContext>(const_cast<Slot*>(slot));
  return Ready(Point::kCreate, slot->index);
}
FAKE_CUDA cuCtxSetCurrent(nv::CuContext context) {
  current = reinterpret_cast<const Slot*>(context);
  return kSuccess;
}
FAKE_CUDA cuCtxSynchronize() { return current == nullptr ? kInvalidContext : Broken(); }
FAKE_CUDA cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  if (current == nullptr) return kInvalidContext;
  *free = FreeBytes();
  *total = current->self().memory_total_bytes;
  return kSuccess;
}
FAKE_CUDA cuMemAlloc_v2(nv::CuPointer* pointer, std::size_t bytes) {
  if (const int code = Usable(Point::kAllocate); code != kSuccess) return code;
  if (bytes == 0) return kInvalidValue;
  if (bytes > FreeBytes() || bytes > current->self().allocation_limit_bytes.value_or(UINT64_MAX))
    return kOutOfMemory;
  *pointer = fakes::ReserveMemory(bytes, current->index);
  return *pointer == 0 ? kOutOfMemory : kSuccess;
}
FAKE_CUDA cuMemFree_v2(nv::CuPointer pointer) {
  if (current != nullptr) fakes::ReachTeardown(current->index);
  return fakes::ReleaseMemory(pointer) ? kSuccess : kInvalidValue;
}
FAKE_CUDA cuMemHostAlloc(void** memory, std::size_t bytes, unsigned int) {
  if (const int code = Usable(Point::kAllocate); code != kSuccess) return code;
  const auto most = static_cast<std::size_t>(GetOfDriver("pinned_bytes", INT64_MAX));
  *memory = bytes > most ? nullptr : std::malloc(bytes);
  return *memory == nullptr ? kOutOfMemory : kSuccess;
}
FAKE_CUDA cuMemFreeHost(void* memory) {
  std::free(memory);
  return kSuccess;
}
FAKE_CUDA cuMemcpyHtoD_v2(nv::CuPointer to, const void* from, std::size_t bytes) {
  if (const int code = current == nullptr ? kInvalidContext : Broken(); code != kSuccess) return code;
  const auto memory = fakes::MemoryAt(to);
  if (memory.size() < bytes) return kInvalidValue;
  if (bytes >= static_cast<std::size_t>(Get(*current->gpu, "lost_at_upload_bytes", INT64_MAX)))
    return Broken() = kLaunchFailed;
  std::memcpy(memory.data(), from, bytes);
  return kSuccess;
}
FAKE_CUDA cuMemcpyDtoH_v2(void* to, nv::CuPointer from, std::size_t bytes) {
  if (const int code = Usable(Point::kReadBack); code != kSuccess) return code;
  const auto memory = fakes::MemoryAt(from);
  if (memory.size() < bytes) return kInvalidValue;
  std::memcpy(to, memory.data(), bytes);
  return kSuccess;
}
FAKE_CUDA cuEventCreate(nv::CuEvent* event, unsigned int) {
  if (current == nullptr) return kInvalidContext;
  *event = reinterpret_cast<nv::CuEvent>(new Event());
  return kSuccess;
}
FAKE_CUDA cuEventRecord(nv::CuEvent event, nv::CuStream) {
  if (current == nullptr) return kInvalidContext;
  *reinterpret_cast<Event*>(event) = {true, fakes::EventTime(*current->gpu, start)};
  return Broken();
}
FAKE_CUDA cuEventElapsedTime(float* milliseconds, nv::CuEvent from, nv::CuEvent to) {
  const auto* a = reinterpret_cast<const Event*>(from);
  const auto* b = reinterpret_cast<const Event*>(to);
  if (!a->recorded || !b->recorded) return kNotReady;
  *milliseconds = static_cast<float>(static_cast<double>(b->nanoseconds - a->nanoseconds) * 1e-6);
  return kSuccess;
}
