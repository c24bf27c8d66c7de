// SPDX-License-Identifier: MIT
// The numbers and the signature of backends/hip/rocblas.cpp against AMD's rocblas.h.
#include <gtest/gtest.h>
#include <rocblas/rocblas.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "backends/hip/vendor.h"
#include "tests/abi/same_signature.h"

namespace {

using signatures::LooseSignature;

static_assert(LooseSignature<int (*)(void**), decltype(&::rocblas_create_handle)>::value);
static_assert(LooseSignature<int (*)(void* handle, int transpose_a, int transpose_b, int m, int n, int k,
                                     const void* alpha, const void* a, int a_type, int a_stride,
                                     const void* b, int b_type, int b_stride, const void* beta, const void* c,
                                     int c_type, int c_stride, void* d, int d_type, int d_stride, int compute,
                                     int algorithm, std::int32_t solution, std::uint32_t flags),
                             decltype(&::rocblas_gemm_ex)>::value);
static_assert(LooseSignature<int (*)(void* handle, void* address, std::size_t bytes),
                             decltype(&::rocblas_set_workspace)>::value);
static_assert(rocblas_status_perf_degraded == 7);
static_assert(rocblas_status_not_implemented == 2 && rocblas_status_excluded_from_build == 14 &&
              rocblas_status_arch_mismatch == 15);
static_assert(rocblas_operation_none == 111 && rocblas_operation_transpose == 112);
static_assert(rocblas_gemm_algo_standard == 0);

TEST(RocblasAbi, TypesAreTheHeaders) {
  const auto types = backends::hip::Rocblas().types;
  const auto expect = [&](std::string_view name, int operand, int sum) {
    const auto row =
        std::find_if(types.begin(), types.end(), [&](const auto& type) { return type.entry == name; });
    ASSERT_NE(row, types.end()) << name;
    EXPECT_EQ(row->numbers.operand, operand) << name;
    EXPECT_EQ(row->numbers.result, sum) << name;
    EXPECT_EQ(row->numbers.compute, sum) << name;
  };
  expect("rocblas:fp32/fp32", rocblas_datatype_f32_r, rocblas_datatype_f32_r);
  expect("rocblas:fp16/fp32", rocblas_datatype_f16_r, rocblas_datatype_f32_r);
  expect("rocblas:bf16/fp32", rocblas_datatype_bf16_r, rocblas_datatype_f32_r);
  expect("rocblas:int8/int32", rocblas_datatype_i8_r, rocblas_datatype_i32_r);
}

}  // namespace
