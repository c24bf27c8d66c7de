// SPDX-License-Identifier: MIT
// Tensor memory and the instructions that multiply into it on the host, written from PTX ISA 8.6, "TensorCore
// 5th Generation Family Instructions", not from the kernels. Included by emulation.h.
//
// Products end in the order in which they were asked for and as late as they can: when no thread can run
// without the arrival that follows them. In one order of the threads that is the oldest arrival, after the
// copies that are on their way, in the other the newest, before them. The launch ends at what that text
// leaves undefined: a product into, or a load from, columns that were not allocated or with a product that is
// not known to have ended; a product into columns that a thread has loaded from and not said so by a fence;
// either without a fence after the thread has waited; operands that change before their product has ended; a
// lane of another warp's; a descriptor whose bits mean nothing; columns that are not freed. What was never
// written is NaN, and so are registers until a wait says that their load has ended.
#pragma once

#include <cstdint>

#include "tests/kernels/cuda/cluster.h"

namespace emulation {

enum class TensorKind { kF16, kTf32, kF8, kI8 };
constexpr unsigned kColumnsLoaded = 32;

// By all of a warp; for so many blocks (1, 2) that work together.
void AllocateColumnsTo(void* address, unsigned count, unsigned blocks);
void FreeColumnsFrom(unsigned address, unsigned count, unsigned blocks);
void LoadColumnsTo(void* registers, unsigned address);  // kColumnsLoaded of 4 bytes
void WaitForColumns();

// By one thread, of two blocks by the first's.
struct TensorOperands {
  unsigned d;
  std::uint64_t a, b;  // descriptors
  bool adds;
};
void MultiplyInTensorMemory(TensorKind kind, const TensorOperands& operands, unsigned instruction,
                            unsigned blocks);
void ArriveAfterProductsAt(const void* barrier, unsigned blocks);
void FenceBeforeOthersGoOn();
void FenceAfterWaiting();
void HasWaited();      // the thread that runs, for others
void ClusterHasMet();  // all of its threads

// Has products end up to an arrival, if any is on its way.
bool FinishProducts(Order order);

// Before and after a cluster.
void ClearTensorMemory(std::size_t blocks, std::size_t threads_of_block);
void CheckTensorMemory();

}  // namespace emulation

template <unsigned kBlocks, unsigned kCount>
void AllocateColumns(unsigned* address) {
  emulation::AllocateColumnsTo(address, kCount, kBlocks);
}
template <unsigned kBlocks, unsigned kCount>
void FreeColumns(unsigned address) {
  emulation::FreeColumnsFrom(address, kCount, kBlocks);
}
inline void FenceBeforeOthers() { emulation::FenceBeforeOthersGoOn(); }
inline void FenceAfterOthers() { emulation::FenceAfterWaiting(); }
template <unsigned kBlocks>
void ArriveAfterProducts(unsigned long long* barrier) {
  emulation::ArriveAfterProductsAt(barrier, kBlocks);
}
template <class Number>
void LoadColumns(Number (&x)[emulation::kColumnsLoaded], unsigned address) {
  emulation::LoadColumnsTo(x, address);
}
template <class Number>
void WaitColumns(Number (&)[emulation::kColumnsLoaded]) {
  emulation::WaitForColumns();
}
#define EMULATED_UMMA(name, kind)                                                                          \
  template <unsigned kBlocks>                                                                              \
  void name(unsigned d, unsigned long long a, unsigned long long b, unsigned instruction, bool adds) {     \
    emulation::MultiplyInTensorMemory(emulation::TensorKind::kind, {d, a, b, adds}, instruction, kBlocks); \
  }
EMULATED_UMMA(MultiplyTensorF16, kF16)
EMULATED_UMMA(MultiplyTensorTf32, kTf32)
EMULATED_UMMA(MultiplyTensorF8, kF8)
EMULATED_UMMA(MultiplyTensorI8, kI8)
#undef EMULATED_UMMA
