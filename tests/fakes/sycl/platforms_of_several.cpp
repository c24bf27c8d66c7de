// SPDX-License-Identifier: MIT
// As before 0.12: the platforms of several adapters.
#include "tests/fakes/sycl/state.h"

using namespace fakes::sycl;  // NOLINT: the entry points below are C

FAKE_UR urPlatformGet(ur::UrAdapter* adapters, std::uint32_t adapter_count, std::uint32_t room,
                      ur::UrPlatform* platforms, std::uint32_t* count) {
  if (adapter_count != 1) return ur::kUrInvalidValue;
  return Reply(reinterpret_cast<const Adapter*>(adapters[0])->platforms, room, platforms, count);
}
