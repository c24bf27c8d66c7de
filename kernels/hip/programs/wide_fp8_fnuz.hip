// SPDX-License-Identifier: MIT
// made of be8ca77a1017b134d6be7b8618fed300ec4e5b8b40f0b19f44d7d044477a7f98 by kernels/generate.py
#if defined(__HIP__)
#undef __launch_bounds__
#undef __shared__
#undef __align__
#undef __restrict__
#define __launch_bounds__(threads, ...) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define __shared__ __attribute__((shared))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __restrict__ __restrict
#define DEVICE __attribute__((device, always_inline)) inline
#define KERNEL extern "C" __attribute__((global)) void
using size_t = decltype(sizeof(0));
namespace {
template <class T, unsigned kCount>
using Vector = T __attribute__((ext_vector_type(kCount)));
using DeviceFloat2 = Vector<float, 2>;
using DeviceInt2 = Vector<int, 2>;
using DeviceFloat4 = Vector<float, 4>;
using DeviceUint4 = Vector<unsigned, 4>;
using Half = _Float16;
struct DevicePlace {
  unsigned x, y;
};
DEVICE DevicePlace DeviceThread() {
  return {__builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y()};
}
DEVICE DevicePlace DeviceGroup() {
  return {__builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y()};
}
DEVICE DevicePlace DeviceGroupSize() {
  return {__builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y()};
}
DEVICE DevicePlace DeviceGroups() {
  return {__builtin_amdgcn_grid_size_x() / DeviceGroupSize().x,
          __builtin_amdgcn_grid_size_y() / DeviceGroupSize().y};
}
DEVICE void DeviceBarrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
DEVICE void DeviceKeepOrder() {
#if __has_builtin(__builtin_amdgcn_sched_barrier)
  __builtin_amdgcn_sched_barrier(0);
#endif
}
enum class DeviceKind { kProduct = 8, kFetch = 0x20, kRead = 0x100, kWrite = 0x200 };
template <DeviceKind kKind, unsigned kCount>
DEVICE void DeviceNext() {
#if __has_builtin(__builtin_amdgcn_sched_group_barrier)
  __builtin_amdgcn_sched_group_barrier(static_cast<int>(kKind), kCount, 0);
#endif
}
template <class Number, unsigned kCount>
DEVICE void DeviceAccumulate(Number (&sums)[kCount]) {
  auto all = __builtin_bit_cast(Vector<Number, kCount>, sums);
  asm volatile("" : "+a"(all));
  __builtin_memcpy(&sums, &all, sizeof all);
}
template <unsigned kBytes>
DEVICE unsigned char* SharedBlock() {
  __shared__ __align__(16) unsigned char memory[kBytes];
  return memory;
}
DEVICE float FloatOfHalf(unsigned short bits) {
  return static_cast<float>(__builtin_bit_cast(_Float16, bits));
}
template <unsigned kDigits>
DEVICE unsigned DeviceBytePermute(unsigned low, unsigned high) {
  constexpr unsigned kBytes =
      (kDigits & 7U) | (kDigits >> 4 & 7U) << 8 | (kDigits >> 8 & 7U) << 16 | (kDigits >> 12 & 7U) << 24;
  return __builtin_amdgcn_perm(high, low, kBytes);
}
}  // namespace
#define AMD_BUILTIN(name) __builtin_amdgcn_##name
#define AMD_BFLOAT __bf16  // not in every target's compiler
#define threadIdx DeviceThread()
#define blockIdx DeviceGroup()
#define blockDim DeviceGroupSize()
#define gridDim DeviceGroups()
#define __syncthreads() DeviceBarrier()
#define float2 DeviceFloat2
#define int2 DeviceInt2
#define float4 DeviceFloat4
#define uint4 DeviceUint4
#define make_float2(...) (DeviceFloat2{__VA_ARGS__})
#define make_int2(...) (DeviceInt2{__VA_ARGS__})
#define make_float4(...) (DeviceFloat4{__VA_ARGS__})
#define __float_as_uint(value) __builtin_bit_cast(unsigned, value)
#define __byte_perm(low, high, selector) DeviceBytePermute<selector>(low, high)
#define __ldcs(from) (*(from))
#define __uint_as_float(bits) __builtin_bit_cast(float, bits)
#define fmaf __builtin_fmaf
#endif  // __HIP__
namespace {
template <class Number, unsigned kItems>
struct Sums {
  Number d[kItems];
};
template <unsigned kCount>
struct Words {
  unsigned w[kCount];
};
struct Mfma {
  static constexpr unsigned kWave = 64, kSide = 16, kGroups = 4, kItems = 4;
  static DEVICE unsigned Row(unsigned item, unsigned lane) { return lane / 16 * 4 + item; }
};
struct Mfma32 {
  static constexpr unsigned kWave = 64, kSide = 32, kGroups = 2, kItems = 16;
  static DEVICE unsigned Row(unsigned item, unsigned lane) { return item / 4 * 8 + lane / 32 * 4 + item % 4; }
};
struct Wmma11 {
  static constexpr unsigned kWave = 32, kSide = 16, kGroups = 1, kItems = 8;
  static DEVICE unsigned Row(unsigned item, unsigned lane) { return item * 2 + lane / 16; }
};
struct Wmma12 {
  static constexpr unsigned kWave = 32, kSide = 16, kGroups = 2, kItems = 8;
  static DEVICE unsigned Row(unsigned item, unsigned lane) { return lane / 16 * 8 + item; }
};
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
namespace {
constexpr unsigned kGroup = 8;  // rows of blocks that share their columns while those are in the cache
struct Tile {
  unsigned row, column;
};
template <class S>
DEVICE Tile TileOf(unsigned block, unsigned m, unsigned n) {
  const unsigned rows = m / S::kM, columns = n / S::kN;
  const unsigned first = block / (kGroup * columns) * kGroup, inside = block % (kGroup * columns);
  const unsigned height = rows - first < kGroup ? rows - first : kGroup;
  return {(first + inside % height) * S::kM, inside / height * S::kN};
}
DEVICE void StorePair(float* to, float x, float y) { *reinterpret_cast<float2*>(to) = make_float2(x, y); }
DEVICE void StorePair(int* to, int x, int y) { *reinterpret_cast<int2*>(to) = make_int2(x, y); }
}  // namespace
namespace {
template <unsigned kLineBytes, unsigned kLineRows>
struct Lines {
  static constexpr unsigned kBytes = kLineBytes;
  static constexpr unsigned kPieces = kBytes / 16;
  static DEVICE unsigned Offset(unsigned row, unsigned piece) {
    return row * kBytes + (piece ^ (row / kLineRows % kPieces)) * 16;
  }
};
template <class T>
struct Operand {
  static constexpr unsigned kReads = T::kWords > 4 ? T::kWords / 4 : 1;
  static constexpr unsigned kInstructions = kReads * 4 / T::kWords;
  static constexpr unsigned kPieces = T::kGroups * kReads;  // of all lanes together
  Words<T::kWords> part[kInstructions];
  template <class Line>
  DEVICE void Load(const unsigned char* tile, unsigned row, unsigned first, unsigned lane) {
    uint4 read[kReads];
#pragma unroll
    for (unsigned i = 0; i < kReads; ++i) {
      read[i] = *reinterpret_cast<const uint4*>(
          tile + Line::Offset(row + lane % T::kSide, first + lane / T::kSide % T::kGroups * kReads + i));
    }
    *this = __builtin_bit_cast(Operand, read);
  }
};
#if !defined(XCC_COUNT)
#define XCC_COUNT 1
#endif
DEVICE unsigned TileNumber(unsigned group, unsigned groups) {
  const unsigned each = groups / XCC_COUNT;
  return group < each * XCC_COUNT ? group % XCC_COUNT * each + group / XCC_COUNT : group;
}
template <class T>
DEVICE void StoreFragment(const typename T::Fragment& sum, typename T::Result* c, unsigned n, unsigned lane) {
#pragma unroll
  for (unsigned item = 0; item < T::kItems; ++item) {
    c[T::Row(item, lane) * static_cast<size_t>(n) + lane % T::kSide] = sum.d[item];
  }
}
}  // namespace
namespace {
constexpr unsigned kThreads = 256;
#if defined(__gfx950__)
using Line = Lines<128, 2>;  // it has 64 banks, the others have 32
#else
using Line = Lines<128, 1>;
#endif
template <class T, unsigned kTileRows, unsigned kTileColumns>
struct Wide {
  static constexpr unsigned kM = kTileRows, kN = kTileColumns;
  static constexpr unsigned kDown = kM / 2 / T::kSide, kAcross = kN / 2 / T::kSide;
  static constexpr unsigned kParts = Line::kPieces / Operand<T>::kPieces;
  static constexpr unsigned kProducts = kDown * kAcross * Operand<T>::kInstructions;
  static constexpr unsigned kReads = (kDown + kAcross) * Operand<T>::kReads;
  static constexpr unsigned kEach = (kM + kN) * Line::kPieces / kThreads;  // pieces of a thread
  static_assert(kParts % 2 == 0 && kDown % 2 == 0 && kEach % kParts == 0);
  using Sum = typename T::Fragment[kDown][kAcross];
};
template <class S>
struct Fetched {
  static constexpr unsigned kRowsOnce = kThreads / Line::kPieces;
  uint4 piece[S::kEach];
  template <unsigned kFirst, unsigned kCount>
  DEVICE void Fetch(const unsigned char* from_a, const unsigned char* from_b, size_t stride, unsigned own) {
#pragma unroll
    for (unsigned i = kFirst; i < kFirst + kCount; ++i) {
      const unsigned row = i * kRowsOnce;
      const unsigned char* rows = row < S::kM ? from_a + row * stride : from_b + (row - S::kM) * stride;
      piece[i] = *reinterpret_cast<const uint4*>(rows + own);
    }
  }
  DEVICE void Store(unsigned char* to) const {
#pragma unroll
    for (unsigned i = 0; i < S::kEach; ++i) {
      *reinterpret_cast<uint4*>(to + Line::Offset(i * kRowsOnce + threadIdx.x / Line::kPieces,
                                                  threadIdx.x % Line::kPieces)) = piece[i];
    }
  }
};
template <class T, class S>
struct Part {
  Operand<T> a[S::kDown];
  Operand<T> b[S::kAcross];
  DEVICE void Load(unsigned part, const unsigned char* tile, unsigned wave_row, unsigned wave_column) {
    const unsigned lane = threadIdx.x % T::kWave, first = part * Operand<T>::kPieces;
#pragma unroll
    for (unsigned i = 0; i < S::kDown; ++i) {
      a[i].template Load<Line>(tile, wave_row + i * T::kSide, first, lane);
    }
#pragma unroll
    for (unsigned j = 0; j < S::kAcross; ++j) {
      b[j].template Load<Line>(tile, S::kM + wave_column + j * T::kSide, first, lane);
    }
  }
  template <unsigned kFirst, unsigned kCount>
  DEVICE void Multiply(typename S::Sum& sum) const {
#pragma unroll
    for (unsigned of = 0; of < Operand<T>::kInstructions; ++of) {
#pragma unroll
      for (unsigned i = kFirst; i < kFirst + kCount; ++i) {
#pragma unroll
        for (unsigned j = 0; j < S::kAcross; ++j) T::Multiply(sum[i][j], a[i].part[of], b[j].part[of]);
      }
    }
  }
};
template <DeviceKind kKind, unsigned kAccesses, unsigned kFetches, unsigned kProducts>
DEVICE void Interleave() {
  constexpr unsigned kTogether = kAccesses > kProducts ? kAccesses / kProducts : 1;
  constexpr unsigned kTurns = kAccesses / kTogether;
  DeviceNext<DeviceKind::kProduct, 1>();
#pragma unroll
  for (unsigned i = 0; i < kTurns; ++i) {
    DeviceNext<kKind, kTogether>();
    if constexpr (kFetches > 0) DeviceNext<DeviceKind::kFetch, (kFetches + kTurns - 1) / kTurns>();
    DeviceNext<DeviceKind::kProduct, (kProducts > kTurns ? kProducts / kTurns : 1)>();
  }
}
struct Places {
  const unsigned char* a;
  const unsigned char* b;
  size_t stride;
  unsigned own;
  const unsigned char* shared;
  unsigned wave_row, wave_column;
};
template <bool kFetches, unsigned kPart, class T, class S>
DEVICE void MultiplyParts(const Places& at, Part<T, S> (&parts)[2], Fetched<S>& fetched,
                          typename S::Sum& sum) {
  if constexpr (kPart + 1 < S::kParts) {
    constexpr bool kAsks = kFetches && kPart < S::kParts / 2;
    constexpr unsigned kAsked = kAsks ? S::kEach / (S::kParts / 2) : 0;
    DeviceKeepOrder();
    fetched.template Fetch<kPart * kAsked, kAsked>(at.a, at.b, at.stride, at.own);
    parts[(kPart + 1) % 2].Load(kPart + 1, at.shared, at.wave_row, at.wave_column);
    parts[kPart % 2].template Multiply<0, S::kDown>(sum);
    Interleave<DeviceKind::kRead, S::kReads, kAsked, S::kProducts / 2>();
    MultiplyParts<kFetches, kPart + 1>(at, parts, fetched, sum);
  }
}
template <class T, class S>
DEVICE void Gemm(const void* a, const void* b, typename T::Result* c, unsigned m, unsigned n, unsigned k) {
  unsigned char* shared = SharedBlock<(S::kM + S::kN) * Line::kBytes>();
  const Tile tile = TileOf<S>(TileNumber(blockIdx.x, gridDim.x), m, n);
  const size_t stride = static_cast<size_t>(k) * T::kBits / 8;
  const unsigned steps = static_cast<unsigned>(stride / Line::kBytes);
  const unsigned wave = threadIdx.x / T::kWave, lane = threadIdx.x % T::kWave;
  Places at{static_cast<const unsigned char*>(a) + tile.row * stride,
            static_cast<const unsigned char*>(b) + tile.column * stride,
            stride,
            threadIdx.x / Line::kPieces * static_cast<unsigned>(stride) + threadIdx.x % Line::kPieces * 16,
            shared,
            wave / 2 * S::kDown * T::kSide,
            wave % 2 * S::kAcross * T::kSide};
  typename S::Sum sum = {};
#pragma unroll
  for (unsigned i = 0; i < S::kDown; ++i) {
#pragma unroll
    for (unsigned j = 0; j < S::kAcross; ++j) DeviceAccumulate(sum[i][j].d);
  }
  Fetched<S> fetched;
  Part<T, S> parts[2];
  fetched.template Fetch<0, S::kEach>(at.a, at.b, stride, at.own);
  fetched.Store(shared);
  __syncthreads();
  parts[0].Load(0, shared, at.wave_row, at.wave_column);
  for (unsigned step = 1; step < steps; ++step) {
    at.a += Line::kBytes;
    at.b += Line::kBytes;
    MultiplyParts<true, 0>(at, parts, fetched, sum);
    DeviceKeepOrder();
    __syncthreads();  // everyone has the last part in registers
    DeviceKeepOrder();
    fetched.Store(shared);
    parts[1].template Multiply<0, S::kDown / 2>(sum);
    Interleave<DeviceKind::kWrite, S::kEach, 0, S::kProducts / 4>();  // the rest covers for the last write
    DeviceKeepOrder();
    __syncthreads();  // the next line is whole
    DeviceKeepOrder();
    parts[0].Load(0, shared, at.wave_row, at.wave_column);
    parts[1].template Multiply<S::kDown / 2, S::kDown / 2>(sum);
    Interleave<DeviceKind::kRead, S::kReads, 0, S::kProducts / 4>();
  }
  MultiplyParts<false, 0>(at, parts, fetched, sum);
  DeviceKeepOrder();
  parts[1].template Multiply<0, S::kDown>(sum);
#pragma unroll
  for (unsigned i = 0; i < S::kDown; ++i) {
#pragma unroll
    for (unsigned j = 0; j < S::kAcross; ++j) {
      const size_t row = tile.row + at.wave_row + i * T::kSide;
      StoreFragment<T>(sum[i][j], c + row * n + tile.column + at.wave_column + j * T::kSide, n, lane);
    }
  }
}
#define WIDE_GEMM(name, tile_rows, tile_columns, T)                                                        \
  KERNEL __launch_bounds__(kThreads) name(const void* __restrict__ a, const void* __restrict__ b,          \
                                          T::Result* __restrict__ c, unsigned m, unsigned n, unsigned k) { \
    Gemm<T, Wide<T, tile_rows, tile_columns>>(a, b, c, m, n, k);                                           \
  }
}  // namespace
WIDE_GEMM(gemm_fp8_fnuz_256x256, 256, 256, Fp8FnuzWide)
WIDE_GEMM(gemm_fp8_fnuz_256x128, 256, 128, Fp8FnuzWide)
