// SPDX-License-Identifier: MIT
#include "tests/kernels/cuda/operands.h"

#include <algorithm>
#include <cstring>

#include "tests/kernels/cuda/emulation.h"

namespace emulation {
namespace {

constexpr std::uint64_t kPieceBytes = 16;

// Where the 16 bytes `piece` of a K-major row lie: PTX ISA, "Strides" and "Shared Memory Matrix Layout". An
// atom is eight rows; atoms are `stride` apart, and without swizzle those along k `leading`. Swizzled, the
// address bits from 4 on are XORed with those from 7 on, as many as count the pieces of an atom's row.
std::uint64_t AddressOf(const MatrixPlace& of, unsigned row, unsigned piece) {
  const std::uint64_t along = of.row_bytes == kPieceBytes ? piece * of.leading : piece * kPieceBytes;
  const std::uint64_t plain = of.start + row / 8 * of.stride + row % 8 * of.row_bytes + along;
  return plain ^ (plain >> 7 & (of.row_bytes / kPieceBytes - 1)) << 4;
}

template <unsigned kBits, class Acc, Acc (*kValue)(std::uint32_t)>
std::vector<Acc> Numbers(const std::uint8_t* from, std::size_t count) {
  std::vector<Acc> out(count);
  for (Acc& number : out) {
    std::uint32_t word = 0;
    for (unsigned byte = 0; byte < kBits / 8; ++byte) word |= std::uint32_t{*from++} << (8 * byte);
    number = kValue(word);
  }
  return out;
}

template <class Acc>
bool AreAlike(const Acc* first, std::size_t count) {
  return std::memcmp(first, first + 1, (count - 1) * sizeof(Acc)) == 0;
}

template <unsigned kBits, class Acc, Acc (*kValue)(std::uint32_t)>
void Add(const std::uint8_t* a, const std::uint8_t* b, std::size_t rows, std::size_t columns, void* sums) {
  constexpr unsigned kDepth = kProductBytes * 8 / kBits;
  const tests::TensorCore& core = kBits == 8    ? tests::kEightBits
                                  : kBits == 16 ? tests::kHopper
                                                : tests::kHopperTf32;
  const auto of_a = Numbers<kBits, Acc, kValue>(a, rows * kDepth);
  const auto of_b = Numbers<kBits, Acc, kValue>(b, columns * kDepth);
  auto* all = static_cast<Acc*>(sums);
  const auto sum = [&](std::size_t row, std::size_t column) {
    return tests::AddProducts(core, all[row * columns + column], &of_a[row * kDepth], &of_b[column * kDepth],
                              kDepth);
  };
  // Where all operands are ones, and all sums alike, one stands for all.
  const std::size_t count = rows * columns;
  if (AreAlike(of_a.data(), of_a.size()) && AreAlike(of_b.data(), of_b.size()) && AreAlike(all, count)) {
    return void(std::fill_n(all, count, sum(0, 0)));
  }
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) all[row * columns + column] = sum(row, column);
  }
}

}  // namespace

#define ADDER(name, bits, number, value)                                                                 \
  void name(const std::uint8_t* a, const std::uint8_t* b, unsigned rows, unsigned columns, void* sums) { \
    Add<bits, number, value>(a, b, rows, columns, sums);                                                 \
  }
ADDER(AddFp16, 16, float, HalfWord)
ADDER(AddBf16, 16, float, Bf16Number)
ADDER(AddTf32, 32, float, Tf32Number)
ADDER(AddFp8, 8, float, Fp8Number)
ADDER(AddInt8, 8, int, Int8Number)
#undef ADDER

std::vector<std::uint8_t> ReadRows(std::size_t rank, const MatrixPlace& place, unsigned first,
                                   unsigned rows) {
  std::vector<std::uint8_t> out(std::size_t{rows} * kProductBytes);
  // The pattern starts at its own size's boundary; the start may lie further along the first row.
  const bool swizzled = place.row_bytes != kPieceBytes;
  if (swizzled && place.start % (8 * place.row_bytes) >= place.row_bytes) {
    Fail("a swizzled matrix is misaligned");
  }
  for (unsigned row = 0; row < rows; ++row) {
    for (unsigned piece = 0; piece < kProductBytes / kPieceBytes; ++piece) {
      const std::uint8_t* from = AsAsyncProxySees(rank, AddressOf(place, first + row, piece), kPieceBytes);
      if (from == nullptr) return out;
      std::memcpy(out.data() + row * kProductBytes + piece * kPieceBytes, from, kPieceBytes);
    }
  }
  return out;
}

}  // namespace emulation
