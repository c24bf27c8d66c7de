// SPDX-License-Identifier: MIT
// AMD's waves and matrix instructions on the host, in the frame of tests/kernels/cuda/emulation.h. Include it
// before kernels/hip/*.hip, with the macro of a target (__gfx942__, __GFX11__, ...) defined, in a namespace
// of the target's own.
//
// Lane layouts as AMD's instruction set references have them ("Dense matrices: register layout" of CDNA,
// "Wave matrix multiply accumulate" of RDNA), checked against AMD's Matrix Instruction Calculator.
#pragma once

#include <algorithm>

#include "tests/kernels/cuda/emulation.h"

namespace emulation {

// Registers as the built-ins take them.
template <class T, unsigned kCount>
struct Vector {
  T e[kCount];
};
struct Half {
  std::uint16_t bits;
};
struct Bfloat {
  std::uint16_t bits;
};

// Where element e of a lane's `each` stands in k, and the row of D that a lane's item belongs to. Row of A,
// column of B and of D are lane % kSide.
struct Mfma {
  static constexpr unsigned kWave = 64, kSide = 16, kGroups = 4;
  static unsigned K(unsigned lane, unsigned e, unsigned each) { return lane / 16 * each + e; }
  static unsigned Row(unsigned lane, unsigned item) { return 4 * (lane / 16) + item; }
};
struct Mfma32 {
  static constexpr unsigned kWave = 64, kSide = 32, kGroups = 2;
  static unsigned K(unsigned lane, unsigned e, unsigned each) { return lane / 32 * each + e; }
  static unsigned Row(unsigned lane, unsigned item) { return 8 * (item / 4) + 4 * (lane / 32) + item % 4; }
};
struct Rdna3 {
  static constexpr unsigned kWave = 32, kSide = 16, kGroups = 1;
  static unsigned K(unsigned, unsigned e, unsigned) { return e; }
  static unsigned Row(unsigned lane, unsigned item) { return 2 * item + lane / 16; }
};
struct Rdna4Bytes {
  static constexpr unsigned kWave = 32, kSide = 16, kGroups = 2;
  static unsigned K(unsigned lane, unsigned e, unsigned each) { return lane / 16 * each + e; }
  static unsigned Row(unsigned lane, unsigned item) { return 8 * (lane / 16) + item; }
};
struct Rdna4Halves : Rdna4Bytes {
  static unsigned K(unsigned lane, unsigned e, unsigned) { return e / 4 * 8 + lane / 16 * 4 + e % 4; }
};

// What a lane brings.
struct Operands {
  const void* a;
  const void* b;
  void* d;
};

template <unsigned kBits>
std::uint32_t ElementOf(const void* registers, unsigned e) {
  std::uint32_t word = 0;
  std::memcpy(&word, static_cast<const std::uint8_t*>(registers) + std::size_t{e} * kBits / 8,
              (kBits + 7) / 8);
  return kBits == 4 ? word >> e % 2 * 4 & 15U : word;
}

// A number that no right result holds.
template <class Number>
Number Poison() {
  return std::bit_cast<Number>(0x7fffffffU);
}

template <class Layout, unsigned kBits, unsigned kEach, unsigned kItems, class Number,
          Number (*kValue)(std::uint32_t)>
void ProductTogether(void* const* all) {
  constexpr unsigned kDepth = kEach * Layout::kGroups;
  const auto of = [&](unsigned lane) { return static_cast<const Operands*>(all[lane]); };
  constexpr unsigned kSide = Layout::kSide;
  Number a[kSide][kDepth], b[kSide][kDepth];
  bool agree = true;  // where lanes must repeat others'
  for (unsigned lane = 0; lane < Layout::kWave; ++lane) {
    for (unsigned e = 0; e < kEach; ++e) {
      const unsigned k = Layout::K(lane, e, kEach);
      const std::uint32_t first = ElementOf<kBits>(of(lane)->a, e), second = ElementOf<kBits>(of(lane)->b, e);
      if (lane >= kSide * Layout::kGroups) {
        agree = agree && first == ElementOf<kBits>(of(lane - kSide)->a, e) &&
                second == ElementOf<kBits>(of(lane - kSide)->b, e);
      }
      a[lane % kSide][k] = kValue(first);
      b[lane % kSide][k] = kValue(second);
    }
  }
  for (unsigned lane = 0; lane < Layout::kWave; ++lane) {
    auto* d = static_cast<Number*>(of(lane)->d);
    for (unsigned item = 0; item < kItems; ++item) {
      const Number* row = a[Layout::Row(lane, item)];
      for (unsigned k = 0; k < kDepth; ++k) d[item] += row[k] * b[lane % kSide][k];
      if (!agree) d[item] = Poison<Number>();
    }
  }
}

template <class Layout, unsigned kBits, class Number, Number (*kValue)(std::uint32_t), class In,
          unsigned kItems>
Vector<Number, kItems> Product(const In& a, const In& b, Vector<Number, kItems> d) {
  Operands brought{&a, &b, &d};
  MeetOf(Layout::kWave, &brought,
         ProductTogether<Layout, kBits, sizeof(In) * 8 / kBits, kItems, Number, kValue>);
  return d;
}

inline float FnuzNumber(std::uint32_t word) { return tests::FromFp8Fnuz(static_cast<std::uint8_t>(word)); }
inline float Fp32Number(std::uint32_t word) { return std::bit_cast<float>(word); }

// The built-ins, by LLVM's names after __builtin_amdgcn_; static, since two targets mean two things by one.
#define EMULATED_MFMA(name, Layout, kItems, In, Number, bits, value)                                      \
  static inline Vector<Number, kItems> name(In a, In b, const Vector<Number, kItems>& d, int, int, int) { \
    return Product<Layout, bits, Number, value>(a, b, d);                                                 \
  }
using Half4 = Vector<Half, 4>;
using Half8 = Vector<Half, 8>;
using Half16 = Vector<Half, 16>;
using Short2 = Vector<short, 2>;
using Short4 = Vector<short, 4>;
using Short8 = Vector<short, 8>;
using Short16 = Vector<short, 16>;
using Bfloat8 = Vector<Bfloat, 8>;
using Float2Registers = Vector<float, 2>;
using Int2Registers = Vector<int, 2>;
using Int4Registers = Vector<int, 4>;
using Int8Registers = Vector<int, 8>;
EMULATED_MFMA(mfma_f32_16x16x4f32, Mfma, 4, float, float, 32, Fp32Number)
EMULATED_MFMA(mfma_f32_16x16x8_xf32, Mfma, 4, Float2Registers, float, 32, Tf32Number)
EMULATED_MFMA(mfma_f32_16x16x16f16, Mfma, 4, Half4, float, 16, HalfWord)
EMULATED_MFMA(mfma_f32_16x16x8bf16, Mfma, 4, Short2, float, 16, Bf16Number)
EMULATED_MFMA(mfma_f32_16x16x16bf16_1k, Mfma, 4, Short4, float, 16, Bf16Number)
EMULATED_MFMA(mfma_i32_16x16x16i8, Mfma, 4, int, int, 8, Int8Number)
EMULATED_MFMA(mfma_i32_16x16x32_i8, Mfma, 4, long, int, 8, Int8Number)
EMULATED_MFMA(mfma_f32_16x16x32_f16, Mfma, 4, Half8, float, 16, HalfWord)
EMULATED_MFMA(mfma_f32_16x16x32_bf16, Mfma, 4, Bfloat8, float, 16, Bf16Number)
EMULATED_MFMA(mfma_i32_16x16x64_i8, Mfma, 4, Int4Registers, int, 8, Int8Number)
EMULATED_MFMA(mfma_f32_16x16x32_fp8_fp8, Mfma, 4, long, float, 8, FnuzNumber)
EMULATED_MFMA(mfma_f32_32x32x4_xf32, Mfma32, 16, Float2Registers, float, 32, Tf32Number)
EMULATED_MFMA(mfma_f32_32x32x8f16, Mfma32, 16, Half4, float, 16, HalfWord)
EMULATED_MFMA(mfma_f32_32x32x4bf16, Mfma32, 16, Short2, float, 16, Bf16Number)
EMULATED_MFMA(mfma_f32_32x32x8bf16_1k, Mfma32, 16, Short4, float, 16, Bf16Number)
EMULATED_MFMA(mfma_i32_32x32x8i8, Mfma32, 16, int, int, 8, Int8Number)
EMULATED_MFMA(mfma_i32_32x32x16_i8, Mfma32, 16, long, int, 8, Int8Number)
EMULATED_MFMA(mfma_f32_32x32x16_f16, Mfma32, 16, Half8, float, 16, HalfWord)
EMULATED_MFMA(mfma_f32_32x32x16_bf16, Mfma32, 16, Bfloat8, float, 16, Bf16Number)
EMULATED_MFMA(mfma_i32_32x32x32_i8, Mfma32, 16, Int4Registers, int, 8, Int8Number)
EMULATED_MFMA(mfma_f32_32x32x16_fp8_fp8, Mfma32, 16, long, float, 8, FnuzNumber)
#undef EMULATED_MFMA
// With both operands of e4m3 (format 0), or of e2m1 (4), which lie in the first half of the registers, and a
// scale of 1.
#define EMULATED_SCALED_MFMA(name, Layout, kItems)                                                          \
  static inline Vector<float, kItems> name(const Int8Registers& a, const Int8Registers& b,                  \
                                           const Vector<float, kItems>& d, int format_a, int format_b, int, \
                                           int scale_a, int, int scale_b) {                                 \
    if (format_a != format_b || format_a % 4 != 0 || scale_a != 127 || scale_b != 127)                      \
      return {{Poison<float>()}};                                                                           \
    if (format_a == 0) return Product<Layout, 8, float, Fp8Number>(a, b, d);                                \
    return Product<Layout, 4, float, tests::FromFp4>(FirstHalf(a), FirstHalf(b), d);                        \
  }
inline Int4Registers FirstHalf(const Int8Registers& all) {
  Int4Registers half;
  std::memcpy(&half, &all, sizeof half);
  return half;
}
EMULATED_SCALED_MFMA(mfma_scale_f32_16x16x128_f8f6f4, Mfma, 4)
EMULATED_SCALED_MFMA(mfma_scale_f32_32x32x64_f8f6f4, Mfma32, 16)
#undef EMULATED_SCALED_MFMA

#define EMULATED_WMMA(name, In, Layout, bits, value)                                         \
  static inline Vector<float, 8> name(const In& a, const In& b, const Vector<float, 8>& d) { \
    return Product<Layout, bits, float, value>(a, b, d);                                     \
  }
EMULATED_WMMA(wmma_f32_16x16x16_f16_w32, Half16, Rdna3, 16, HalfWord)
EMULATED_WMMA(wmma_f32_16x16x16_bf16_w32, Short16, Rdna3, 16, Bf16Number)
EMULATED_WMMA(wmma_f32_16x16x16_f16_w32_gfx12, Half8, Rdna4Halves, 16, HalfWord)
EMULATED_WMMA(wmma_f32_16x16x16_bf16_w32_gfx12, Short8, Rdna4Halves, 16, Bf16Number)
EMULATED_WMMA(wmma_f32_16x16x16_fp8_fp8_w32_gfx12, Int2Registers, Rdna4Bytes, 8, Fp8Number)
#undef EMULATED_WMMA

inline int UnsignedByte(std::uint32_t word) { return static_cast<int>(word); }
// Operands each signed or not; sums that wrap.
#define EMULATED_WMMA_INT8(name, In, Layout)                                                 \
  static inline Vector<int, 8> name(bool a_signed, const In& a, bool b_signed, const In& b,  \
                                    const Vector<int, 8>& d, bool clamps) {                  \
    return a_signed && b_signed && !clamps ? Product<Layout, 8, int, Int8Number>(a, b, d)    \
                                           : Product<Layout, 8, int, UnsignedByte>(a, b, d); \
  }
EMULATED_WMMA_INT8(wmma_i32_16x16x16_iu8_w32, Int4Registers, Rdna3)
EMULATED_WMMA_INT8(wmma_i32_16x16x16_iu8_w32_gfx12, Int2Registers, Rdna4Bytes)
#undef EMULATED_WMMA_INT8

// Products of a lane's own registers. Nothing is clamped.
static inline float fdot2(Vector<Half, 2> a, Vector<Half, 2> b, float sum, bool clamps) {
  for (unsigned i = 0; i < 2; ++i) sum += tests::FromHalf(a.e[i].bits) * tests::FromHalf(b.e[i].bits);
  return clamps ? Poison<float>() : sum;
}
static inline int sdot4(int a, int b, int sum, bool clamps) {
  for (unsigned i = 0; i < 4; ++i) sum += Int8Number(ElementOf<8>(&a, i)) * Int8Number(ElementOf<8>(&b, i));
  return clamps ? Poison<int>() : sum;
}

constexpr unsigned kSharedBytes = 64U << 10U;  // of a work-group

}  // namespace emulation

using emulation::Half;
using emulation::Vector;
inline void DeviceKeepOrder() {}
enum class DeviceKind { kProduct, kFetch, kRead, kWrite };
template <DeviceKind, unsigned>
void DeviceNext() {}
template <class Number, unsigned kCount>
void DeviceAccumulate(Number (&)[kCount]) {}
#define AMD_BFLOAT ::emulation::Bfloat
#define AMD_BUILTIN(name) ::emulation::name

template <unsigned kBytes>
unsigned char* SharedBlock() {
  static_assert(kBytes <= emulation::kSharedBytes);
  return emulation::Shared();
}
