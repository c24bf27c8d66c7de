// SPDX-License-Identifier: MIT
// As since 0.12: the platforms of one adapter.
#include "tests/fakes/sycl/state.h"

using namespace fakes::sycl;  // NOLINT: the entry points below are C

FAKE_UR urPhysicalMemGetInfo() { __builtin_trap(); }
FAKE_UR urPlatformGet(ur::UrAdapter adapter, std::uint32_t room, ur::UrPlatform* platforms,
                      std::uint32_t* count) {
  return Reply(reinterpret_cast<const Adapter*>(adapter)->platforms, room, platforms, count);
}
