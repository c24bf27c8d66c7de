// SPDX-License-Identifier: MIT
#include "tests/kernels/cuda/tensor_descriptors.h"

#include <algorithm>
#include <array>

#include "tests/kernels/cuda/emulation.h"

namespace emulation {
namespace {

constexpr std::uint64_t kPieceBytes = 16;

}  // namespace

// Of the kinds without block scaling: sparsity, saturation, negation,
// transposition and shifts are 0 here.
std::optional<Instruction> DecodeInstruction(unsigned bits) {
  constexpr unsigned kFields = 3U << 4U | 7U << 7U | 7U << 10U | 63U << 17U | 31U << 24U;
  if ((bits & ~kFields) != 0) return std::nullopt;
  return Instruction{bits >> 4U & 3U, bits >> 7U & 7U, bits >> 10U & 7U, (bits >> 17U & 63U) * 8,
                     (bits >> 24U & 31U) * 16};
}

// Types that kernels here multiply, by their numbers in the descriptor; A and B are of the same.
Adder AdderOf(TensorKind kind, const Instruction& of) {
  struct Row {
    TensorKind kind;
    unsigned type, sum;
    Adder add;
  };
  constexpr std::array kRows = {
      Row{TensorKind::kF16, 0, 1, AddFp16},  Row{TensorKind::kF16, 1, 1, AddBf16},
      Row{TensorKind::kTf32, 2, 1, AddTf32}, Row{TensorKind::kF8, 0, 1, AddFp8},
      Row{TensorKind::kI8, 1, 2, AddInt8},
  };
  const auto* row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& known) {
    return known.kind == kind && known.type == of.a && known.type == of.b && known.sum == of.sum;
  });
  return row == kRows.end() ? nullptr : row->add;
}

// As Hopper's, with a version of 1 and three bits of swizzle.
MatrixPlace DecodeMatrix(std::uint64_t bits) {
  // None, and the swizzles of 128, 64 and 32 bytes; that of 128 in pieces of 32 no kernel here has.
  constexpr std::array<std::uint64_t, 8> kRowBytes = {16, 0, 128, 0, 64, 0, 32, 0};
  const std::uint64_t unused = BitsOf(bits, 14, 2) | BitsOf(bits, 30, 2) | BitsOf(bits, 52, 9);
  if (unused != 0 || BitsOf(bits, 46, 3) != 1) Fail("a matrix descriptor has bits that mean nothing");
  if (BitsOf(bits, 49, 3) != 0) Fail("a matrix descriptor has a base offset, which no kernel here needs");
  std::uint64_t row_bytes = kRowBytes[BitsOf(bits, 61, 3)];
  if (row_bytes == 0) Fail("a swizzle that no kernel here has"), row_bytes = kPieceBytes;
  return {BitsOf(bits, 0, 14) * kPieceBytes, BitsOf(bits, 16, 14) * kPieceBytes,
          BitsOf(bits, 32, 14) * kPieceBytes, row_bytes};
}
}  // namespace emulation
