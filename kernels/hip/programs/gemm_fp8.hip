// SPDX-License-Identifier: MIT
// made of 15e854bac81edaf42f47f0bc019e2f0d9062bf4b3fac1b9947ef7858b3e94d0a by kernels/generate.py
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
template <class Number, unsigned kItems>
struct Sums {
  Number d[kItems];
};
template <unsigned kCount>
struct Words {
  unsigned w[kCount];
};
struct Mfma {
  static constexpr unsigned kWave = 64, kGroups = 4, kItems = 4;
  static DEVICE unsigned Row(unsigned item, unsigned lane) { return lane / 16 * 4 + item; }
};
struct Wmma11 {
  static constexpr unsigned kWave = 32, kGroups = 1, kItems = 8;
  static DEVICE unsigned Row(unsigned item, unsigned lane) { return item * 2 + lane / 16; }
};
struct Wmma12 {
  static constexpr unsigned kWave = 32, kGroups = 2, kItems = 8;
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
#define MFMA_TYPE(name, bits, number, words, operand, builtin)                                              \
  MATRIX_TYPE(name, Mfma, bits, number, words,                                                              \
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
MFMA_TYPE(Fp32, 32, float, 1, float, mfma_f32_16x16x4f32)
#endif
#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__)
MFMA_TYPE(Fp16, 16, float, 2, Half4, mfma_f32_16x16x16f16)
#endif
#if defined(__gfx90a__) || defined(__gfx942__)
MFMA_TYPE(Bf16, 16, float, 2, Short4, mfma_f32_16x16x16bf16_1k)
#endif
#if defined(__gfx908__)
MFMA_TYPE(Bf16, 16, float, 1, Short2, mfma_f32_16x16x8bf16)
#endif
#if defined(__gfx908__) || defined(__gfx90a__)
MFMA_TYPE(Int8, 8, int, 1, int, mfma_i32_16x16x16i8)
#elif defined(__gfx942__)
using Float2 = Vector<float, 2>;
MFMA_TYPE(Int8, 8, int, 2, long, mfma_i32_16x16x32_i8)
MFMA_TYPE(Tf32, 32, float, 2, Float2, mfma_f32_16x16x8_xf32)
MFMA_TYPE(Fp8Fnuz, 8, float, 2, long, mfma_f32_16x16x32_fp8_fp8)
#elif defined(__gfx950__)
using Half8 = Vector<Half, 8>;
using Bfloat8 = Vector<AMD_BFLOAT, 8>;
using Int4 = Vector<int, 4>;
MFMA_TYPE(Fp16, 16, float, 4, Half8, mfma_f32_16x16x32_f16)
MFMA_TYPE(Bf16, 16, float, 4, Bfloat8, mfma_f32_16x16x32_bf16)
MFMA_TYPE(Int8, 8, int, 4, Int4, mfma_i32_16x16x64_i8)
using Int8Words = Vector<int, 8>;
MATRIX_TYPE(Fp8, Mfma, 8, float, 8,
            AMD_BUILTIN(mfma_scale_f32_16x16x128_f8f6f4)(__builtin_bit_cast(Int8Words, first),
                                                         __builtin_bit_cast(Int8Words, second), d, 0, 0, 0,
                                                         127, 0, 127))
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
constexpr unsigned kThreads = 256;
template <class T>
struct Line {
  static constexpr unsigned kOfInstruction = T::kGroups * T::kWords * 4;
  static constexpr unsigned kBytes = kOfInstruction > 64 ? kOfInstruction : 64;
  static constexpr unsigned kPieces = kBytes / 16;
};
template <class T>
DEVICE unsigned Offset(unsigned row, unsigned piece) {
  constexpr unsigned kPieces = Line<T>::kPieces;
  return row * Line<T>::kBytes + (piece ^ (row * kPieces / 8 % kPieces)) * 16;
}
template <class T, unsigned kTile>
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
      *reinterpret_cast<uint4*>(to + Offset<T>(at / kPieces, at % kPieces)) = a[i];
      *reinterpret_cast<uint4*>(to + Offset<T>(kTile + at / kPieces, at % kPieces)) = b[i];
    }
  }
};
template <class T>
struct Operand {
  static constexpr unsigned kReads = T::kWords > 4 ? T::kWords / 4 : 1;
  static constexpr unsigned kInstructions = kReads * 4 / T::kWords;
  static constexpr unsigned kDepth = T::kGroups * kReads * 128 / T::kBits;  // of k, all lanes together
  Words<T::kWords> part[kInstructions];
  DEVICE void Load(const unsigned char* tile, unsigned row, unsigned first, unsigned lane) {
    uint4 read[kReads];
#pragma unroll
    for (unsigned i = 0; i < kReads; ++i) {
      read[i] = *reinterpret_cast<const uint4*>(
          tile + Offset<T>(row + lane % 16, first + lane / 16 % T::kGroups * kReads + i));
    }
    *this = __builtin_bit_cast(Operand, read);
  }
};
template <class T, unsigned kTile>
struct Wave {
  static constexpr unsigned kM = kTile, kN = kTile;  // all together
  static constexpr unsigned kRows = kThreads / T::kWave / 2;
  static constexpr unsigned kDown = kTile / kRows / 16, kAcross = kTile / 2 / 16;
  using Sum = typename T::Fragment[kDown][kAcross];
};
template <class T, unsigned kTile>
DEVICE void MultiplyPart(const unsigned char* tile, unsigned wave_row, unsigned wave_column,
                         typename Wave<T, kTile>::Sum& sum) {
  constexpr unsigned kDown = Wave<T, kTile>::kDown, kAcross = Wave<T, kTile>::kAcross;
  const unsigned lane = threadIdx.x % T::kWave;
#pragma unroll
  for (unsigned first = 0; first < Line<T>::kPieces; first += T::kGroups * Operand<T>::kReads) {
    Operand<T> a[kDown];
    Operand<T> b[kAcross];
#pragma unroll
    for (unsigned i = 0; i < kDown; ++i) a[i].Load(tile, wave_row + i * 16, first, lane);
#pragma unroll
    for (unsigned j = 0; j < kAcross; ++j) b[j].Load(tile, kTile + wave_column + j * 16, first, lane);
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
#if !defined(XCC_COUNT)
#define XCC_COUNT 1
#endif
DEVICE unsigned TileNumber(unsigned group, unsigned groups) {
  const unsigned each = groups / XCC_COUNT;
  return group < each * XCC_COUNT ? group % XCC_COUNT * each + group / XCC_COUNT : group;
}
template <class T, unsigned kTile>
DEVICE void Gemm(const void* a, const void* b, typename T::Result* c, unsigned m, unsigned n, unsigned k) {
  constexpr unsigned kDown = Wave<T, kTile>::kDown, kAcross = Wave<T, kTile>::kAcross;
  constexpr unsigned kRowBytes = Line<T>::kBytes;
  constexpr unsigned kBufferBytes = 2 * kTile * kRowBytes;
  unsigned char* shared = SharedBlock<2 * kBufferBytes>();
  const Tile tile = TileOf<Wave<T, kTile>>(TileNumber(blockIdx.x, gridDim.x), m, n);
  const size_t stride = static_cast<size_t>(k) * T::kBits / 8;
  const auto* from_a = static_cast<const unsigned char*>(a) + tile.row * stride;
  const auto* from_b = static_cast<const unsigned char*>(b) + tile.column * stride;
  const unsigned steps = static_cast<unsigned>(stride / kRowBytes);
  const unsigned wave = threadIdx.x / T::kWave, lane = threadIdx.x % T::kWave;
  const unsigned wave_row = wave / 2 * kDown * 16, wave_column = wave % 2 * kAcross * 16;
  typename Wave<T, kTile>::Sum sum = {};
  Part<T, kTile> part;
  part.Fetch(from_a, from_b, stride);
  part.Store(shared);
  __syncthreads();
  for (unsigned step = 0; step + 1 < steps; ++step) {
    const size_t next = static_cast<size_t>(step + 1) * kRowBytes;
    part.Fetch(from_a + next, from_b + next, stride);
    DeviceKeepOrder();  // or all products wait for what was just fetched
    MultiplyPart<T, kTile>(shared + step % 2 * kBufferBytes, wave_row, wave_column, sum);
    DeviceKeepOrder();
    part.Store(shared + (step + 1) % 2 * kBufferBytes);
    __syncthreads();  // the other buffer is whole, and everyone has done with this one
  }
  MultiplyPart<T, kTile>(shared + (steps - 1) % 2 * kBufferBytes, wave_row, wave_column, sum);
#pragma unroll
  for (unsigned i = 0; i < kDown; ++i) {
#pragma unroll
    for (unsigned j = 0; j < kAcross; ++j) {
      const unsigned column = tile.column + wave_column + j * 16 + lane % 16;
#pragma unroll
      for (unsigned item = 0; item < T::kItems; ++item) {
        const size_t row = tile.row + wave_row + i * 16 + T::Row(item, lane);
        c[row * n + column] = sum[i][j].d[item];
      }
    }
  }
}
constexpr unsigned kMatrixChains = 8;
template <class T>
DEVICE void Chain(typename T::Result* out, unsigned k, unsigned ones) {
  const unsigned wave = (blockIdx.x * kThreads + threadIdx.x) / T::kWave, lane = threadIdx.x % T::kWave;
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
#define MATRIX_GEMM(name, tile, T)                                                                         \
  KERNEL __launch_bounds__(kThreads) name(const void* __restrict__ a, const void* __restrict__ b,          \
                                          T::Result* __restrict__ c, unsigned m, unsigned n, unsigned k) { \
    Gemm<T, tile>(a, b, c, m, n, k);                                                                       \
  }
#define MATRIX_CHAIN(name, T)                                                                       \
  KERNEL __launch_bounds__(kThreads) name(T::Result* __restrict__ out, unsigned k, unsigned ones) { \
    Chain<T>(out, k, ones);                                                                         \
  }
}  // namespace
MATRIX_GEMM(gemm_fp8_128, 128, Fp8)
MATRIX_GEMM(gemm_fp8_64, 64, Fp8)
MATRIX_CHAIN(chain_fp8, Fp8)
