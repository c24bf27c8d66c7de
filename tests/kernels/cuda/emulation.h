// SPDX-License-Identifier: MIT
// CUDA's execution model on the host, for kernel sources compiled as C++: the threads of a block as fibers
// that run one at a time, barriers, warps that meet for ldmatrix and mma, shared memory, copies that arrive
// late. Include it before kernels/cuda/*.cu. It computes and catches what a GPU would get wrong; it says
// nothing about speed. Warpgroups: warpgroup.h; clusters: cluster.h; tensor memory: tensor_memory.h.
//
// A thread runs on until it waits. So where a barrier is missing one thread, or one warp, is far ahead of the
// others and meets what they have not written yet: shared memory is filled with NaN before every block and
// wherever a copy is on its way to, and each kernel is run in two orders, first to last and last to first.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>

#include "tests/kernels/cuda/cluster.h"
#include "tests/kernels/cuda/tensor_memory.h"
#include "tests/kernels/cuda/warpgroup.h"
#include "tests/kernels/narrow_floats.h"
#include "tests/kernels/tensor_cores.h"

#define __global__
#define __launch_bounds__(...)
#define __grid_constant__
#define PAIR_OF_BLOCKS
#define __restrict__
// Of the block that runs: one at a time. Static, hence cleared by Launch through a list that is built here.
#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))
#define DEVICE inline
#define KERNEL void

namespace emulation {

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};
struct alignas(16) Float4 {
  float x, y, z, w;
};
struct alignas(16) Uint4 {
  unsigned x, y, z, w;
};
struct alignas(8) Float2 {
  float x, y;
};
struct alignas(8) Int2 {
  int x, y;
};
struct alignas(16) Int4 {
  int x, y, z, w;
};

// Of the thread that runs.
extern Dim3 thread, block, block_size, grid_size;

// Runs every block of the grid, those of a cluster beside each other, each thread calling `kernel` once.
// Empty, or what went wrong: threads that waited for ever (a barrier that not all of them reach), or what
// Fail() was told.
[[nodiscard]] std::string Launch(Dim3 grid, Dim3 threads, unsigned shared_bytes, Order order,
                                 const std::function<void()>& kernel, unsigned cluster = 1);

constexpr std::uint8_t kPoison = 0xff;  // NaN in every floating type
// The kernel did what PTX leaves undefined: the launch ends as soon as another thread's turn comes.
void Fail(const std::string& why);
[[nodiscard]] bool Failed();
[[nodiscard]] std::size_t CurrentThread();  // its place in the cluster
[[nodiscard]] std::size_t CurrentBlock();   // of the cluster
[[nodiscard]] bool HasEnded(std::size_t rank);

void Synchronise();
void SynchroniseCluster();
// The thread waits until any other has woken all that do.
void WaitUntilWoken();
void WakeWaiting();
// Dynamic shared memory as threads see it. Its address in the shared window is not 0 (CUDA keeps the first
// KiB).
[[nodiscard]] unsigned char* Shared();
constexpr unsigned kSharedBase = 1024;
// `bytes` from an address of that block's window, as the async proxy sees them: NaN until a thread's
// fence.proxy.async after its own writing. nullptr, and a failure, outside.
[[nodiscard]] const std::uint8_t* AsAsyncProxySees(std::size_t rank, std::uint64_t address,
                                                   std::size_t bytes);
void Store(void* to, std::uint32_t word);  // to shared memory, by a thread
// Where in its block's dynamic shared memory that is; a failure, and nothing, outside.
[[nodiscard]] std::optional<std::size_t> PlaceInBlock(const void* pointer, std::size_t bytes);
// By a copy that all proxies see, and while it is on its way.
void WriteShared(std::size_t rank, std::size_t place, const void* from, std::size_t bytes);
void SpoilShared(std::size_t rank, std::size_t place, std::size_t bytes);
void FenceProxies();
// Waits for the 32 threads of the warp, then lets the last of them do `together` with what each brought.
constexpr unsigned kWarp = 32;
void Meet(void* brought, void (*together)(void* const (&all)[kWarp]));
// The same of `width` threads.
void MeetOf(unsigned width, void* brought, const std::function<void(void* const* all)>& together);

void Copy(void* to, const void* from);  // of 16 bytes; NaN until it arrives, at the Wait that says so
void Commit();
void Wait(unsigned pending);

// What the threads of a warp bring to ldmatrix and to mma.
struct Matrices {
  const unsigned char* row;
  unsigned* out;
};
void LoadMatricesTogether(void* const (&all)[kWarp]);

