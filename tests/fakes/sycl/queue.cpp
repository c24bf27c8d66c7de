// SPDX-License-Identifier: MIT
// Contexts, memory, programs and launches of the fake. A launch runs as it is enqueued; that something failed
// is told by whoever waits.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "tests/fakes/common/device_memory.h"
#include "tests/fakes/common/launch.h"
#include "tests/fakes/common/misbehave.h"
#include "tests/fakes/sycl/state.h"

namespace fakes::sycl {
namespace {

constexpr const char* kLog = "error: undefined reference to a function of the module";
const std::chrono::steady_clock::time_point kStart = std::chrono::steady_clock::now();
std::uint32_t launches = 0;

struct Program {
  Module module;
  bool is_built = false;
};

std::uint64_t AddressOf(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

// Every buffer of a launch may be its output.
void Spoil(const Device& gpu, const Kernel& kernel) {
  std::vector<std::span<std::byte>> outputs;
  for (std::size_t i = 0; i < kernel.values.size(); ++i) {
    if (kernel.code->parameters[i].is_pointer && !kernel.code->name.starts_with("fill"))
      outputs.push_back(MemoryAt(kernel.values[i].value_or(0)));
  }
  Launch(gpu, outputs);
}

void Execute(const Slot& slot, const Kernel& kernel, const level_zero::rt::ZeGroups& groups) {
  const Device& gpu = *slot.gpu;
  const bool is_lost = launches++ >= gpu.lost_after_launches.value_or(UINT32_MAX);
  if (is_lost || Faults(gpu, kernel.code->name)) Broken() = ur::kUrDeviceLost;
  if (Broken() != ur::kUrSuccess) return;
  if (level_zero::ComputeKernel(kernel, groups) != Computed::kDone) Broken() = ur::kUrDeviceLost;
  Spoil(gpu, kernel);
}

}  // namespace

std::uint32_t SetArgument(Kernel& kernel, std::uint32_t index, std::size_t size, const void* value) {
  if (index >= kernel.values.size()) return ur::kUrInvalidKernelArgumentIndex;
  if (size != kernel.code->parameters[index].bytes) return ur::kUrInvalidKernelArgumentSize;
  std::uint64_t word = 0;
  std::memcpy(&word, value, size);
  kernel.values[index] = word;
  return ur::kUrSuccess;
}

std::uint32_t LaunchOn(ur::UrQueue queue, Kernel& kernel, std::uint32_t dimensions, const std::size_t* global,
                       const std::size_t* local, ur::UrEvent* event) {
  const auto& slot = *reinterpret_cast<const Slot*>(queue);
  if (const auto code = CodeAt(Point::kLaunch, &slot); code != ur::kUrSuccess) return code;
  std::array<std::uint32_t, 3> groups{1, 1, 1}, group{1, 1, 1};
  std::uint64_t items = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    if (local[i] == 0 || global[i] % local[i] != 0) return ur::kUrInvalidWorkGroupSize;
    group.at(i) = static_cast<std::uint32_t>(local[i]);
    groups.at(i) = static_cast<std::uint32_t>(global[i] / local[i]);
    items *= local[i];
  }
  const bool is_wanted = kernel.code->group[0] == 0 || kernel.code->group == group;
  if (items > slot.gpu->max_workgroup_size || !is_wanted) return ur::kUrInvalidWorkGroupSize;
  const bool is_whole = std::all_of(kernel.values.begin(), kernel.values.end(),
                                    [](const auto& value) { return value.has_value(); });
  if (!is_whole) return ur::kUrInvalidKernelArgumentIndex;
  kernel.group = group;
  const auto start = EventTime(*slot.gpu, kStart);
  Execute(slot, kernel, {groups[0], groups[1], groups[2]});
  if (event != nullptr) {
    *event = reinterpret_cast<ur::UrEvent>(
        new Event{Broken() == ur::kUrSuccess, start, EventTime(*slot.gpu, kStart)});
  }
  return ur::kUrSuccess;
}

}  // namespace fakes::sycl

using namespace fakes::sycl;  // NOLINT: the entry points below are C
using fakes::Point;

