// SPDX-License-Identifier: MIT
// As since oneAPI 2026.
#include "tests/fakes/sycl/state.h"

using namespace fakes::sycl;  // NOLINT: the entry points below are C

FAKE_UR urEnqueueKernelLaunchWithArgsExp(ur::UrQueue queue, ur::UrKernel handle, std::uint32_t dimensions,
                                         const std::size_t*, const std::size_t* global,
                                         const std::size_t* local, std::uint32_t count,
                                         const ur::UrArgument* arguments, const void* properties,
                                         std::uint32_t, const ur::UrEvent*, ur::UrEvent* event) {
  auto& kernel = *reinterpret_cast<Kernel*>(handle);
  if (properties != nullptr || count != kernel.values.size()) return ur::kUrInvalidValue;
  for (std::uint32_t i = 0; i < count; ++i) {
    const ur::UrArgument& argument = arguments[i];
    if (argument.stype != ur::UrArgument{}.stype) return ur::kUrInvalidValue;
    const void* const value = argument.type == ur::kUrPointerArgument
                                  ? static_cast<const void*>(&argument.value.pointer)
                                  : argument.value.value;
    if (const auto code = SetArgument(kernel, argument.index, argument.size, value); code != ur::kUrSuccess)
      return code;
  }
  return LaunchOn(queue, kernel, dimensions, global, local, event);
}
