// SPDX-License-Identifier: MIT
// Products by a library of cuBLASLt's interface, which hipBLASLt has too but for names and numbers. Every
// handle is a pointer to something opaque. Declarations are those of the public references
// (docs.nvidia.com/cuda/cublas, "Using the cuBLASLt API"; rocm.docs.amd.com/projects/hipBLASLt, "API
// reference").
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "backends/stream/products.h"

namespace backends::stream {

// One such library.
struct BlasLt {
  std::string_view name;                      // for people
  std::string_view prefix;                    // of its functions: "cublasLt"
  std::span<const std::string_view> sonames;  // newest first
  std::span<const ProductType> types;
  std::size_t algorithm_bytes;   // of an algorithm, a multiple of 8, before the rest of a heuristic's answer
  int transpose_a, transpose_b;  // attributes of an operation, and
  int no_transpose, transpose;   // their values
  int workspace_bytes;           // an attribute of a preference
  int not_supported;             // the status
  std::span<const std::pair<int, std::string_view>> statuses;
  // An attribute of an operation of one byte: fp8 is added up as the matrix units do, without going back to
  // fp32 every few products, which is what engines ask for. 0 where there is none.
  int fast_accumulation = 0;
};

inline constexpr std::uint64_t kBlasLtWorkspaceBytes = 32U << 20U;  // what cuBLAS itself takes on Hopper

// Wants a current device. Of what the library's heuristics offer for a shape, the fastest on the operands of
// the first product is taken that is not rough; of a rough one the first that runs, which loads one kernel
// from a file instead of eight. `kind` outlives what is returned.
[[nodiscard]] probe::Result<Products> OpenBlasLt(const probe::system::Library& library, const BlasLt& kind,
                                                 Runtime& runtime, std::uint64_t max_workspace_bytes);

}  // namespace backends::stream
