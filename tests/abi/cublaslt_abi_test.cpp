// SPDX-License-Identifier: MIT
// backends/cuda/cublaslt_declarations.h and backends/stream/blas_lt_symbols.def against NVIDIA's cublasLt.h:
// numbers, layouts, names and signatures. Handles are opaque pointers.
#include <cublasLt.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

#include "backends/cuda/cublaslt_declarations.h"
#include "backends/cuda/cuda_runtime.h"
#include "tests/abi/codes.h"
#include "tests/abi/same_signature.h"

namespace {

#define WHICHGPU_BLAS_LT_SYMBOL(name, ...) \
  static_assert(signatures::LooseSignature<int (*)(__VA_ARGS__), decltype(&::cublasLt##name)>::value, #name);
#include "backends/stream/blas_lt_symbols.def"
#undef WHICHGPU_BLAS_LT_SYMBOL

namespace lt = backends::cuda;
static_assert(sizeof(lt::LtHeuristic) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(lt::LtHeuristic, workspace_bytes) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(lt::LtHeuristic, state) == offsetof(cublasLtMatmulHeuristicResult_t, state));
#define SAME_LT_NUMBER(name, theirs) \
  static_assert(static_cast<int>(lt::name) == static_cast<int>(theirs), #name)
SAME_LT_NUMBER(kLtFp32, CUDA_R_32F);
SAME_LT_NUMBER(kLtFp16, CUDA_R_16F);
SAME_LT_NUMBER(kLtBf16, CUDA_R_16BF);
SAME_LT_NUMBER(kLtInt8, CUDA_R_8I);
SAME_LT_NUMBER(kLtInt32, CUDA_R_32I);
SAME_LT_NUMBER(kLtFp8, CUDA_R_8F_E4M3);
SAME_LT_NUMBER(kLtCompute16, CUBLAS_COMPUTE_16F);
SAME_LT_NUMBER(kLtCompute32, CUBLAS_COMPUTE_32F);
SAME_LT_NUMBER(kLtComputeTf32, CUBLAS_COMPUTE_32F_FAST_TF32);
SAME_LT_NUMBER(kLtComputeInt32, CUBLAS_COMPUTE_32I);
SAME_LT_NUMBER(kLtTransposeA, CUBLASLT_MATMUL_DESC_TRANSA);
SAME_LT_NUMBER(kLtTransposeB, CUBLASLT_MATMUL_DESC_TRANSB);
SAME_LT_NUMBER(kLtFastAccumulation, CUBLASLT_MATMUL_DESC_FAST_ACCUM);
SAME_LT_NUMBER(kLtWorkspaceBytes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
SAME_LT_NUMBER(kLtNoTranspose, CUBLAS_OP_N);
SAME_LT_NUMBER(kLtTranspose, CUBLAS_OP_T);

TEST(CublasLtAbi, CodesHaveTheHeadersNames) {
  const auto& kind = backends::cuda::CublasLt();
  EXPECT_EQ(kind.not_supported, CUBLAS_STATUS_NOT_SUPPORTED);
  codes::ExpectSame(
      codes::Read(std::string(WHICHGPU_ABI_FOLDER) + "/cublas_api.h", "CUBLAS_STATUS_"),
      [&](int code) {
        const auto row = std::find_if(kind.statuses.begin(), kind.statuses.end(),
                                      [&](const auto& status) { return status.first == code; });
        return probe::Error{
            "", code, std::string(row == kind.statuses.end() ? "unknown error" : row->second), {}};
      },
      false);
}

}  // namespace
