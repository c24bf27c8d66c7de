// SPDX-License-Identifier: MIT
// cuBLASLt as a table: the types that are asked for, and how its interface is numbered.
#include <array>

#include "backends/cuda/cublaslt_declarations.h"
#include "backends/cuda/cuda_runtime.h"

namespace backends::cuda {
namespace {

using kernels::Dtype;
using stream::ProductType;

constexpr std::array<std::string_view, 3> kSonames = {"libcublasLt.so.13", "libcublasLt.so.12",
                                                      "libcublasLt.so.11"};

constexpr std::array kTypes = {
    ProductType{
        "cublaslt:fp32/fp32", Dtype::kFp32, Dtype::kFp32, "sm_50", {kLtFp32, kLtFp32, kLtCompute32, kLtFp32}},
    ProductType{"cublaslt:tf32/fp32",
                Dtype::kTf32,
                Dtype::kFp32,
                "sm_80",
                {kLtFp32, kLtFp32, kLtComputeTf32, kLtFp32}},
    ProductType{
        "cublaslt:fp16/fp32", Dtype::kFp16, Dtype::kFp32, "sm_70", {kLtFp16, kLtFp32, kLtCompute32, kLtFp32}},
    ProductType{
        "cublaslt:fp16/fp16", Dtype::kFp16, Dtype::kFp16, "sm_70", {kLtFp16, kLtFp16, kLtCompute16, kLtFp16}},
    ProductType{
        "cublaslt:bf16/fp32", Dtype::kBf16, Dtype::kFp32, "sm_80", {kLtBf16, kLtFp32, kLtCompute32, kLtFp32}},
    ProductType{"cublaslt:int8/int32",
                Dtype::kInt8,
                Dtype::kInt32,
                "sm_75",
                {kLtInt8, kLtInt32, kLtComputeInt32, kLtInt32}},
    ProductType{
        "cublaslt:fp8/fp32", Dtype::kFp8, Dtype::kFp32, "sm_89", {kLtFp8, kLtFp32, kLtCompute32, kLtFp32}},
};

// cublasStatus_t.
constexpr std::array<std::pair<int, std::string_view>, 8> kStatuses = {
    {{1, "CUBLAS_STATUS_NOT_INITIALIZED"},
     {3, "CUBLAS_STATUS_ALLOC_FAILED"},
     {7, "CUBLAS_STATUS_INVALID_VALUE"},
     {8, "CUBLAS_STATUS_ARCH_MISMATCH"},
     {11, "CUBLAS_STATUS_MAPPING_ERROR"},
     {13, "CUBLAS_STATUS_EXECUTION_FAILED"},
     {14, "CUBLAS_STATUS_INTERNAL_ERROR"},
     {15, "CUBLAS_STATUS_NOT_SUPPORTED"}}};

constexpr stream::BlasLt kCublasLt = {
    .name = "cuBLASLt",
    .prefix = "cublasLt",
    .sonames = kSonames,
    .types = kTypes,
    .algorithm_bytes = sizeof(LtHeuristic::algorithm),
    .transpose_a = kLtTransposeA,
    .transpose_b = kLtTransposeB,
    .no_transpose = kLtNoTranspose,
    .transpose = kLtTranspose,
    .workspace_bytes = kLtWorkspaceBytes,
    .not_supported = 15,
    .statuses = kStatuses,
    .fast_accumulation = kLtFastAccumulation,
};

}  // namespace

const stream::BlasLt& CublasLt() { return kCublasLt; }

}  // namespace backends::cuda
