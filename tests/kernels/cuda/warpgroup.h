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

#include "tests/kernels/cuda/operands.h"

namespace emulation {

constexpr unsigned kProductRows = 16;  // of a warp; a warpgroup's four have 64

// What a thread brings to wgmma.mma_async; its registers are `columns` / 2 numbers of 4 bytes.
struct WarpgroupProduct {
  unsigned columns;
  std::uint64_t a, b;  // descriptors
  void* registers;
  Adder add;
};
void IssueProduct(WarpgroupProduct product);
void FenceRegistersOf(void* registers, std::size_t bytes);
void CommitIssuedProducts();
void WaitForProducts(unsigned pending);

// Before and after a block of that many threads.
void ClearWarpgroups(std::size_t threads);
void CheckWarpgroups();

}  // namespace emulation
