// SPDX-License-Identifier: MIT
// oneAPI 2025.3: platforms of one adapter, and launches with a list of properties.
#include "tests/abi/sycl_abi.h"

namespace sycl_abi {

SAME_FUNCTION(urPlatformGet);
SAME_NUMBER(kUrLevelZero, UR_BACKEND_LEVEL_ZERO);
SAME_NUMBER(kUrOpenCl, UR_BACKEND_OPENCL);
SAME_COUNT(urKernelSetArgPointer);
SAME_COUNT(urKernelSetArgValue);
static_assert(kSameCount<decltype(&own::earlier::urEnqueueKernelLaunch), decltype(&::urEnqueueKernelLaunch)>);

}  // namespace sycl_abi
