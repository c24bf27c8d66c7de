// SPDX-License-Identifier: MIT
// rocBLAS. Declarations and numbers from its public reference (rocm.docs.amd.com/projects/rocBLAS,
// "rocblas_gemm_ex").
#include <algorithm>
#include <array>

#include "backends/hip/vendor.h"

namespace backends::hip {
namespace {

using kernels::Dtype;
using stream::Enqueue;
using stream::Product;
using stream::ProductType;

// rocBLAS 5 is of ROCm 7, 4 of 6, 3 and 0 of 5.
constexpr std::array<std::string_view, 5> kSonames = {"librocblas.so.5", "librocblas.so.4", "librocblas.so.3",
                                                      "librocblas.so.0", "librocblas.so"};
// rocblas_datatype and rocblas_operation.
enum Type : int { kF16 = 150, kF32 = 151, kI8 = 160, kI32 = 162, kBf16 = 168 };
constexpr int kNone = 111, kTranspose = 112;

constexpr std::array kTypes = {
    ProductType{"rocblas:fp32/fp32", Dtype::kFp32, Dtype::kFp32, "", {kF32, kF32, kF32, kF32}},
    ProductType{"rocblas:fp16/fp32", Dtype::kFp16, Dtype::kFp32, "", {kF16, kF32, kF32, kF32}},
    ProductType{"rocblas:bf16/fp32", Dtype::kBf16, Dtype::kFp32, "", {kBf16, kF32, kF32, kF32}},
    ProductType{"rocblas:int8/int32", Dtype::kInt8, Dtype::kInt32, "", {kI8, kI32, kI32, kI32}},
};

// What it takes by itself on the largest devices; then it takes more as it wants ("Device memory
// allocation").
constexpr std::uint64_t kMostWorkspaceBytes = 128U << 20U;
// rocblas_status: right, by a slower way than with more workspace.
constexpr int kPerfDegraded = 7;
// The same: not_implemented, excluded_from_build, arch_mismatch.
constexpr std::array kNoSuchProduct = {2, 14, 15};

using CreateHandle = int (*)(void** handle);
using SetWorkspace = int (*)(void* handle, void* address, std::size_t bytes);
using GemmEx = int (*)(void* handle, int transpose_a, int transpose_b, int m, int n, int k, const void* alpha,
                       const void* a, int a_type, int a_stride, const void* b, int b_type, int b_stride,
                       const void* beta, const void* c, int c_type, int c_stride, void* d, int d_type,
                       int d_stride, int compute, int algorithm, std::int32_t solution, std::uint32_t flags);

// rocblas_status.
probe::Error StatusError(std::string_view call, int status) {
  constexpr std::array<std::string_view, 8> kNames = {"success",         "invalid_handle", "not_implemented",
                                                      "invalid_pointer", "invalid_size",   "memory_error",
                                                      "internal_error",  "perf_degraded"};
  const auto index = static_cast<std::size_t>(status);
  return {std::string(call),
          status,
          index < kNames.size() ? "rocblas_status_" + std::string(kNames[index]) : "unknown error",
          {}};
}

// Of a product: that the library has none for these types, or none for this device, is no fault of either.
probe::Error ProductError(int status) {
  constexpr std::string_view kCall = "rocblas_gemm_ex";
  if (std::find(kNoSuchProduct.begin(), kNoSuchProduct.end(), status) == kNoSuchProduct.end())
    return StatusError(kCall, status);
  auto error = probe::Own(probe::OwnError::kNoSuchKernel, std::string(kCall),
                          "rocBLAS has no such product for this device");
  error.code = status;
  return error;
}

// Has it work in memory of ours instead of its own, which it takes without asking and without a bound, and
// says how much that is.
probe::Result<std::uint64_t> GiveWorkspace(const probe::system::Library& library, void* handle,
                                           stream::Runtime& runtime, std::uint64_t max_bytes) {
  constexpr std::string_view kCall = "rocblas_set_workspace";
  const auto set = library.Function<SetWorkspace>(kCall.data());
  if (set == nullptr)
    return probe::Error{"dlsym " + std::string(kCall), std::nullopt, "missing_symbol",
                        "this rocBLAS is too old"};
  const std::uint64_t bytes = std::min(kMostWorkspaceBytes, max_bytes);
  if (bytes == 0)
    return probe::Error{std::string(kCall), std::nullopt, "no memory", "none is left that it may take"};
  const auto address = runtime.Allocate(bytes);
  if (!address) return address.error();
  const int status = set(handle, stream::DevicePointer(*address), bytes);
  if (status == 0) return bytes;
  runtime.Free(*address);
  return StatusError(kCall, status);
}

probe::Result<stream::Products> Open(const probe::system::Library& library, stream::Runtime& runtime,
                                     std::uint64_t max_workspace_bytes) {
  const auto create = library.Function<CreateHandle>("rocblas_create_handle");
  const auto gemm = library.Function<GemmEx>("rocblas_gemm_ex");
  if (create == nullptr || gemm == nullptr)
    return probe::Error{"dlsym rocblas_gemm_ex", std::nullopt, "missing_symbol", "this rocBLAS is too old"};
  void* handle = nullptr;
  if (const int status = create(&handle); status != 0) return StatusError("rocblas_create_handle", status);
  const auto prepare = [=](const Product& product) -> probe::Result<Enqueue> {
    // Where matrices are stored by columns, C is n x m: the transpose of B as stored times A as stored.
    return Enqueue([=]() -> probe::Status {
      const auto& [type, m, n, k, a, b, c, rough] = product;
      const auto& numbers = type.numbers;
      const stream::Scales scales = stream::ScalesOf(type);
      const int status =
          gemm(handle, kTranspose, kNone, n, m, k, &scales.one, b, numbers.operand, k, a, numbers.operand, k,
               &scales.zero, c, numbers.result, n, c, numbers.result, n, numbers.compute, 0, 0, 0);
      return status == 0 || status == kPerfDegraded ? probe::Ok() : probe::Status(ProductError(status));
    });
  };
  const auto workspace = GiveWorkspace(library, handle, runtime, max_workspace_bytes);
  if (!workspace) return stream::Products{kTypes, prepare, 0, probe::Describe(workspace.error())};
  return stream::Products{kTypes, prepare, *workspace};
}

}  // namespace

Vendor Rocblas() {
  return {.name = "rocblas",
          .sonames = kSonames,
          .folder = "rocblas",
          .kernels_variable = "ROCBLAS_TENSILE_LIBPATH",
          .least_rocm = 5,
          .types = kTypes,
          .open = Open};
}

}  // namespace backends::hip
