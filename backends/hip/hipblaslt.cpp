// SPDX-License-Identifier: MIT
// hipBLASLt as a table: the types that are asked for, and how its interface is numbered
// (rocm.docs.amd.com/projects/hipBLASLt, "API reference", and hipBLAS-common's for types).
#include <array>

#include "backends/hip/vendor.h"
#include "backends/stream/blas_lt.h"

namespace backends::hip {
namespace {

using kernels::Dtype;
using stream::ProductType;

// hipBLASLt 1 is of ROCm 7.
constexpr std::array<std::string_view, 3> kSonames = {"libhipblaslt.so.1", "libhipblaslt.so.0",
                                                      "libhipblaslt.so"};
// hipDataType, hipblasComputeType_t.
enum Type : int { kF32 = 0, kF16 = 2, kI8 = 3, kI32 = 10, kBf16 = 14, kFp8 = 28, kFp8Fnuz = 1000 };
enum Compute : int { kCompute32 = 2, kComputeTf32 = 6, kComputeInt32 = 9 };

constexpr std::array kTypes = {
    ProductType{"hipblaslt:fp32/fp32", Dtype::kFp32, Dtype::kFp32, "", {kF32, kF32, kCompute32, kF32}},
    ProductType{
        "hipblaslt:tf32/fp32", Dtype::kTf32, Dtype::kFp32, "mfma_xf32", {kF32, kF32, kComputeTf32, kF32}},
    ProductType{"hipblaslt:fp16/fp32", Dtype::kFp16, Dtype::kFp32, "", {kF16, kF32, kCompute32, kF32}},
    ProductType{"hipblaslt:bf16/fp32", Dtype::kBf16, Dtype::kFp32, "", {kBf16, kF32, kCompute32, kF32}},
    ProductType{"hipblaslt:int8/int32", Dtype::kInt8, Dtype::kInt32, "", {kI8, kI32, kComputeInt32, kI32}},
    ProductType{"hipblaslt:fp8_fnuz/fp32",
                Dtype::kFp8,
                Dtype::kFp32,
                "mfma_fp8_fnuz",
                {kFp8Fnuz, kF32, kCompute32, kF32}},
    ProductType{"hipblaslt:fp8/fp32", Dtype::kFp8, Dtype::kFp32, "mfma_fp8", {kFp8, kF32, kCompute32, kF32}},
    ProductType{
        "hipblaslt:fp8/fp32 wmma", Dtype::kFp8, Dtype::kFp32, "wmma_gfx12", {kFp8, kF32, kCompute32, kF32}},
};

// hipblasStatus_t.
constexpr std::array<std::pair<int, std::string_view>, 8> kStatuses = {
    {{1, "HIPBLAS_STATUS_NOT_INITIALIZED"},
     {2, "HIPBLAS_STATUS_ALLOC_FAILED"},
     {3, "HIPBLAS_STATUS_INVALID_VALUE"},
     {4, "HIPBLAS_STATUS_MAPPING_ERROR"},
     {5, "HIPBLAS_STATUS_EXECUTION_FAILED"},
     {6, "HIPBLAS_STATUS_INTERNAL_ERROR"},
     {7, "HIPBLAS_STATUS_NOT_SUPPORTED"},
     {8, "HIPBLAS_STATUS_ARCH_MISMATCH"}}};

constexpr stream::BlasLt kHipblasLt = {
    .name = "hipBLASLt",
    .prefix = "hipblasLt",
    .sonames = kSonames,
    .types = kTypes,
    .algorithm_bytes = 24,  // 16 of its own, and its workspace
    .transpose_a = 0,
    .transpose_b = 1,
    .no_transpose = 111,
    .transpose = 112,
    .workspace_bytes = 1,
    .not_supported = 7,
    .statuses = kStatuses,
};

probe::Result<stream::Products> Open(const probe::system::Library& library, stream::Runtime& runtime,
                                     std::uint64_t max_workspace_bytes) {
  return stream::OpenBlasLt(library, kHipblasLt, runtime, max_workspace_bytes);
}

}  // namespace

const stream::BlasLt& HipblasLtInterface() { return kHipblasLt; }

Vendor HipblasLt() {
  return {.name = "hipblaslt",
          .sonames = kSonames,
          .folder = "hipblaslt",
          .kernels_variable = "HIPBLASLT_TENSILE_LIBPATH",
          .least_rocm = 6,
          .types = kTypes,
          .open = Open};
}

}  // namespace backends::hip
