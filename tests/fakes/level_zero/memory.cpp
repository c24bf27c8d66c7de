// SPDX-License-Identifier: MIT
// Contexts, memory and events of the fake.
#include <bit>
#include <cstdlib>

#include "tests/fakes/common/device_memory.h"
#include "tests/fakes/common/misbehave.h"
#include "tests/fakes/level_zero/objects.h"

using namespace fakes::level_zero;  // NOLINT: the entry points below are C
using fakes::Point;

FAKE_ZE zeContextCreate(rt::ZeDriver driver, const rt::ZeContextDescription* description,
                        rt::ZeContext* context) {
  if (driver == nullptr) return rt::kZeInvalidNullHandle;
  if (description->type != rt::ZeContextDescription{}.type) return rt::kZeInvalidArgument;
  if (const auto error = fakes::Reach(Point::kCreate)) return static_cast<std::uint32_t>(*error);
  *context = Given(Makes::kContext, reinterpret_cast<rt::ZeContext>(driver));
  return rt::kZeSuccess;
}
FAKE_ZE zeMemAllocDevice(rt::ZeContext context, const rt::ZeDeviceMemoryDescription* description,
                         std::size_t bytes, std::size_t, rt::ZeDevice device, void** memory) {
  const Slot* slot = SlotOf(device);
  if (const auto code = Usable(Point::kAllocate, slot); code != rt::kZeSuccess) return code;
  if (context == nullptr || description->type != rt::ZeDeviceMemoryDescription{}.type)
    return rt::kZeInvalidArgument;
  const fakes::Device& self = slot->self();
  if (bytes == 0 || bytes > self.max_buffer_bytes) return rt::kZeUnsupportedSize;
  const std::uint64_t all = self.memory_free_bytes.value_or(self.memory_total_bytes);
  const bool fits = bytes + fakes::ReservedBytes(slot->index) <= all &&
                    bytes <= self.allocation_limit_bytes.value_or(UINT64_MAX);
  if (!fits) return rt::kZeOutOfDeviceMemory;
  auto* const reserved = std::bit_cast<void*>(fakes::ReserveMemory(bytes, slot->index));
  *memory = Given(Makes::kMemory, reserved);
  return reserved == nullptr ? rt::kZeOutOfDeviceMemory : rt::kZeSuccess;
}
FAKE_ZE zeMemAllocHost(rt::ZeContext context, const rt::ZeHostMemoryDescription* description,
                       std::size_t bytes, std::size_t alignment, void** memory) {
  if (context == nullptr || description->type != rt::ZeHostMemoryDescription{}.type)
    return rt::kZeInvalidArgument;
  void* const host = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  *memory = Given(Makes::kHost, host);
  return host == nullptr ? rt::kZeOutOfHostMemory : rt::kZeSuccess;
}
FAKE_ZE zeMemFree(rt::ZeContext, void* memory) {
  fakes::ReachTeardown();
  if (!fakes::ReleaseMemory(AddressOf(memory))) std::free(memory);
  return rt::kZeSuccess;
}
FAKE_ZE zeEventPoolCreate(rt::ZeContext context, const rt::ZeEventPoolDescription* description, std::uint32_t,
                          rt::ZeDevice*, rt::ZeEventPool* pool) {
  const bool keeps_time = (description->flags & rt::kZeEventTimestamps) != 0;
  if (context == nullptr || !keeps_time) return rt::kZeInvalidArgument;
  *pool = Given(Makes::kPool, reinterpret_cast<rt::ZeEventPool>(new std::vector<Event>(description->count)));
  return rt::kZeSuccess;
}
FAKE_ZE zeEventCreate(rt::ZeEventPool pool, const rt::ZeEventDescription* description, rt::ZeEvent* event) {
  auto& events = *reinterpret_cast<std::vector<Event>*>(pool);
  if (description->index >= events.size()) return rt::kZeInvalidArgument;
  *event = Given(Makes::kEvent, reinterpret_cast<rt::ZeEvent>(&events[description->index]));
  return rt::kZeSuccess;
}
FAKE_ZE zeEventHostReset(rt::ZeEvent event) {
  *reinterpret_cast<Event*>(event) = {};
  return rt::kZeSuccess;
}
FAKE_ZE zeEventQueryKernelTimestamp(rt::ZeEvent handle, rt::ZeKernelTimestamps* out) {
  const Event& event = *reinterpret_cast<const Event*>(handle);
  if (!event.is_signalled) return rt::kZeNotReady;
  constexpr std::uint64_t kBits = 0xffffffff;
  out->global = out->context = {event.start_ticks & kBits, event.end_ticks & kBits};
  return rt::kZeSuccess;
}
