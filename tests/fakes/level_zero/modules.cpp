// SPDX-License-Identifier: MIT
// Modules and kernels of the fake: what a driver's compiler would refuse, it refuses.
#include <cstring>

#include "tests/fakes/common/misbehave.h"
#include "tests/fakes/level_zero/objects.h"

namespace fakes::level_zero {
namespace {

constexpr const char* kLog = "error: undefined reference to a function of the module";

std::uint32_t Fail(rt::ZeBuildLog* log) {
  if (log != nullptr) *log = reinterpret_cast<rt::ZeBuildLog>(const_cast<char*>(kLog));
  return rt::kZeModuleBuildFailure;
}

}  // namespace
}  // namespace fakes::level_zero

using namespace fakes::level_zero;  // NOLINT: the entry points below are C

FAKE_ZE zeModuleCreate(rt::ZeContext, rt::ZeDevice device, const rt::ZeModuleDescription* description,
                       rt::ZeModule* module, rt::ZeBuildLog* log) {
  const Slot* slot = SlotOf(device);
  if (const auto code = Usable(fakes::Point::kCompile, slot); code != rt::kZeSuccess) return code;
  if (description->type != rt::ZeModuleDescription{}.type || description->format != rt::kZeSpirv)
    return rt::kZeInvalidArgument;
  auto code = ReadModule({description->module, description->bytes});
  if (!code || !Links(*code, *slot) || Get(*slot->gpu, "build_fails", 0) != 0) return Fail(log);
  *module = Given(Makes::kModule, reinterpret_cast<rt::ZeModule>(new Module{*std::move(code), slot}));
  return rt::kZeSuccess;
}
FAKE_ZE zeModuleBuildLogGetString(rt::ZeBuildLog log, std::size_t* bytes, char* text) {
  if (log == nullptr) return rt::kZeInvalidNullHandle;
  *bytes = std::strlen(kLog) + 1;
  if (text != nullptr) std::memcpy(text, kLog, *bytes);
  return rt::kZeSuccess;
}
FAKE_ZE zeModuleBuildLogDestroy(rt::ZeBuildLog log) {
  return log == nullptr ? rt::kZeInvalidNullHandle : rt::kZeSuccess;
}
FAKE_ZE zeKernelCreate(rt::ZeModule handle, const rt::ZeKernelDescription* description,
                       rt::ZeKernel* kernel) {
  const auto& module = *reinterpret_cast<const Module*>(handle);
  for (const KernelCode& code : module.code.kernels) {
    if (code.name != description->name) continue;
    auto* made = new Kernel{&module, &code};
    made->values.resize(code.parameters.size());
    *kernel = Given(Makes::kKernel, reinterpret_cast<rt::ZeKernel>(made));
    return rt::kZeSuccess;
  }
  return rt::kZeInvalidKernelName;
}
FAKE_ZE zeKernelSetGroupSize(rt::ZeKernel handle, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  auto& kernel = *reinterpret_cast<Kernel*>(handle);
  const std::array<std::uint32_t, 3> group = {x, y, z};
  const std::uint64_t items = std::uint64_t{x} * y * z;
  const bool is_wanted = kernel.code->group[0] == 0 || kernel.code->group == group;
  if (items == 0 || items > kernel.module->slot->gpu->max_workgroup_size || !is_wanted)
    return rt::kZeInvalidGroupSize;
  kernel.group = group;
  return rt::kZeSuccess;
}
FAKE_ZE zeKernelSetArgumentValue(rt::ZeKernel handle, std::uint32_t index, std::size_t bytes,
                                 const void* value) {
  auto& kernel = *reinterpret_cast<Kernel*>(handle);
  if (index >= kernel.values.size()) return rt::kZeInvalidArgumentIndex;
  if (bytes != kernel.code->parameters[index].bytes) return rt::kZeInvalidArgumentSize;
  std::uint64_t word = 0;
  std::memcpy(&word, value, bytes);
  kernel.values[index] = word;
  return rt::kZeSuccess;
}
