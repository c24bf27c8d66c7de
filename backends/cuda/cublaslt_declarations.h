// SPDX-License-Identifier: MIT
// The few declarations of cuBLASLt that are called, from its public reference (docs.nvidia.com/cuda/cublas,
// "Using the cuBLASLt API"); tests/abi compares them with cublasLt.h. Every handle is a pointer to something
// opaque.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace backends::cuda {

struct LtHeuristic {
  std::array<std::uint64_t, 8> algorithm;
  std::size_t workspace_bytes;
  int state;
  float waves;
  std::array<int, 4> reserved;
};
static_assert(sizeof(LtHeuristic) == 96);

// cudaDataType and cublasComputeType_t.
enum LtType : int { kLtFp32 = 0, kLtFp16 = 2, kLtInt8 = 3, kLtInt32 = 10, kLtBf16 = 14, kLtFp8 = 28 };
enum LtCompute : int { kLtCompute16 = 64, kLtCompute32 = 68, kLtComputeInt32 = 72, kLtComputeTf32 = 77 };
inline constexpr int kLtTransposeA = 3;
inline constexpr int kLtTransposeB = 4;
inline constexpr int kLtFastAccumulation = 25;
inline constexpr int kLtWorkspaceBytes = 1;
inline constexpr int kLtNoTranspose = 0;
inline constexpr int kLtTranspose = 1;

}  // namespace backends::cuda
