// SPDX-License-Identifier: MIT
// Metal's language on the host, in the frame of tests/kernels/cuda/emulation.h: what of its standard library
// the kernels use, in a namespace into which emulate.py puts their sources. Written from Apple's "Metal
// Shading Language Specification" (chapters 2, 5 and 6), not from the kernels. The words of address spaces
// are words.h's.
#pragma once

#include <cstring>
#include <type_traits>

#include "tests/kernels/cuda/emulated_session.h"
#include "tests/kernels/cuda/emulation.h"

#define __METAL_VERSION__ 310

namespace emulation::metal {

using uint = unsigned;
using uchar = std::uint8_t;
using ushort = std::uint16_t;
using ulong = std::uint64_t;

struct half {
  std::uint16_t bits = kPoison | kPoison << 8;
  half() = default;
  half(float value) : bits(tests::ToHalf(value)) {}
  operator float() const { return tests::FromHalf(bits); }
};
struct bfloat {
  std::uint16_t bits = kPoison | kPoison << 8;
  bfloat() = default;
  // To the nearest, ties to even.
  bfloat(float value) {
    const auto wide = std::bit_cast<std::uint32_t>(value);
    bits = static_cast<std::uint16_t>((wide + 0x7fffU + (wide >> 16U & 1U)) >> 16U);
  }
  operator float() const { return tests::FromBf16(bits); }
};

template <class T, unsigned kCount>
struct vec;
template <class T>
struct alignas(2 * sizeof(T)) vec<T, 2> {
  T x, y;
  vec() = default;
  explicit vec(T all) : x(all), y(all) {}
  vec(T first, T second) : x(first), y(second) {}
};
template <class T>
struct alignas(4 * sizeof(T)) vec<T, 4> {
  T x, y, z, w;
  vec() = default;
  explicit vec(T all) : x(all), y(all), z(all), w(all) {}
  vec(T first, T second, T third, T fourth) : x(first), y(second), z(third), w(fourth) {}
  template <class U>
  explicit vec(const vec<U, 4>& other)
      : x(static_cast<T>(other.x)),
        y(static_cast<T>(other.y)),
        z(static_cast<T>(other.z)),
        w(static_cast<T>(other.w)) {}
  friend vec operator+(const vec& a, const vec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
};
using uint2 = vec<uint, 2>;
using uint4 = vec<uint, 4>;
using uchar4 = vec<uchar, 4>;
using float4 = vec<float, 4>;
using half2 = vec<half, 2>;
using half4 = vec<half, 4>;
using bfloat2 = vec<bfloat, 2>;

template <class To, class From>
To as_type(From from) {
  static_assert(sizeof(To) == sizeof(From), "as_type keeps the size");
  To to;
  std::memcpy(static_cast<void*>(&to), static_cast<const void*>(&from), sizeof to);
  return to;
}

inline float fma(float a, float b, float c) { return std::fma(a, b, c); }
inline float4 fma(const float4& a, const float4& b, const float4& c) {
  return {fma(a.x, b.x, c.x), fma(a.y, b.y, c.y), fma(a.z, b.z, c.z), fma(a.w, b.w, c.w)};
}

enum class mem_flags { mem_none, mem_device, mem_threadgroup };
// What of memory others see afterwards is seen here at once: a flag that is missing is found by reading.
inline void threadgroup_barrier(mem_flags) { Synchronise(); }
inline void simdgroup_barrier(mem_flags) {
  MeetOf(kWarp, nullptr, [](void* const*) {});
}
inline float simd_sum(float own) {
  float brought = own;
  MeetOf(kWarp, &brought, [](void* const* all) {
    float sum = 0;
    for (unsigned lane = 0; lane < kWarp; ++lane) sum += *static_cast<float*>(all[lane]);
    for (unsigned lane = 0; lane < kWarp; ++lane) *static_cast<float*>(all[lane]) = sum;
  });
  return brought;
}

// Which lane holds which element is nobody's to know: here each has two beside each other. NaN until it is
// written.
constexpr unsigned kMatrixSide = 8, kMatrixEach = kMatrixSide * kMatrixSide / kWarp;
template <class T, int kColumns, int kRows = kColumns>
struct simdgroup_matrix {
  static_assert(kColumns == 8 && kRows == 8, "the one size that the language has");
  T own[kMatrixEach] = {as_type<T>(static_cast<std::conditional_t<sizeof(T) == 2, ushort, uint>>(~0U)),
                        as_type<T>(static_cast<std::conditional_t<sizeof(T) == 2, ushort, uint>>(~0U))};
};
template <class T, int kColumns, int kRows = kColumns>
simdgroup_matrix<T, kColumns, kRows> make_filled_simdgroup_matrix(T value) {
  simdgroup_matrix<T, kColumns, kRows> filled;
  for (T& element : filled.own) element = value;
  return filled;
}

template <class T, class At>
struct Block {
  T* own;
  At* at;
  ulong stride;
};
// All lanes have to mean one block of memory.
template <class T, class At, class Move>
void MoveBlock(T* own, At* at, ulong stride, const Move& move) {
  Block<T, At> brought{own, at, stride};
  MeetOf(kWarp, &brought, [&move](void* const* all) {
    const auto of = [all](unsigned lane) { return static_cast<Block<T, At>*>(all[lane]); };
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      if (of(lane)->at != of(0)->at || of(lane)->stride != of(0)->stride) {
        return Fail("the lanes of a simdgroup give one matrix several places");
      }
      for (unsigned e = 0; e < kMatrixEach; ++e) {
        const unsigned i = lane * kMatrixEach + e;
        move(of(lane)->own[e], of(0)->at[i / kMatrixSide * of(0)->stride + i % kMatrixSide]);
      }
    }
  });
}
template <class T>
void simdgroup_load(simdgroup_matrix<T, 8>& to, const T* from, ulong elements_per_row = 8) {
  MoveBlock(to.own, from, elements_per_row, [](T& own, const T& at) { own = at; });
}
template <class T>
void simdgroup_store(simdgroup_matrix<T, 8> from, T* to, ulong elements_per_row = 8) {
  MoveBlock(from.own, to, elements_per_row, [](T& own, T& at) { at = own; });
}

template <class D, class In>
struct Multiplied {
  D* d;
  const In* a;
  const In* b;
  const D* c;
};
// d = a * b + c, products and sums as wide as d is.
template <class D, class In>
void simdgroup_multiply_accumulate(simdgroup_matrix<D, 8>& d, const simdgroup_matrix<In, 8>& a,
                                   const simdgroup_matrix<In, 8>& b, const simdgroup_matrix<D, 8>& c) {
  Multiplied<D, In> brought{d.own, a.own, b.own, c.own};
  MeetOf(kWarp, &brought, [](void* const* all) {
    const auto of = [all](unsigned i) { return static_cast<Multiplied<D, In>*>(all[i / kMatrixEach]); };
    float left[64], right[64], sum[64];
    for (unsigned i = 0; i < 64; ++i) {
      left[i] = of(i)->a[i % kMatrixEach];
      right[i] = of(i)->b[i % kMatrixEach];
      sum[i] = of(i)->c[i % kMatrixEach];
    }
    for (unsigned i = 0; i < 64; ++i) {
      for (unsigned k = 0; k < 8; ++k) sum[i] += left[i / 8 * 8 + k] * right[k * 8 + i % 8];
    }
    for (unsigned i = 0; i < 64; ++i) of(i)->d[i % kMatrixEach] = static_cast<D>(sum[i]);
  });
}

// What a kernel is handed, by the attribute of each parameter: emulate.py writes the calls.
class Given {
 public:
  Given(std::span<void* const> buffers, std::span<const std::uint32_t> scalars)
      : buffers_(buffers), scalars_(scalars) {}

