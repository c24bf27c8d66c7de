// SPDX-License-Identifier: MIT
// As until oneAPI 2025.2.
#include "tests/fakes/sycl/state.h"

using namespace fakes::sycl;  // NOLINT: the entry points below are C

FAKE_UR urEnqueueKernelLaunchCustomExp() { __builtin_trap(); }
FAKE_UR urEnqueueKernelLaunch(ur::UrQueue queue, ur::UrKernel kernel, std::uint32_t dimensions,
                              const std::size_t*, const std::size_t* global, const std::size_t* local,
                              std::uint32_t, const ur::UrEvent*, ur::UrEvent* event) {
  return LaunchOn(queue, *reinterpret_cast<Kernel*>(kernel), dimensions, global, local, event);
}
