// SPDX-License-Identifier: MIT
// Lists and queues of the fake. A list's commands run as it is executed; that something failed is told by
// whoever waits.
#include <algorithm>
#include <chrono>
#include <cstring>

#include "tests/fakes/common/device_memory.h"
#include "tests/fakes/common/launch.h"
#include "tests/fakes/common/misbehave.h"
#include "tests/fakes/level_zero/objects.h"

namespace fakes::level_zero {
namespace {

constexpr std::uint32_t kGroups = 2;        // of zeDeviceGetCommandQueueGroupProperties
constexpr std::uint32_t kComputeGroup = 1;  // the one of them that computes
constexpr double kTicksANanosecond = 19.2e6 * 1e-9;
const std::chrono::steady_clock::time_point kStart = std::chrono::steady_clock::now();
std::uint32_t launches = 0;

struct QueueObject {
  const Slot* slot = nullptr;
};

// Behind the first ticks the counter, of 32 bits, begins anew.
std::uint64_t Ticks(const Device& gpu) {
  constexpr std::uint64_t kLastTicks = 0xffffff00;
  const auto now =
      static_cast<std::uint64_t>(static_cast<double>(EventTime(gpu, kStart)) * kTicksANanosecond);
  static const std::uint64_t first = now;
  return kLastTicks + (now - first);
}

// A device begins what follows without a barrier before the end of what is there: the results are lost.
bool is_at_work = false;
void Order(bool is_barrier) {
  if (is_at_work && !is_barrier) Broken() = rt::kZeDeviceLost;
  is_at_work = !is_barrier;
}

// Every buffer of a launch may be its output.
void Spoil(const Device& gpu, const Kernel& kernel) {
  std::vector<std::span<std::byte>> outputs;
  for (std::size_t i = 0; i < kernel.values.size(); ++i) {
    if (kernel.code->parameters[i].is_pointer && !kernel.code->name.starts_with("fill"))
      outputs.push_back(MemoryAt(kernel.values[i].value_or(0)));
  }
  Launch(gpu, outputs);
}

void Execute(const LaunchCommand& launch, const Slot& slot) {
  const Device& gpu = *slot.gpu;
  const bool is_lost = launches++ >= gpu.lost_after_launches.value_or(UINT32_MAX);
  if (is_lost || Faults(gpu, launch.kernel.code->name)) Broken() = rt::kZeDeviceLost;
  if (Broken() != rt::kZeSuccess) return;
  if (launch.event != nullptr) launch.event->start_ticks = Ticks(gpu);
  if (ComputeKernel(launch.kernel, launch.groups) != Computed::kDone) Broken() = rt::kZeDeviceLost;
  Spoil(gpu, launch.kernel);
  if (launch.event == nullptr) return;
  launch.event->end_ticks = Ticks(gpu);
  launch.event->is_signalled = true;
}

// A device's address is no pointer of the process; one that is neither is the caller's mistake.
void Execute(const CopyCommand& copy, const Slot&) {
  const auto to = MemoryAt(AddressOf(copy.to));
  const auto from = MemoryAt(AddressOf(copy.from));
  const bool reaches = (to.empty() || to.size() >= copy.bytes) && (from.empty() || from.size() >= copy.bytes);
  if (!reaches) {
    Broken() = rt::kZeDeviceLost;
    return;
  }
  std::memmove(to.empty() ? copy.to : to.data(), from.empty() ? copy.from : from.data(), copy.bytes);
}

void Execute(const BarrierCommand&, const Slot&) {}

}  // namespace
}  // namespace fakes::level_zero

using namespace fakes::level_zero;  // NOLINT: the entry points below are C
using fakes::Point;

