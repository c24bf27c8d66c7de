// SPDX-License-Identifier: MIT
// Hopper's warpgroup instructions on the host, written from PTX ISA 8.0, "Asynchronous Warpgroup Level Matrix
// Instructions", not from the kernels. Included by emulation.h.
//
// What that text leaves undefined ends the launch: a product into registers that no wgmma.fence has ordered
// since they were used (or that a wait handed back: their reading can not be seen here, so it is assumed), an
// operand in shared memory that changes before the product is known to have ended, a descriptor that differs
// in a warp, is misaligned or leaves shared memory, warps of a warpgroup that do different things. A product
// reads what the async proxy sees when its warp issues it, and its registers are NaN until a wait has handed
// it back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/kernels/tensor_cores.h"

namespace emulation {

constexpr unsigned kProductRows = 16;   // of a warp; a warpgroup's four have 64
constexpr unsigned kProductBytes = 32;  // of k

// What a thread brings to wgmma.mma_async; its registers are `columns` / 2 numbers of 4 bytes.
struct WarpgroupProduct {
  unsigned columns;
  std::uint64_t a, b;  // descriptors
  void* registers;
  // sums[kProductRows x columns] += A * B, of which a and b hold kProductBytes a row or column.
  void (*add)(const std::uint8_t* a, const std::uint8_t* b, unsigned columns, void* sums);
};
void IssueProduct(WarpgroupProduct product);
void FenceRegistersOf(void* registers, std::size_t bytes);
void CommitIssuedProducts();
void WaitForProducts(unsigned pending);

// Before and after a block of that many threads.
void ClearWarpgroups(std::size_t threads);
void CheckWarpgroups();

template <unsigned kBits, class Acc, Acc (*kValue)(std::uint32_t)>
void AddProduct(const std::uint8_t* a, const std::uint8_t* b, unsigned columns, void* sums) {
  constexpr unsigned kDepth = kProductBytes * 8 / kBits, kBytes = kBits / 8;
  const tests::TensorCore& core = kBits == 8    ? tests::kEightBits
                                  : kBits == 16 ? tests::kHopper
                                                : tests::kHopperTf32;
  const auto number = [](const std::uint8_t* row, unsigned i) {
    std::uint32_t word = 0;
    for (unsigned byte = 0; byte < kBytes; ++byte) {
      word |= std::uint32_t{row[i * kBytes + byte]} << (8 * byte);
    }
    return kValue(word);
  };
  Acc rows[kProductRows][kDepth];
  for (unsigned row = 0; row < kProductRows; ++row) {
    for (unsigned i = 0; i < kDepth; ++i) rows[row][i] = number(a + row * kProductBytes, i);
  }
  auto* all = static_cast<Acc*>(sums);
  for (unsigned column = 0; column < columns; ++column) {
    Acc own[kDepth];
    for (unsigned i = 0; i < kDepth; ++i) own[i] = number(b + column * kProductBytes, i);
    for (unsigned row = 0; row < kProductRows; ++row) {
      Acc& sum = all[row * columns + column];
      sum = tests::AddProducts(core, sum, rows[row], own, kDepth);
    }
  }
}

}  // namespace emulation
