// SPDX-License-Identifier: MIT
// The matrix instructions of the compiler's target, one type of numbers each, kSide x kSide: what a lane
// brings of A (of row lane % kSide) and of B (of column lane % kSide), and which rows of column lane % kSide
// it gets. Both operands name k in the same order, so their order within a lane is free. Sources: AMD's
// instruction set references of CDNA 1 to 3 ("Matrix Arithmetic Instructions"), CDNA 4, RDNA 3 and RDNA 4
// ("Wave Matrix Multiply Accumulate"); built-ins: LLVM, "User Guide for AMDGPU Backend".
#pragma once

#include "kernels/hip/device.hip.h"

namespace {

template <class Number, unsigned kItems>
struct Sums {
  Number d[kItems];
};
template <unsigned kCount>
struct Words {
  unsigned w[kCount];
};

// Lanes of a wave, into how many groups they divide what an instruction takes of k, entries of D of a lane.
struct Mfma {
  static constexpr unsigned kWave = 64, kSide = 16, kGroups = 4, kItems = 4;
  static DEVICE unsigned Row(unsigned item, unsigned lane) { return lane / 16 * 4 + item; }
};
// Four times the products for twice the operands.
struct Mfma32 {
  static constexpr unsigned kWave = 64, kSide = 32, kGroups = 2, kItems = 16;
  static DEVICE unsigned Row(unsigned item, unsigned lane) { return item / 4 * 8 + lane / 32 * 4 + item % 4; }
};
// RDNA 3: lanes 16 to 31 bring what lanes 0 to 15 do.
struct Wmma11 {
  static constexpr unsigned kWave = 32, kSide = 16, kGroups = 1, kItems = 8;
  static DEVICE unsigned Row(unsigned item, unsigned lane) { return item * 2 + lane / 16; }
};
// RDNA 4.
struct Wmma12 {
  static constexpr unsigned kWave = 32, kSide = 16, kGroups = 2, kItems = 8;
  static DEVICE unsigned Row(unsigned item, unsigned lane) { return lane / 16 * 8 + item; }
};

// kWords: 32-bit registers of an operand. D += A * B.
#define MATRIX_TYPE(name, unit, bits, number, words, ...)                                                \
  struct name : unit {                                                                                   \
    using Unit = unit;                                                                                   \
    using Result = number;                                                                               \
    using Fragment = Sums<number, unit::kItems>;                                                         \
    static constexpr unsigned kBits = bits, kWords = words;                                              \
    static DEVICE void Multiply(Fragment& sums, const Words<words>& first, const Words<words>& second) { \
      const auto d = __builtin_bit_cast(Vector<number, unit::kItems>, sums);                             \
      sums = __builtin_bit_cast(Fragment, __VA_ARGS__);                                                  \
    }                                                                                                    \
  };
#define MFMA_TYPE(name, unit, bits, number, words, operand, builtin)                                        \
  MATRIX_TYPE(name, unit, bits, number, words,                                                              \
              AMD_BUILTIN(builtin)(__builtin_bit_cast(operand, first), __builtin_bit_cast(operand, second), \
                                   d, 0, 0, 0))
#define WMMA_TYPE(name, unit, bits, words, operand, builtin) \
  MATRIX_TYPE(                                               \
      name, unit, bits, float, words,                        \
      AMD_BUILTIN(builtin)(__builtin_bit_cast(operand, first), __builtin_bit_cast(operand, second), d))
// Both operands signed, sums that wrap.
#define WMMA_INT8(unit, words, operand, builtin)                                   \
  MATRIX_TYPE(Int8, unit, 8, int, words,                                           \
              AMD_BUILTIN(builtin)(true, __builtin_bit_cast(operand, first), true, \
                                   __builtin_bit_cast(operand, second), d, false))

using Half4 = Vector<Half, 4>;
using Short2 = Vector<short, 2>;
using Short4 = Vector<short, 4>;

#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
MFMA_TYPE(Fp32, Mfma, 32, float, 1, float, mfma_f32_16x16x4f32)
#endif
#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__)
MFMA_TYPE(Fp16, Mfma, 16, float, 2, Half4, mfma_f32_16x16x16f16)
MFMA_TYPE(Fp16Wide, Mfma32, 16, float, 2, Half4, mfma_f32_32x32x8f16)
#endif
#if defined(__gfx90a__) || defined(__gfx942__)
MFMA_TYPE(Bf16, Mfma, 16, float, 2, Short4, mfma_f32_16x16x16bf16_1k)
MFMA_TYPE(Bf16Wide, Mfma32, 16, float, 2, Short4, mfma_f32_32x32x8bf16_1k)
#endif

#if defined(__gfx908__)
MFMA_TYPE(Bf16, Mfma, 16, float, 1, Short2, mfma_f32_16x16x8bf16)
MFMA_TYPE(Bf16Wide, Mfma32, 16, float, 1, Short2, mfma_f32_32x32x4bf16)
#endif
#if defined(__gfx908__) || defined(__gfx90a__)
MFMA_TYPE(Int8, Mfma, 8, int, 1, int, mfma_i32_16x16x16i8)
MFMA_TYPE(Int8Wide, Mfma32, 8, int, 1, int, mfma_i32_32x32x8i8)
#elif defined(__gfx942__)
using Float2 = Vector<float, 2>;
MFMA_TYPE(Int8, Mfma, 8, int, 2, long, mfma_i32_16x16x32_i8)
MFMA_TYPE(Int8Wide, Mfma32, 8, int, 2, long, mfma_i32_32x32x16_i8)
MFMA_TYPE(Tf32, Mfma, 32, float, 2, Float2, mfma_f32_16x16x8_xf32)
MFMA_TYPE(Tf32Wide, Mfma32, 32, float, 2, Float2, mfma_f32_32x32x4_xf32)
MFMA_TYPE(Fp8Fnuz, Mfma, 8, float, 2, long, mfma_f32_16x16x32_fp8_fp8)
MFMA_TYPE(Fp8FnuzWide, Mfma32, 8, float, 2, long, mfma_f32_32x32x16_fp8_fp8)
#elif defined(__gfx950__)
using Half8 = Vector<Half, 8>;
using Bfloat8 = Vector<AMD_BFLOAT, 8>;
using Int4 = Vector<int, 4>;
MFMA_TYPE(Fp16, Mfma, 16, float, 4, Half8, mfma_f32_16x16x32_f16)
MFMA_TYPE(Fp16Wide, Mfma32, 16, float, 4, Half8, mfma_f32_32x32x16_f16)
MFMA_TYPE(Bf16, Mfma, 16, float, 4, Bfloat8, mfma_f32_16x16x32_bf16)
MFMA_TYPE(Bf16Wide, Mfma32, 16, float, 4, Bfloat8, mfma_f32_32x32x16_bf16)
MFMA_TYPE(Int8, Mfma, 8, int, 4, Int4, mfma_i32_16x16x64_i8)
MFMA_TYPE(Int8Wide, Mfma32, 8, int, 4, Int4, mfma_i32_32x32x32_i8)
// Each operand's format (0: e4m3, 4: e2m1) and, of every 32 of k, its exponent of two (127 is 0): CDNA 4
// multiplies bytes of fp8 twice as fast so as by mfma_f32_16x16x32_fp8_fp8. A format of fewer bits has its
// elements in the first registers.
using Int8Words = Vector<int, 8>;
#define SCALED_TYPE(name, unit, bits, words, format, builtin) \
  MATRIX_TYPE(name, unit, bits, float, words,                 \
              AMD_BUILTIN(builtin)(Widened(first), Widened(second), d, format, format, 0, 127, 0, 127))
DEVICE Int8Words Widened(const Words<8>& words) { return __builtin_bit_cast(Int8Words, words); }
DEVICE Int8Words Widened(const Words<4>& words) {
  return Widened(Words<8>{{words.w[0], words.w[1], words.w[2], words.w[3]}});
}
SCALED_TYPE(Fp8, Mfma, 8, 8, 0, mfma_scale_f32_16x16x128_f8f6f4)
SCALED_TYPE(Fp8Wide, Mfma32, 8, 8, 0, mfma_scale_f32_32x32x64_f8f6f4)
SCALED_TYPE(Fp4, Mfma, 4, 4, 4, mfma_scale_f32_16x16x128_f8f6f4)
SCALED_TYPE(Fp4Wide, Mfma32, 4, 4, 4, mfma_scale_f32_32x32x64_f8f6f4)
#elif defined(__GFX11__)
using Half16 = Vector<Half, 16>;
using Short16 = Vector<short, 16>;
using Int4 = Vector<int, 4>;
WMMA_TYPE(Fp16, Wmma11, 16, 8, Half16, wmma_f32_16x16x16_f16_w32)
WMMA_TYPE(Bf16, Wmma11, 16, 8, Short16, wmma_f32_16x16x16_bf16_w32)
WMMA_INT8(Wmma11, 4, Int4, wmma_i32_16x16x16_iu8_w32)
#elif defined(__GFX12__)
using Half8 = Vector<Half, 8>;
using Short8 = Vector<short, 8>;
using Int2 = Vector<int, 2>;
WMMA_TYPE(Fp16, Wmma12, 16, 4, Half8, wmma_f32_16x16x16_f16_w32_gfx12)
WMMA_TYPE(Bf16, Wmma12, 16, 4, Short8, wmma_f32_16x16x16_bf16_w32_gfx12)
WMMA_TYPE(Fp8, Wmma12, 8, 2, Int2, wmma_f32_16x16x16_fp8_fp8_w32_gfx12)
WMMA_INT8(Wmma12, 2, Int2, wmma_i32_16x16x16_iu8_w32_gfx12)
#endif

}  // namespace
