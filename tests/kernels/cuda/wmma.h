// SPDX-License-Identifier: MIT
// Volta's matrix instructions on the host, for kernels/cuda/wmma.cuh: emulation.h and fragments, whose layout
// PTX ISA leaves open. Here a thread has eight neighbours of a row of A, column of B or row of D; of A and B
// its other eight are the same once more, as that chip has every element twice, and a fragment in which they
// differ is none.
#pragma once

#include "tests/kernels/cuda/emulation.h"

namespace emulation {

constexpr unsigned kWmmaSide = 16, kWmmaEach = 8, kWmmaAlignment = 32;

struct WmmaLoad {
  unsigned* out;
  const std::uint16_t* from;
  unsigned stride;
};
inline void CheckWmmaAddress(const void* address, std::size_t stride_bytes) {
  if (reinterpret_cast<std::uintptr_t>(address) % kWmmaAlignment != 0 || stride_bytes % kWmmaAlignment != 0) {
    Fail("wmma with an address or a stride that is no multiple of 32 bytes");
  }
}
inline void LoadFragmentTogether(void* const (&all)[kWarp]) {
  const auto& first = *static_cast<const WmmaLoad*>(all[0]);
  CheckWmmaAddress(first.from, first.stride * sizeof(std::uint16_t));
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    const auto& own = *static_cast<const WmmaLoad*>(all[lane]);
    if (own.from != first.from || own.stride != first.stride)
      return Fail("the threads of a warp load other fragments");
    const std::uint16_t* from = first.from + std::size_t{lane / 2} * first.stride + lane % 2 * kWmmaEach;
    std::memcpy(own.out, from, kWmmaEach * sizeof *from);
    std::memcpy(own.out + kWmmaEach / 2, from, kWmmaEach * sizeof *from);
  }
}

inline void MultiplyFragmentsTogether(void* const (&all)[kWarp]) {
  float a[kWmmaSide][kWmmaSide], b[kWmmaSide][kWmmaSide];  // both by what is along k
  const auto take = [](const unsigned* registers, float* to) {
    for (unsigned i = 0; i < kWmmaEach; ++i) {
      to[i] = HalfWord(registers[i / 2] >> (i % 2 * 16) & 0xffffU);
      if (registers[i / 2] != registers[(i + kWmmaEach) / 2]) Fail("wmma.mma of what is no fragment");
    }
  };
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    const auto& own = *static_cast<const Fragments*>(all[lane]);
    take(own.a, &a[lane / 2][lane % 2 * kWmmaEach]);
    take(own.b, &b[lane / 2][lane % 2 * kWmmaEach]);
  }
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    auto* d = static_cast<float*>(static_cast<const Fragments*>(all[lane])->d);
    for (unsigned i = 0; i < kWmmaEach; ++i) {
      d[i] = tests::AddProducts(tests::kVolta, d[i], a[lane / 2], b[lane % 2 * kWmmaEach + i], kWmmaSide);
    }
  }
}

struct WmmaStore {
  float* to;
  unsigned stride;
  const float* d;
};
inline void StoreFragmentTogether(void* const (&all)[kWarp]) {
  const auto& first = *static_cast<const WmmaStore*>(all[0]);
  CheckWmmaAddress(first.to, first.stride * sizeof(float));
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    const auto& own = *static_cast<const WmmaStore*>(all[lane]);
    if (own.to != first.to || own.stride != first.stride)
      return Fail("the threads of a warp store other fragments");
    std::memcpy(first.to + std::size_t{lane / 2} * first.stride + lane % 2 * kWmmaEach, own.d,
                kWmmaEach * sizeof(float));
  }
}

}  // namespace emulation

inline void LoadFragment(unsigned (&out)[8], const void* from, unsigned stride) {
  emulation::WmmaLoad brought{out, static_cast<const std::uint16_t*>(from), stride};
  emulation::Meet(&brought, emulation::LoadFragmentTogether);
}
// A is row-major and B column-major: both lie along k.
inline void LoadFragmentA(unsigned (&out)[8], const void* from, unsigned stride) {
  LoadFragment(out, from, stride);
}
inline void LoadFragmentB(unsigned (&out)[8], const void* from, unsigned stride) {
  LoadFragment(out, from, stride);
}
inline void MultiplyFragments(float (&d)[8], const unsigned (&a)[8], const unsigned (&b)[8]) {
  emulation::Fragments brought{d, a, b};
  emulation::Meet(&brought, emulation::MultiplyFragmentsTogether);
}
inline void StoreFragment(float* to, unsigned stride, const float (&d)[8]) {
  emulation::WmmaStore brought{to, stride, d};
  emulation::Meet(&brought, emulation::StoreFragmentTogether);
}
