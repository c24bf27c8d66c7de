// SPDX-License-Identifier: MIT
// As until 2026: arguments are set before a launch.
#include "tests/fakes/sycl/state.h"

using namespace fakes::sycl;  // NOLINT: the entry points below are C

FAKE_UR urKernelSetArgPointer(ur::UrKernel kernel, std::uint32_t index, const void*, const void* value) {
  return SetArgument(*reinterpret_cast<Kernel*>(kernel), index, sizeof value,
                     static_cast<const void*>(&value));
}
FAKE_UR urKernelSetArgValue(ur::UrKernel kernel, std::uint32_t index, std::size_t size, const void*,
                            const void* value) {
  return SetArgument(*reinterpret_cast<Kernel*>(kernel), index, size, value);
}
