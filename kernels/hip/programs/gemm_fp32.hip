// SPDX-License-Identifier: MIT
// made of 7d2b014a0de79ca40faa691af1e114ba754f45bcf06ca620048b610e6adb11c5 by kernels/generate.py
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
template <class T>
constexpr unsigned LineBytes() {
  return T::kGroups * T::kWords * 4 > 64 ? T::kGroups * T::kWords * 4 : 64;
}
template <class T>
using Line = Lines<LineBytes<T>(), 128 / LineBytes<T>()>;
template <class T, unsigned kTile, unsigned kThreads>
struct Part {
  static constexpr unsigned kPieces = Line<T>::kPieces;
  static constexpr unsigned kEach = kTile * kPieces / kThreads;
  static_assert(kTile * kPieces % kThreads == 0);
  uint4 a[kEach];
  uint4 b[kEach];
  DEVICE void Fetch(const unsigned char* from_a, const unsigned char* from_b, size_t stride) {
#pragma unroll
    for (unsigned i = 0; i < kEach; ++i) {
      const unsigned at = i * kThreads + threadIdx.x;
      const size_t place = at / kPieces * stride + at % kPieces * 16;
      a[i] = *reinterpret_cast<const uint4*>(from_a + place);
      b[i] = *reinterpret_cast<const uint4*>(from_b + place);
    }
  }
  DEVICE void Store(unsigned char* to) const {
#pragma unroll
    for (unsigned i = 0; i < kEach; ++i) {
      const unsigned at = i * kThreads + threadIdx.x;
      *reinterpret_cast<uint4*>(to + Line<T>::Offset(at / kPieces, at % kPieces)) = a[i];
      *reinterpret_cast<uint4*>(to + Line<T>::Offset(kTile + at / kPieces, at % kPieces)) = b[i];
    }
  }
};
template <class T, unsigned kTile, unsigned kThreads>
struct Wave {
  static constexpr unsigned kM = kTile, kN = kTile;  // all together
  static constexpr unsigned kRows = kThreads / T::kWave / 2;
  static constexpr unsigned kDown = kTile / kRows / T::kSide, kAcross = kTile / 2 / T::kSide;
  using Sum = typename T::Fragment[kDown][kAcross];
};
template <class T, unsigned kTile, unsigned kThreads>
DEVICE void MultiplyPart(const unsigned char* tile, unsigned wave_row, unsigned wave_column,
                         typename Wave<T, kTile, kThreads>::Sum& sum) {
  constexpr unsigned kDown = Wave<T, kTile, kThreads>::kDown, kAcross = Wave<T, kTile, kThreads>::kAcross;
  const unsigned lane = threadIdx.x % T::kWave;
#pragma unroll
  for (unsigned first = 0; first < Line<T>::kPieces; first += Operand<T>::kPieces) {
    Operand<T> a[kDown];
    Operand<T> b[kAcross];
#pragma unroll
    for (unsigned i = 0; i < kDown; ++i)
      a[i].template Load<Line<T>>(tile, wave_row + i * T::kSide, first, lane);
#pragma unroll
    for (unsigned j = 0; j < kAcross; ++j)
      b[j].template Load<Line<T>>(tile, kTile + wave_column + j * T::kSide, first, lane);
#pragma unroll
    for (unsigned part = 0; part < Operand<T>::kInstructions; ++part) {
#pragma unroll
      for (unsigned i = 0; i < kDown; ++i) {
#pragma unroll
        for (unsigned j = 0; j < kAcross; ++j) T::Multiply(sum[i][j], a[i].part[part], b[j].part[part]);
      }
    }
  }
}
template <class T, unsigned kTile, unsigned kThreads>
DEVICE void Gemm(const void* a, const void* b, typename T::Result* c, unsigned m, unsigned n, unsigned k) {
  constexpr unsigned kDown = Wave<T, kTile, kThreads>::kDown, kAcross = Wave<T, kTile, kThreads>::kAcross;
  constexpr unsigned kRowBytes = Line<T>::kBytes;
  constexpr unsigned kBufferBytes = 2 * kTile * kRowBytes;
  unsigned char* shared = SharedBlock<2 * kBufferBytes>();
  const Tile tile = TileOf<Wave<T, kTile, kThreads>>(TileNumber(blockIdx.x, gridDim.x), m, n);
  const size_t stride = static_cast<size_t>(k) * T::kBits / 8;
  const auto* from_a = static_cast<const unsigned char*>(a) + tile.row * stride;
  const auto* from_b = static_cast<const unsigned char*>(b) + tile.column * stride;
  const unsigned steps = static_cast<unsigned>(stride / kRowBytes);
  const unsigned wave = threadIdx.x / T::kWave, lane = threadIdx.x % T::kWave;
  const unsigned wave_row = wave / 2 * kDown * T::kSide, wave_column = wave % 2 * kAcross * T::kSide;
  typename Wave<T, kTile, kThreads>::Sum sum = {};
  Part<T, kTile, kThreads> part;
  part.Fetch(from_a, from_b, stride);
  part.Store(shared);
  __syncthreads();
  for (unsigned step = 0; step + 1 < steps; ++step) {
    const size_t next = static_cast<size_t>(step + 1) * kRowBytes;
    part.Fetch(from_a + next, from_b + next, stride);
    DeviceKeepOrder();  // or all products wait for what was just fetched
    MultiplyPart<T, kTile, kThreads>(shared + step % 2 * kBufferBytes, wave_row, wave_column, sum);
    DeviceKeepOrder();
    part.Store(shared + (step + 1) % 2 * kBufferBytes);
    __syncthreads();  // the other buffer is whole, and everyone has done with this one
  }
  MultiplyPart<T, kTile, kThreads>(shared + (steps - 1) % 2 * kBufferBytes, wave_row, wave_column, sum);
#pragma unroll
  for (unsigned i = 0; i < kDown; ++i) {
#pragma unroll
    for (unsigned j = 0; j < kAcross; ++j) {
      const size_t row = tile.row + wave_row + i * T::kSide;
      StoreFragment<T>(sum[i][j], c + row * n + tile.column + wave_column + j * T::kSide, n, lane);
    }
  }
}
constexpr unsigned kMatrixChains = 8, kChainThreads = 256;
template <class T>
DEVICE void Chain(typename T::Result* out, unsigned k, unsigned ones) {
  const unsigned wave = (blockIdx.x * kChainThreads + threadIdx.x) / T::kWave, lane = threadIdx.x % T::kWave;
  const unsigned first = wave * kMatrixChains * 256 + lane * T::kItems;
  Words<T::kWords> one;
#pragma unroll
  for (unsigned i = 0; i < T::kWords; ++i) one.w[i] = ones;
  typename T::Fragment x[kMatrixChains];
#pragma unroll
  for (unsigned chain = 0; chain < kMatrixChains; ++chain) {
#pragma unroll
    for (unsigned i = 0; i < T::kItems; ++i) {
      x[chain].d[i] = static_cast<typename T::Result>((first + chain * 256 + i) % 8);
    }
  }
  for (unsigned step = 0; step < k; ++step) {
#pragma unroll
    for (unsigned part = 0; part < Operand<T>::kInstructions; ++part) {
#pragma unroll
      for (unsigned chain = 0; chain < kMatrixChains; ++chain) T::Multiply(x[chain], one, one);
    }
  }
#pragma unroll
  for (unsigned chain = 0; chain < kMatrixChains; ++chain) {
#pragma unroll
    for (unsigned i = 0; i < T::kItems; ++i) out[first + chain * 256 + i] = x[chain].d[i];
  }
}
#define MATRIX_GEMM(name, tile, threads, T)                                                               \
  KERNEL __launch_bounds__(threads) name(const void* __restrict__ a, const void* __restrict__ b,          \
                                         T::Result* __restrict__ c, unsigned m, unsigned n, unsigned k) { \
    Gemm<T, tile, threads>(a, b, c, m, n, k);                                                             \
  }
#define MATRIX_CHAIN(name, T)                                                                            \
  KERNEL __launch_bounds__(kChainThreads) name(T::Result* __restrict__ out, unsigned k, unsigned ones) { \
    Chain<T>(out, k, ones);                                                                              \
  }
}  // namespace
MATRIX_GEMM(gemm_fp32_matrix_128, 128, 256, Fp32)
MATRIX_GEMM(gemm_fp32_matrix_64, 64, 256, Fp32)
MATRIX_CHAIN(chain_fp32_matrix, Fp32)
