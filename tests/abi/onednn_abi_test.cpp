// SPDX-License-Identifier: MIT
// backends/core/onednn_api.h and what backends/level_zero/onednn.h adds against oneDNN's headers: every
// function takes as many arguments, each passed the same way. Of what a header does not have nothing is said.
#include <gtest/gtest.h>
#include <oneapi/dnnl/dnnl.h>
#if __has_include(<oneapi/dnnl/dnnl_ze.h>) && __has_include(<level_zero/ze_api.h>)
#include <oneapi/dnnl/dnnl_ze.h>
#define WHICHGPU_HAS_ZE
#endif

#include <type_traits>

#include "backends/core/onednn_api.h"
#include "backends/level_zero/onednn.h"

namespace backends::onednn {
namespace {

// Both pointers, or both integers (enumerations are int) of one size.
template <typename Ours, typename Theirs>
constexpr bool kPassedAlike =
    (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) ||
    (!std::is_pointer_v<Ours> && !std::is_pointer_v<Theirs> && sizeof(Ours) == sizeof(Theirs));

template <typename Ours, typename Theirs>
struct Alike : std::false_type {};
template <typename R1, typename... A1, typename R2, typename... A2>
  requires(sizeof...(A1) == sizeof...(A2))
struct Alike<R1 (*)(A1...), R2(A2...)>
    : std::bool_constant<kPassedAlike<R1, R2> && (kPassedAlike<A1, A2> && ...)> {};

static_assert(Alike<EngineCreate, decltype(dnnl_engine_create)>::value);
static_assert(Alike<StreamCreate, decltype(dnnl_stream_create)>::value);
static_assert(Alike<StreamWait, decltype(dnnl_stream_wait)>::value);
static_assert(Alike<MemoryCreate, decltype(dnnl_memory_create)>::value);
static_assert(Alike<MemorySetData, decltype(dnnl_memory_set_data_handle)>::value);
static_assert(Alike<PrimitiveCreate, decltype(dnnl_primitive_create)>::value);
static_assert(Alike<PrimitiveExecute, decltype(dnnl_primitive_execute)>::value);
#if DNNL_VERSION_MAJOR >= 3
// By their places in the names of backends/level_zero/onednn.cpp.
static_assert(dnnl_out_of_memory == 1 && dnnl_last_impl_reached == 4 && dnnl_runtime_error == 5 &&
              dnnl_not_required == 6);
static_assert(Alike<DescribeByStrides3, decltype(dnnl_memory_desc_create_with_strides)>::value);
static_assert(Alike<MatmulDescribe3, decltype(dnnl_matmul_primitive_desc_create)>::value);
#else
static_assert(Alike<DescribeByStrides2, decltype(dnnl_memory_desc_init_by_strides)>::value);
static_assert(Alike<DescribeMatmul2, decltype(dnnl_matmul_desc_init)>::value);
static_assert(Alike<PrimitiveDescribe2, decltype(dnnl_primitive_desc_create)>::value);
static_assert(sizeof(Description) >= sizeof(dnnl_memory_desc_t) &&
              sizeof(Description) >= sizeof(dnnl_matmul_desc_t));
static_assert(alignof(Description) >= alignof(dnnl_memory_desc_t));
#endif
#ifdef WHICHGPU_HAS_ZE
static_assert(Alike<level_zero::OneDnnEngineCreate, decltype(dnnl_ze_interop_engine_create)>::value);
static_assert(Alike<level_zero::OneDnnMemoryCreate, decltype(dnnl_ze_interop_memory_create)>::value);
static_assert(level_zero::kOneDnnRuntime == DNNL_RUNTIME_ZE);
#endif
static_assert(Alike<VersionOf, decltype(dnnl_version)>::value);
static_assert(sizeof(Version) == sizeof(dnnl_version_t));
static_assert(offsetof(Version, hash) == offsetof(dnnl_version_t, hash));
static_assert(offsetof(Version, gpu_runtime) == offsetof(dnnl_version_t, gpu_runtime));
static_assert(sizeof(Argument) == sizeof(dnnl_exec_arg_t));
static_assert(offsetof(Argument, memory) == offsetof(dnnl_exec_arg_t, memory));

TEST(OneDnnAbi, HasOurConstants) {
  EXPECT_EQ(kSuccess, dnnl_success);
  EXPECT_EQ(kInvalidArguments, dnnl_invalid_arguments);
  EXPECT_EQ(kUnimplemented, dnnl_unimplemented);
  EXPECT_EQ(kCpu, dnnl_cpu);
  EXPECT_EQ(kInOrderStream, unsigned{dnnl_stream_in_order});
  EXPECT_EQ(kF16, dnnl_f16);
  EXPECT_EQ(kBf16, dnnl_bf16);
  EXPECT_EQ(kF32, dnnl_f32);
  EXPECT_EQ(kS32, dnnl_s32);
  EXPECT_EQ(kS8, dnnl_s8);
  EXPECT_EQ(kSource, DNNL_ARG_SRC);
  EXPECT_EQ(kDestination, DNNL_ARG_DST);
  EXPECT_EQ(kWeights, DNNL_ARG_WEIGHTS);
  EXPECT_EQ(kMaxDimensions, DNNL_MAX_NDIMS);
}

}  // namespace
}  // namespace backends::onednn