// D += A * B by the fragments of PTX's mma (PTX ISA, "Matrix fragments for mma.m16n8k16" and those beside
// it): `bits` an element, `value` its number; kRows x 8, `kPieces` times 16 bytes deep. A register of A or B
// holds a part of 8 rows or columns x 16 bytes, those of A the rows first. Added up as the first chips that
// have the instruction do.
struct Fragments {
  void* d;
  const unsigned* a;
  const unsigned* b;
};
template <unsigned kBits, class Acc, Acc (*kValue)(std::uint32_t), unsigned kRows, unsigned kPieces>
struct Multiplicands {
  static constexpr unsigned kEach = 32 / kBits;   // elements of a register
  static constexpr unsigned kPart = 128 / kBits;  // of k, in 16 bytes
  static constexpr unsigned kDepth = kPieces * kPart;
  static constexpr const tests::TensorCore& kCore = kBits == 4     ? tests::kHopper
                                                    : kBits == 8   ? tests::kEightBits
                                                    : kBits == 32  ? tests::kAmpereTf32
                                                    : kPieces == 1 ? tests::kTuring
                                                                   : tests::kAmpere;
  Acc a[kRows][kDepth], b[8][kDepth];

  static Acc Element(unsigned word, unsigned i) {
    return kValue(kBits == 32 ? word : word >> (i * kBits % 32) & ((1U << kBits % 32) - 1));
  }
  void Take(unsigned lane, const unsigned* of_a, const unsigned* of_b) {
    const unsigned group = lane / 4, within = lane % 4;
    for (unsigned i = 0; i < kPieces * kEach; ++i) {
      const unsigned piece = i / kEach, k = piece * kPart + within * kEach + i % kEach;
      for (unsigned part = 0; part < kRows / 8; ++part) {
        a[part * 8 + group][k] = Element(of_a[piece * (kRows / 8) + part], i % kEach);
      }
      b[group][k] = Element(of_b[piece], i % kEach);
    }
  }
  void AddTo(unsigned lane, Acc* d) const {
    for (unsigned i = 0; i < kRows / 4; ++i) {
      const unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
      d[i] = tests::AddProducts(kCore, d[i], a[row], b[column], kDepth);
    }
  }
};
template <unsigned kBits, class Acc, Acc (*kValue)(std::uint32_t), unsigned kRows = 16, unsigned kPieces = 2>
void MultiplyTogether(void* const (&all)[kWarp]) {
  Multiplicands<kBits, Acc, kValue, kRows, kPieces> both;
  const auto of = [&](unsigned lane) { return static_cast<const Fragments*>(all[lane]); };
  for (unsigned lane = 0; lane < kWarp; ++lane) both.Take(lane, of(lane)->a, of(lane)->b);
  for (unsigned lane = 0; lane < kWarp; ++lane) both.AddTo(lane, static_cast<Acc*>(of(lane)->d));
}

// The same with scales (PTX ISA, "Block Scaling"), selectors 0: each of kScales bytes for its part of k; of
// A's row r from lane 4 r, of row r + 8 from lane 4 r + 1, of B's column c from lane 4 c.
struct ScaledFragments {
  Fragments fragments;
  unsigned scale_a, scale_b;
};
template <unsigned kBits, float (*kValue)(std::uint32_t), unsigned kScales, float (*kScale)(std::uint32_t)>
void MultiplyScaledTogether(void* const (&all)[kWarp]) {
  using Both = Multiplicands<kBits, float, kValue, 16, 2>;
  Both both;
  const auto of = [&](unsigned lane) { return static_cast<const ScaledFragments*>(all[lane]); };
  for (unsigned lane = 0; lane < kWarp; ++lane) both.Take(lane, of(lane)->fragments.a, of(lane)->fragments.b);
  const auto scale = [](unsigned word, unsigned k) {
    return kScale(word >> (k / (Both::kDepth / kScales) * 8) & 0xffU);
  };
  for (unsigned k = 0; k < Both::kDepth; ++k) {
    for (unsigned row = 0; row < 16; ++row) both.a[row][k] *= scale(of(row % 8 * 4 + row / 8)->scale_a, k);
    for (unsigned column = 0; column < 8; ++column) both.b[column][k] *= scale(of(column * 4)->scale_b, k);
  }
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    both.AddTo(lane, static_cast<float*>(of(lane)->fragments.d));
  }
}

inline float HalfWord(std::uint32_t word) { return tests::FromHalf(static_cast<std::uint16_t>(word)); }
inline float Bf16Number(std::uint32_t word) { return tests::FromBf16(static_cast<std::uint16_t>(word)); }
inline float Fp8Number(std::uint32_t word) { return tests::FromFp8(static_cast<std::uint8_t>(word)); }
inline float Tf32Number(std::uint32_t word) {
  return std::bit_cast<float>(word & 0xffffe000U);  // the low 13 bits are ignored
}
inline int Int8Number(std::uint32_t word) { return static_cast<std::int8_t>(word); }

