// SPDX-License-Identifier: MIT
// The table of backends/hip/hipblaslt.cpp and backends/stream/blas_lt_symbols.def against what AMD's bindings
// say of hipblaslt.h: numbers, layouts, names and signatures. Handles are opaque pointers.
#include <gtest/gtest.h>
#include <hipblaslt/hipblaslt.h>

#include <algorithm>
#include <cstddef>

#include "backends/hip/vendor.h"
#include "backends/stream/blas_lt.h"
#include "tests/abi/codes.h"
#include "tests/abi/same_signature.h"

namespace {

#define WHICHGPU_BLAS_LT_SYMBOL(name, ...) \
  static_assert(signatures::LooseSignature<int (*)(__VA_ARGS__), decltype(&::hipblasLt##name)>::value, #name);
#include "backends/stream/blas_lt_symbols.def"
#undef WHICHGPU_BLAS_LT_SYMBOL

TEST(HipblasLtAbi, NumbersAreTheHeaders) {
  const auto& kind = backends::hip::HipblasLtInterface();
  EXPECT_EQ(kind.transpose_a, HIPBLASLT_MATMUL_DESC_TRANSA);
  EXPECT_EQ(kind.transpose_b, HIPBLASLT_MATMUL_DESC_TRANSB);
  EXPECT_EQ(kind.workspace_bytes, HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
  EXPECT_EQ(kind.no_transpose, HIPBLAS_OP_N);
  EXPECT_EQ(kind.transpose, HIPBLAS_OP_T);
  EXPECT_EQ(kind.not_supported, HIPBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(kind.algorithm_bytes, sizeof(hipblasLtMatmulAlgo_t));
  EXPECT_EQ(kind.algorithm_bytes, offsetof(hipblasLtMatmulHeuristicResult_t, workspaceSize));
}

TEST(HipblasLtAbi, TypesAreTheHeaders) {
  const auto types = backends::hip::HipblasLt().types;
  const auto expect = [&](std::string_view name, int operand, int result, int compute, int scale) {
    const auto row =
        std::find_if(types.begin(), types.end(), [&](const auto& type) { return type.entry == name; });
    ASSERT_NE(row, types.end()) << name;
    EXPECT_EQ(row->numbers.operand, operand) << name;
    EXPECT_EQ(row->numbers.result, result) << name;
    EXPECT_EQ(row->numbers.compute, compute) << name;
    EXPECT_EQ(row->numbers.scale, scale) << name;
  };
  expect("hipblaslt:fp32/fp32", HIP_R_32F, HIP_R_32F, HIPBLAS_COMPUTE_32F, HIP_R_32F);
  expect("hipblaslt:tf32/fp32", HIP_R_32F, HIP_R_32F, HIPBLAS_COMPUTE_32F_FAST_TF32, HIP_R_32F);
  expect("hipblaslt:fp16/fp32", HIP_R_16F, HIP_R_32F, HIPBLAS_COMPUTE_32F, HIP_R_32F);
  expect("hipblaslt:bf16/fp32", HIP_R_16BF, HIP_R_32F, HIPBLAS_COMPUTE_32F, HIP_R_32F);
  expect("hipblaslt:int8/int32", HIP_R_8I, HIP_R_32I, HIPBLAS_COMPUTE_32I, HIP_R_32I);
  expect("hipblaslt:fp8_fnuz/fp32", HIP_R_8F_E4M3_FNUZ, HIP_R_32F, HIPBLAS_COMPUTE_32F, HIP_R_32F);
  expect("hipblaslt:fp8/fp32", HIP_R_8F_E4M3, HIP_R_32F, HIPBLAS_COMPUTE_32F, HIP_R_32F);
}

TEST(HipblasLtAbi, CodesHaveTheHeadersNames) {
  const auto& kind = backends::hip::HipblasLtInterface();
  codes::ExpectSame(
      codes::Read(WHICHGPU_ABI_HEADER, "HIPBLAS_STATUS_"),
      [&](int code) {
        const auto row = std::find_if(kind.statuses.begin(), kind.statuses.end(),
                                      [&](const auto& status) { return status.first == code; });
        return probe::Error{
            "", code, std::string(row == kind.statuses.end() ? "unknown error" : row->second), {}};
      },
      false);
}

}  // namespace
