// SPDX-License-Identifier: MIT
// Contexts, memory, copies and events of the fake libcuda. "Device" memory is lazily touched memory of this
// process at addresses that are no pointers, so that a host pointer passed as a device's is found out.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>

#include "tests/fakes/common/host_memory.h"
#include "tests/fakes/common/launch.h"
#include "tests/fakes/common/misbehave.h"
#include "tests/fakes/cuda/state.h"

namespace fakes::cuda {
namespace {

constexpr nv::CuPointer kBase = 0x7000'0000'0000ULL;
constexpr nv::CuPointer kStep = 0x100'0000'0000ULL;  // no allocation reaches into the next

struct Allocation {
  std::unique_ptr<HostMemory> memory;
};
const Slot* current = nullptr;
std::map<nv::CuPointer, Allocation> allocations;
std::size_t allocated = 0;
nv::CuPointer next = kBase;
std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

struct Event {
  bool recorded = false;
  std::uint64_t nanoseconds = 0;
};

std::size_t FreeBytes() {
  const Device& self = current->self();
  const std::size_t most = self.memory_free_bytes.value_or(self.memory_total_bytes);
  return most > allocated ? most - allocated : 0;
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

std::span<std::byte> Memory(nv::CuPointer pointer) {
  auto found = allocations.upper_bound(pointer);
  if (found == allocations.begin()) return {};
  --found;
  const auto bytes = found->second.memory->bytes();
  const std::size_t offset = pointer - found->first;
  return offset < bytes.size() ? bytes.subspan(offset) : std::span<std::byte>{};
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
  auto memory = std::make_unique<fakes::HostMemory>(bytes);
  if (memory->bytes().empty()) return kOutOfMemory;
  *pointer = next;
  next += kStep;
  allocated += bytes;
  allocations[*pointer] = {std::move(memory)};
  return kSuccess;
}
FAKE_CUDA cuMemFree_v2(nv::CuPointer pointer) {
  const auto found = allocations.find(pointer);
  if (found == allocations.end()) return kInvalidValue;
  allocated -= found->second.memory->bytes().size();
  allocations.erase(found);
  return kSuccess;
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
  const auto memory = Memory(to);
  if (memory.size() < bytes) return kInvalidValue;
  std::memcpy(memory.data(), from, bytes);
  return kSuccess;
}
FAKE_CUDA cuMemcpyDtoH_v2(void* to, nv::CuPointer from, std::size_t bytes) {
  if (const int code = Usable(Point::kReadBack); code != kSuccess) return code;
  const auto memory = Memory(from);
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