  struct Place {
    void* at;
    template <class T>
    operator T*() const {
      return static_cast<T*>(at);
    }
    template <class T>
    operator const T&() const {
      return *static_cast<const T*>(at);
    }
  };
  // The scalars' places follow those of the buffers, as the session binds them.
  [[nodiscard]] Place buffer(std::size_t i) const {
    if (i < buffers_.size()) return {buffers_[i]};
    if (i - buffers_.size() < scalars_.size()) {
      return {const_cast<std::uint32_t*>(&scalars_[i - buffers_.size()])};
    }
    Fail("a kernel asks for a buffer that nobody binds");
    return {&none_};
  }
  [[nodiscard]] Place threadgroup(std::size_t) const { return {Shared()}; }

 private:
  std::span<void* const> buffers_;
  std::span<const std::uint32_t> scalars_;
  static inline std::uint64_t none_[2] = {};
};

// Of the thread that runs; as a number, or as two.
struct Position {
  Dim3 all;
  operator uint() const { return all.x; }
  operator uint2() const { return {all.x, all.y}; }
};
inline uint thread_index_in_threadgroup() {
  return thread.x + block_size.x * (thread.y + block_size.y * thread.z);
}
inline uint simdgroup_index_in_threadgroup() { return thread_index_in_threadgroup() / kWarp; }
inline uint thread_index_in_simdgroup() { return thread_index_in_threadgroup() % kWarp; }
inline Position threadgroup_position_in_grid() { return {block}; }
inline Position threadgroups_per_grid() { return {grid_size}; }
inline Position thread_position_in_threadgroup() { return {thread}; }
inline Position thread_position_in_grid() {
  return {{block.x * block_size.x + thread.x, block.y * block_size.y + thread.y, 1}};
}
inline Position threads_per_grid() { return {{grid_size.x * block_size.x, grid_size.y * block_size.y, 1}}; }

}  // namespace emulation::metal