// Sums in fp16, two a register.
template <unsigned kPieces>
void MultiplyHalfTogether(void* const (&all)[kWarp]) {
  float sums[kWarp][4];
  Fragments wide[kWarp];
  void* pointers[kWarp];
  const auto d = [&](unsigned lane) { return static_cast<unsigned*>(static_cast<Fragments*>(all[lane])->d); };
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    for (unsigned i = 0; i < 4; ++i) sums[lane][i] = HalfWord(d(lane)[i / 2] >> (i % 2 * 16) & 0xffffU);
    wide[lane] = *static_cast<Fragments*>(all[lane]);
    wide[lane].d = sums[lane];
    pointers[lane] = &wide[lane];
  }
  MultiplyTogether<16, float, HalfWord, 16, kPieces>(pointers);
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    for (unsigned i = 0; i < 2; ++i) {
      d(lane)[i] = tests::ToHalf(sums[lane][2 * i]) | std::uint32_t{tests::ToHalf(sums[lane][2 * i + 1])}
                                                          << 16U;
    }
  }
}

}  // namespace emulation

using float4 = emulation::Float4;
using uint4 = emulation::Uint4;
using float2 = emulation::Float2;
using int2 = emulation::Int2;
using int4 = emulation::Int4;
#define threadIdx ::emulation::thread
#define blockIdx ::emulation::block
#define blockDim ::emulation::block_size
#define gridDim ::emulation::grid_size

inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline float2 make_float2(float x, float y) { return {x, y}; }
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
inline unsigned __float_as_uint(float value) {
  unsigned bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float __uint_as_float(unsigned bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
// As PTX ISA, "prmt", has it, without the signs that it can copy.
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  const std::uint64_t bytes = std::uint64_t{high} << 32U | low;
  unsigned word = 0;
  for (unsigned i = 0; i < 4; ++i)
    word |= static_cast<unsigned>(bytes >> (selector >> 4 * i & 7U) * 8 & 0xffU) << 8 * i;
  return word;
}
template <class T>
T __ldcs(const T* from) {
  return *from;
}
inline void __syncthreads() { emulation::Synchronise(); }

inline unsigned char* SharedMemory() { return emulation::Shared(); }
inline float FloatOfHalf(unsigned short bits) { return tests::FromHalf(bits); }
inline void CopyAsync(void* to, const void* from) { emulation::Copy(to, from); }
inline void CommitCopies() { emulation::Commit(); }
template <int kPending>
void WaitCopies() {
  emulation::Wait(kPending);
}
inline void StoreShared(void* to, unsigned word) { emulation::Store(to, word); }
inline unsigned SharedAddress(const void* pointer) {
  return emulation::kSharedBase +
         static_cast<unsigned>(static_cast<const unsigned char*>(pointer) - emulation::Shared());
}
inline void LoadMatrices(unsigned (&out)[4], const void* row) {
  emulation::Matrices brought{static_cast<const unsigned char*>(row), out};
  emulation::Meet(&brought, emulation::LoadMatricesTogether);
}
#define EMULATED_MULTIPLY(name, bits, acc, value)                                        \
  inline void name(acc(&d)[4], const unsigned(&a)[4], const unsigned(&b)[2]) {           \
    emulation::Fragments brought{d, a, b};                                               \
    emulation::Meet(&brought, emulation::MultiplyTogether<bits, acc, emulation::value>); \
  }
EMULATED_MULTIPLY(MultiplyFp16, 16, float, HalfWord)
EMULATED_MULTIPLY(MultiplyBf16, 16, float, Bf16Number)
EMULATED_MULTIPLY(MultiplyTf32, 32, float, Tf32Number)
EMULATED_MULTIPLY(MultiplyInt8, 8, int, Int8Number)
EMULATED_MULTIPLY(MultiplyFp8, 8, float, Fp8Number)
#undef EMULATED_MULTIPLY
#define EMULATED_SCALED(name, bits, value, scales, scale)                                        \
  inline void name(float(&d)[4], const unsigned(&a)[4], const unsigned(&b)[2], unsigned scale_a, \
                   unsigned scale_b) {                                                           \
    emulation::ScaledFragments brought{{d, a, b}, scale_a, scale_b};                             \
    emulation::Meet(&brought, emulation::MultiplyScaledTogether<bits, value, scales, scale>);    \
  }
EMULATED_SCALED(MultiplyFp8Scaled, 8, emulation::Fp8Number, 1, tests::FromE8M0)
EMULATED_SCALED(MultiplyFp4Scaled, 4, tests::FromFp4, 4, tests::FromUe4M3)
#undef EMULATED_SCALED

inline void MultiplyFp16Deep8(float (&d)[4], const unsigned (&a)[2], unsigned b) {
  emulation::Fragments brought{d, a, &b};
  emulation::Meet(&brought, emulation::MultiplyTogether<16, float, emulation::HalfWord, 16, 1>);
}
inline void MultiplyFp16HalfDeep8(unsigned (&d)[2], const unsigned (&a)[2], unsigned b) {
  emulation::Fragments brought{d, a, &b};
  emulation::Meet(&brought, emulation::MultiplyHalfTogether<1>);
}
inline void MultiplyInt8Deep16(int (&d)[2], unsigned a, unsigned b) {
  emulation::Fragments brought{d, &a, &b};
  emulation::Meet(&brought, emulation::MultiplyTogether<8, int, emulation::Int8Number, 8, 1>);
}

template <class T>
void __stcs(T* to, const T& value) {
  *to = value;
}
inline unsigned Warpgroup() { return threadIdx.x / 128; }
inline unsigned Warp() { return threadIdx.x / emulation::kWarp; }
inline bool IsElected() { return threadIdx.x % emulation::kWarp == 0; }
inline void FenceAsyncProxy() { emulation::FenceProxies(); }
template <class Number, unsigned kCount>
void FenceRegisters(Number (&d)[kCount]) {
  emulation::FenceRegistersOf(d, sizeof d);
}
inline void CommitProducts() { emulation::CommitIssuedProducts(); }
template <int kPending>
void WaitProducts() {
  emulation::WaitForProducts(kPending);
}
template <class Number, unsigned kCount>
void FinishProducts(Number (&)[kCount]) {
  emulation::WaitForProducts(0);
}
#define EMULATED_PRODUCT(name, number, add)                                   \
  template <unsigned kCount>                                                  \
  void name(number(&d)[kCount], unsigned long long a, unsigned long long b) { \
    emulation::IssueProduct({2 * kCount, a, b, d, emulation::add});           \
  }
EMULATED_PRODUCT(MultiplyAsyncFp16, float, AddFp16)
EMULATED_PRODUCT(MultiplyAsyncBf16, float, AddBf16)
EMULATED_PRODUCT(MultiplyAsyncTf32, float, AddTf32)
EMULATED_PRODUCT(MultiplyAsyncInt8, int, AddInt8)
EMULATED_PRODUCT(MultiplyAsyncFp8, float, AddFp8)
#undef EMULATED_PRODUCT
inline void MultiplyFp16Half(unsigned (&d)[2], const unsigned (&a)[4], const unsigned (&b)[2]) {
  emulation::Fragments brought{d, a, b};
  emulation::Meet(&brought, emulation::MultiplyHalfTogether<2>);
}

using TensorMap = emulation::TensorMap;
using Barrier = unsigned long long;
inline unsigned BlockOfCluster() { return static_cast<unsigned>(emulation::CurrentBlock()); }
inline void SynchronizeCluster() { emulation::SynchroniseCluster(); }
inline void InitBarrier(Barrier* barrier, unsigned arrivals) { emulation::InitBarrierAt(barrier, arrivals); }
inline void FenceBarriers() { emulation::FenceOwnBarriers(); }
inline void ArriveExpecting(Barrier* barrier, unsigned bytes) {
  emulation::ArriveAtBarrier(barrier, BlockOfCluster(), bytes);
}
inline void Arrive(Barrier* barrier) { emulation::ArriveAtBarrier(barrier, BlockOfCluster(), 0); }
inline void ArriveAt(Barrier* barrier, unsigned block) { emulation::ArriveAtBarrier(barrier, block, 0); }
inline void WaitPhase(Barrier* barrier, unsigned parity) { emulation::WaitForPhase(barrier, parity); }
inline void CopyBoxToBlocks(void* to, const TensorMap& map, Barrier* barrier, unsigned byte, unsigned row,
                            unsigned short blocks) {
  emulation::StartCopy(to, map, barrier, byte, row, blocks);
}
inline void ArriveExpectingAt(Barrier* barrier, unsigned block, unsigned bytes) {
  emulation::ArriveAtBarrier(barrier, block, bytes);
}
inline void CopyBoxOfPair(void* to, const TensorMap& map, Barrier* barrier, unsigned byte, unsigned row) {
  emulation::StartCopy(to, map, barrier, byte, row, 1U << BlockOfCluster(), true);
}
inline void CopyBox(void* to, const TensorMap& map, Barrier* barrier, unsigned byte, unsigned row) {
  emulation::StartCopy(to, map, barrier, byte, row, 1U << BlockOfCluster());
}
template <unsigned kCount>
void GiveRegistersBack() {
  emulation::GiveBackTo(kCount);
}
template <unsigned kCount>
void TakeRegisters() {
  emulation::TakeUpTo(kCount);
}
