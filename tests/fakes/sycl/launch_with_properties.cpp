// SPDX-License-Identifier: MIT
// As of oneAPI 2025.3.
#include "tests/fakes/sycl/state.h"

using namespace fakes::sycl;  // NOLINT: the entry points below are C

FAKE_UR urEnqueueKernelLaunch(ur::UrQueue queue, ur::UrKernel kernel, std::uint32_t dimensions,
                              const std::size_t*, const std::size_t* global, const std::size_t* local,
                              std::uint32_t property_count, const void* properties, std::uint32_t waits,
                              const ur::UrEvent*, ur::UrEvent* event) {
  if (property_count != 0 || properties != nullptr || waits != 0) return ur::kUrInvalidValue;
  return LaunchOn(queue, *reinterpret_cast<Kernel*>(kernel), dimensions, global, local, event);
}
