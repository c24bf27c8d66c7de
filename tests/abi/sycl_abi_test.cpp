// SPDX-License-Identifier: MIT
// The newest release: platforms of one adapter, and launches with their arguments.
#include "tests/abi/sycl_abi.h"

namespace sycl_abi {

SAME_FUNCTION(urPlatformGet);
SAME_NUMBER(kUrLevelZero, UR_BACKEND_LEVEL_ZERO);
SAME_NUMBER(kUrOpenCl, UR_BACKEND_OPENCL);
SAME_COUNT(urEnqueueKernelLaunchWithArgsExp);
SAME_NUMBER(kUrValueArgument, UR_EXP_KERNEL_ARG_TYPE_VALUE);
SAME_NUMBER(kUrPointerArgument, UR_EXP_KERNEL_ARG_TYPE_POINTER);
static_assert(sizeof(own::UrArgument) == sizeof(ur_exp_kernel_arg_properties_t));
static_assert(offsetof(own::UrArgument, index) == offsetof(ur_exp_kernel_arg_properties_t, index));
static_assert(offsetof(own::UrArgument, size) == offsetof(ur_exp_kernel_arg_properties_t, size));
static_assert(offsetof(own::UrArgument, value) == offsetof(ur_exp_kernel_arg_properties_t, value));

TEST(SyclAbi, ArgumentsBeginWithTheirType) {
  EXPECT_EQ(own::UrArgument{}.stype, static_cast<std::uint32_t>(UR_STRUCTURE_TYPE_EXP_KERNEL_ARG_PROPERTIES));
}

}  // namespace sycl_abi
