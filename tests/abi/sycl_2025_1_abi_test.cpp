// SPDX-License-Identifier: MIT
// oneAPI 2025.1, the Unified Runtime 0.11: platforms of several adapters, and plain launches.
#include "tests/abi/sycl_abi.h"

namespace sycl_abi {

static_assert(Signature<decltype(&own::earlier::urPlatformGet), decltype(&::urPlatformGet)>::value);
SAME_NUMBER(kUrLevelZero, UR_PLATFORM_BACKEND_LEVEL_ZERO);
SAME_NUMBER(kUrOpenCl, UR_PLATFORM_BACKEND_OPENCL);
SAME_COUNT(urKernelSetArgPointer);
SAME_COUNT(urKernelSetArgValue);
SAME_FUNCTION(urEnqueueKernelLaunch);

}  // namespace sycl_abi
