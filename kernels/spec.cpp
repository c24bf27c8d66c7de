// SPDX-License-Identifier: MIT
#include "kernels/spec.h"

#include <cstddef>

#include "kernels/operand.h"

namespace kernels {
namespace {

constexpr std::array kKernelRows = {
    KernelRow{Kernel::kGemm, "gemm", "flop_per_s"},
    KernelRow{Kernel::kChain, "chain", "flop_per_s"},
    KernelRow{Kernel::kGemv, "gemv", "bytes_per_s"},
    KernelRow{Kernel::kRead, "read", "bytes_per_s"},
    KernelRow{Kernel::kCopy, "copy", "bytes_per_s"},
    KernelRow{Kernel::kTriad, "triad", "bytes_per_s"},
    KernelRow{Kernel::kHostToDevice, "h2d", "bytes_per_s"},
    KernelRow{Kernel::kDeviceToHost, "d2h", "bytes_per_s"},
    KernelRow{Kernel::kPeer, "p2p", "bytes_per_s"},
    KernelRow{Kernel::kLaunch, "launch", "s"},
    KernelRow{Kernel::kFill, "fill", "bytes_per_s"},
};

constexpr std::array kDtypeRows = {
    DtypeRow{Dtype::kFp64, "fp64", 64, false},  DtypeRow{Dtype::kFp32, "fp32", 32, false},
    DtypeRow{Dtype::kTf32, "tf32", 32, false},  DtypeRow{Dtype::kFp16, "fp16", 16, false},
    DtypeRow{Dtype::kBf16, "bf16", 16, false},  DtypeRow{Dtype::kFp8, "fp8", 8, false},
    DtypeRow{Dtype::kFp4, "fp4", 4, false},     DtypeRow{Dtype::kInt8, "int8", 8, true},
    DtypeRow{Dtype::kInt32, "int32", 32, true}, DtypeRow{Dtype::kQ4, "q4", 4, false},
    DtypeRow{Dtype::kQ8, "q8", 8, false},       DtypeRow{Dtype::kU32, "u32", 32, true},
};

double ElementBytes(Dtype dtype) {
  const std::uint32_t block = BlockBytes(dtype);
  return block != 0 ? static_cast<double>(block) / kQ4Block : static_cast<double>(Row(dtype).bits) / 8.0;
}

}  // namespace

const KernelRow& Row(Kernel kernel) { return kKernelRows[static_cast<std::size_t>(kernel)]; }
std::span<const KernelRow> Kernels() { return kKernelRows; }
const DtypeRow& Row(Dtype dtype) { return kDtypeRows[static_cast<std::size_t>(dtype)]; }
std::span<const DtypeRow> Dtypes() { return kDtypeRows; }

std::uint32_t BlockBytes(Dtype dtype) {
  if (dtype == Dtype::kQ4) return static_cast<std::uint32_t>(Q4Bytes(kQ4Block));
  return dtype == Dtype::kQ8 ? static_cast<std::uint32_t>(Q8Bytes(kQ4Block)) : 0;
}

double Work(Kernel kernel, Dtype in, const Problem& problem) {
  const double m = problem.m;
  const double n = problem.n;
  const double k = problem.k;
  const double count_bytes = static_cast<double>(problem.count) * ElementBytes(in);
  switch (kernel) {
    case Kernel::kGemm:
      return 2.0 * m * n * k;
    case Kernel::kGemv:
      return m * k * ElementBytes(in);
    case Kernel::kCopy:
      return 2.0 * count_bytes;
    case Kernel::kTriad:
      return 3.0 * count_bytes;
    case Kernel::kChain:
      return 2.0 * static_cast<double>(problem.count) * n * k;
    case Kernel::kRead:
    case Kernel::kHostToDevice:
    case Kernel::kDeviceToHost:
    case Kernel::kPeer:
    case Kernel::kFill:
      return count_bytes;
    case Kernel::kLaunch:
      return 1.0;
  }
  return 0.0;
}

}  // namespace kernels