FAKE_UR urContextCreate(std::uint32_t count, const ur::UrDevice* devices, const void*,
                        ur::UrContext* context) {
  if (count != 1 || SlotOf(devices[0]) == nullptr) return ur::kUrInvalidNullHandle;
  if (const auto error = fakes::Reach(Point::kCreate)) return static_cast<std::uint32_t>(*error);
  *context = Given(Makes::kContext, reinterpret_cast<ur::UrContext>(devices[0]));
  return ur::kUrSuccess;
}
FAKE_UR urQueueCreate(ur::UrContext, ur::UrDevice device, const ur::UrQueueProperties* properties,
                      ur::UrQueue* queue) {
  const bool keeps_time =
      properties->type == ur::UrQueueProperties{}.type && (properties->flags & ur::kUrProfiling) != 0;
  if (!keeps_time) return ur::kUrInvalidValue;
  *queue = Given(Makes::kQueue, reinterpret_cast<ur::UrQueue>(device));
  return ur::kUrSuccess;
}
FAKE_UR urQueueFlush(ur::UrQueue) { return Broken(); }
FAKE_UR urQueueFinish(ur::UrQueue) { return Broken(); }
FAKE_UR urUSMDeviceAlloc(ur::UrContext, ur::UrDevice device, const void*, ur::UrPool, std::size_t bytes,
                         void** memory) {
  const Slot* slot = SlotOf(device);
  if (const auto code = CodeAt(Point::kAllocate, slot); code != ur::kUrSuccess) return code;
  const fakes::Device& self = slot->self();
  const std::uint64_t all = self.memory_free_bytes.value_or(self.memory_total_bytes);
  const bool fits = bytes <= self.max_buffer_bytes && bytes + fakes::ReservedBytes(slot->index) <= all &&
                    bytes <= self.allocation_limit_bytes.value_or(UINT64_MAX);
  if (!fits) return ur::kUrOutOfDeviceMemory;
  auto* const reserved = std::bit_cast<void*>(fakes::ReserveMemory(bytes, slot->index));
  *memory = Given(Makes::kMemory, reserved);
  return reserved == nullptr ? ur::kUrOutOfDeviceMemory : ur::kUrSuccess;
}
FAKE_UR urUSMHostAlloc(ur::UrContext, const void*, ur::UrPool, std::size_t bytes, void** memory) {
  *memory = Given(Makes::kHost, std::malloc(bytes));
  return ur::kUrSuccess;
}
FAKE_UR urUSMFree(ur::UrContext, void* memory) {
  fakes::ReachTeardown();
  if (!fakes::ReleaseMemory(AddressOf(memory))) std::free(memory);
  return ur::kUrSuccess;
}
// A device's address is no pointer of the process; one that is neither is the caller's mistake.
FAKE_UR urEnqueueUSMMemcpy(ur::UrQueue queue, bool, void* to, const void* from, std::size_t bytes,
                           std::uint32_t, const ur::UrEvent*, ur::UrEvent*) {
  const auto& slot = *reinterpret_cast<const Slot*>(queue);
  const auto target = fakes::MemoryAt(AddressOf(to));
  const auto source = fakes::MemoryAt(AddressOf(from));
  if (const auto code = target.empty() && launches > 0 ? CodeAt(Point::kReadBack, &slot) : Broken();
      code != ur::kUrSuccess)
    return code;
  const bool reaches =
      (target.empty() || target.size() >= bytes) && (source.empty() || source.size() >= bytes);
  if (!reaches) return Broken() = ur::kUrDeviceLost;
  std::memmove(target.empty() ? to : target.data(), source.empty() ? from : source.data(), bytes);
  return ur::kUrSuccess;
}
FAKE_UR urProgramCreateWithIL(ur::UrContext context, const void* il, std::size_t size, const void*,
                              ur::UrProgram* program) {
  const Slot* slot = SlotOf(context);
  auto code = fakes::level_zero::ReadModule({static_cast<const std::uint8_t*>(il), size});
  if (slot == nullptr || !code) return ur::kUrInvalidValue;
  *program =
      Given(Makes::kProgram, reinterpret_cast<ur::UrProgram>(new Program{{*std::move(code), slot}, false}));
  return ur::kUrSuccess;
}
FAKE_UR urProgramBuild(ur::UrContext, ur::UrProgram handle, const char*) {
  auto& program = *reinterpret_cast<Program*>(handle);
  const Slot* slot = program.module.slot;
  if (const auto code = CodeAt(Point::kCompile, slot); code != ur::kUrSuccess) return code;
  if (!fakes::level_zero::Links(program.module.code, *slot) || Get(*slot->gpu, "build_fails", 0) != 0)
    return ur::kUrProgramBuildFailure;
  program.is_built = true;
  return ur::kUrSuccess;
}
FAKE_UR urProgramGetBuildInfo(ur::UrProgram, ur::UrDevice, ur::UrBuildInfo what, std::size_t, void* value,
                              std::size_t* needed) {
  if (what != ur::kUrBuildLog) return ur::kUrInvalidValue;
  const std::size_t bytes = std::strlen(kLog) + 1;
  if (needed != nullptr) *needed = bytes;
  if (value != nullptr) std::memcpy(value, kLog, bytes);
  return ur::kUrSuccess;
}
FAKE_UR urKernelCreate(ur::UrProgram handle, const char* name, ur::UrKernel* kernel) {
  const auto& program = *reinterpret_cast<const Program*>(handle);
  for (const auto& code : program.module.code.kernels) {
    if (!program.is_built || code.name != name) continue;
    auto* made = new Kernel{&program.module, &code};
    made->values.resize(code.parameters.size());
    *kernel = Given(Makes::kKernel, reinterpret_cast<ur::UrKernel>(made));
    return ur::kUrSuccess;
  }
  return ur::kUrInvalidKernelName;
}
FAKE_UR urEventGetProfilingInfo(ur::UrEvent handle, ur::UrProfilingInfo what, std::size_t, void* value,
                                std::size_t*) {
  const auto& event = *reinterpret_cast<const Event*>(handle);
  if (!event.is_signalled) return ur::kUrInvalidValue;
  const std::uint64_t at = what == ur::kUrCommandStart ? event.start_ticks : event.end_ticks;
  std::memcpy(value, &at, sizeof at);
  return ur::kUrSuccess;
}
FAKE_UR urEventRelease(ur::UrEvent event) {
  delete reinterpret_cast<Event*>(event);
  return ur::kUrSuccess;
}