FAKE_ZE zeCommandQueueCreate(rt::ZeContext, rt::ZeDevice device, const rt::ZeQueueDescription* description,
                             rt::ZeQueue* queue) {
  const Slot* slot = SlotOf(device);
  if (slot == nullptr || description->ordinal >= kGroups) return rt::kZeInvalidArgument;
  *queue = Given(Makes::kQueue, reinterpret_cast<rt::ZeQueue>(new QueueObject{slot}));
  return rt::kZeSuccess;
}
FAKE_ZE zeCommandListCreate(rt::ZeContext, rt::ZeDevice device, const rt::ZeListDescription* description,
                            rt::ZeList* list) {
  const Slot* slot = SlotOf(device);
  if (slot == nullptr || description->ordinal >= kGroups) return rt::kZeInvalidArgument;
  *list = Given(Makes::kList, reinterpret_cast<rt::ZeList>(new List{slot, description->ordinal}));
  return rt::kZeSuccess;
}
FAKE_ZE zeCommandListClose(rt::ZeList list) {
  reinterpret_cast<List*>(list)->is_closed = true;
  return rt::kZeSuccess;
}
FAKE_ZE zeCommandListReset(rt::ZeList list) {
  reinterpret_cast<List*>(list)->commands.clear();
  reinterpret_cast<List*>(list)->is_closed = false;
  return rt::kZeSuccess;
}
FAKE_ZE zeCommandListAppendBarrier(rt::ZeList list, rt::ZeEvent, std::uint32_t, rt::ZeEvent*) {
  if (reinterpret_cast<List*>(list)->is_closed) return rt::kZeInvalidArgument;
  reinterpret_cast<List*>(list)->commands.emplace_back(BarrierCommand{});
  return rt::kZeSuccess;
}
FAKE_ZE zeCommandListAppendMemoryCopy(rt::ZeList handle, void* to, const void* from, std::size_t bytes,
                                      rt::ZeEvent, std::uint32_t, rt::ZeEvent*) {
  List& list = *reinterpret_cast<List*>(handle);
  if (list.is_closed) return rt::kZeInvalidArgument;
  const bool is_back = fakes::MemoryAt(AddressOf(to)).empty();
  if (const auto code = is_back && launches > 0 ? Usable(Point::kReadBack, list.slot) : Broken();
      code != rt::kZeSuccess)
    return code;
  list.commands.emplace_back(CopyCommand{to, from, bytes});
  return rt::kZeSuccess;
}
FAKE_ZE zeCommandListAppendLaunchKernel(rt::ZeList handle, rt::ZeKernel kernel_handle,
                                        const rt::ZeGroups* groups, rt::ZeEvent event, std::uint32_t,
                                        rt::ZeEvent*) {
  List& list = *reinterpret_cast<List*>(handle);
  const auto& kernel = *reinterpret_cast<const Kernel*>(kernel_handle);
  if (const auto code = Usable(Point::kLaunch, list.slot); code != rt::kZeSuccess) return code;
  const bool is_whole = std::all_of(kernel.values.begin(), kernel.values.end(),
                                    [](const auto& value) { return value.has_value(); });
  if (list.is_closed || list.group != kComputeGroup || !is_whole || kernel.group[0] == 0)
    return rt::kZeInvalidArgument;
  list.commands.emplace_back(LaunchCommand{kernel, *groups, reinterpret_cast<Event*>(event)});
  return rt::kZeSuccess;
}
FAKE_ZE zeCommandQueueExecuteCommandLists(rt::ZeQueue queue, std::uint32_t count, rt::ZeList* lists,
                                          rt::ZeFence) {
  const Slot& slot = *reinterpret_cast<const QueueObject*>(queue)->slot;
  for (std::uint32_t i = 0; i < count; ++i) {
    const List& list = *reinterpret_cast<const List*>(lists[i]);
    if (!list.is_closed) return rt::kZeInvalidArgument;
    for (const Command& command : list.commands) {
      Order(std::holds_alternative<BarrierCommand>(command));
      if (Broken() != rt::kZeSuccess) break;
      std::visit([&](const auto& one) { Execute(one, slot); }, command);
    }
  }
  return rt::kZeSuccess;
}
FAKE_ZE zeCommandQueueSynchronize(rt::ZeQueue, std::uint64_t) {
  is_at_work = false;
  return Broken();
}
