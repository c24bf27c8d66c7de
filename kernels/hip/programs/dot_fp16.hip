// SPDX-License-Identifier: MIT
// made of a4436e72eccf5baa31027d8a4777a42059ea531403ac21bb60efd91c0a9715b7 by kernels/generate.py
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
constexpr unsigned kSide = 16;
constexpr unsigned kThreads = 256;
static_assert(kThreads == kSide * kSide);
constexpr unsigned kDepth = 16;
template <unsigned kCount>
struct Words {
  unsigned w[kCount];
};
struct Fp16 {
  using Result = float;
  static constexpr unsigned kBits = 16;
  static DEVICE float Dot(unsigned a, unsigned b, float sum) {
    using Pair = Vector<Half, 2>;
    return AMD_BUILTIN(fdot2)(__builtin_bit_cast(Pair, a), __builtin_bit_cast(Pair, b), sum, false);
  }
};
struct Int8 {
  using Result = int;
  static constexpr unsigned kBits = 8;
  static DEVICE int Dot(unsigned a, unsigned b, int sum) {
    return AMD_BUILTIN(sdot4)(static_cast<int>(a), static_cast<int>(b), sum, false);
  }
};
DEVICE unsigned Place(unsigned own, unsigned i) { return own * 4 + i / 4 * (kSide * 4) + i % 4; }
template <unsigned kTile>
struct Size {
  static constexpr unsigned kM = kTile, kN = kTile;
  static constexpr unsigned kLine = kTile + 4;
  static constexpr unsigned kOperand = kDepth * kLine;
};
template <unsigned kTile>
struct Part {
  static constexpr unsigned kEach = kTile * kDepth / 4 / kThreads;
  uint4 a[kEach];
  uint4 b[kEach];
  DEVICE void Fetch(const unsigned* from_a, const unsigned* from_b, size_t stride) {
#pragma unroll
    for (unsigned i = 0; i < kEach; ++i) {
      const unsigned at = (i * kThreads + threadIdx.x) * 4;
      const size_t place = at / kDepth * stride + at % kDepth;
      a[i] = *reinterpret_cast<const uint4*>(from_a + place);
      b[i] = *reinterpret_cast<const uint4*>(from_b + place);
    }
  }
  DEVICE void Store(unsigned* to) const {
#pragma unroll
    for (unsigned i = 0; i < kEach; ++i) {
      const unsigned at = (i * kThreads + threadIdx.x) * 4;
      Put(to + at % kDepth * Size<kTile>::kLine + at / kDepth, a[i]);
      Put(to + Size<kTile>::kOperand + at % kDepth * Size<kTile>::kLine + at / kDepth, b[i]);
    }
  }
  static DEVICE void Put(unsigned* to, const uint4& words) {
    to[0] = words.x;
    to[Size<kTile>::kLine] = words.y;
    to[2 * Size<kTile>::kLine] = words.z;
    to[3 * Size<kTile>::kLine] = words.w;
  }
};
template <class T, unsigned kTile>
DEVICE void Gemm(const void* a, const void* b, typename T::Result* c, unsigned m, unsigned n, unsigned k) {
  constexpr unsigned kEach = kTile / kSide;
  constexpr unsigned kBuffer = 2 * Size<kTile>::kOperand;
  auto* shared = reinterpret_cast<unsigned*>(SharedBlock<2 * kBuffer * 4>());
  const Tile tile = TileOf<Size<kTile>>(blockIdx.x, m, n);
  const unsigned x = threadIdx.x % kSide, y = threadIdx.x / kSide;
  const size_t stride = static_cast<size_t>(k) * T::kBits / 32;
  const unsigned* from_a = static_cast<const unsigned*>(a) + tile.row * stride;
  const unsigned* from_b = static_cast<const unsigned*>(b) + tile.column * stride;
  const unsigned steps = static_cast<unsigned>(stride / kDepth);
  typename T::Result sum[kEach][kEach] = {};
  Part<kTile> part;
  part.Fetch(from_a, from_b, stride);
  part.Store(shared);
  __syncthreads();
  for (unsigned step = 0; step < steps; ++step) {
    const size_t next = static_cast<size_t>(step + 1) * kDepth;
    const bool more = step + 1 < steps;
    if (more) part.Fetch(from_a + next, from_b + next, stride);
    const unsigned* line_a = shared + step % 2 * kBuffer;
    const unsigned* line_b = line_a + Size<kTile>::kOperand;
#pragma unroll 1
    for (unsigned d = 0; d < kDepth; ++d, line_a += Size<kTile>::kLine, line_b += Size<kTile>::kLine) {
      uint4 av[kEach / 4], bv[kEach / 4];
#pragma unroll
      for (unsigned i = 0; i < kEach / 4; ++i) {
        av[i] = *reinterpret_cast<const uint4*>(line_a + Place(y, i * 4));
        bv[i] = *reinterpret_cast<const uint4*>(line_b + Place(x, i * 4));
      }
      const auto wa = __builtin_bit_cast(Words<kEach>, av);
      const auto wb = __builtin_bit_cast(Words<kEach>, bv);
#pragma unroll
      for (unsigned i = 0; i < kEach; ++i) {
#pragma unroll
        for (unsigned j = 0; j < kEach; ++j) sum[i][j] = T::Dot(wa.w[i], wb.w[j], sum[i][j]);
      }
    }
    if (more) part.Store(shared + (step + 1) % 2 * kBuffer);
    __syncthreads();  // the other buffer is whole, and everyone has done with this one
  }
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i) {
    const size_t row = tile.row + Place(y, i);
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) c[row * n + tile.column + Place(x, j)] = sum[i][j];
  }
}
#define MATRIX_GEMM(name, tile, T)                                                                         \
  KERNEL __launch_bounds__(kThreads) name(const void* __restrict__ a, const void* __restrict__ b,          \
                                          T::Result* __restrict__ c, unsigned m, unsigned n, unsigned k) { \
    Gemm<T, tile>(a, b, c, m, n, k);                                                                       \
  }
}  // namespace
MATRIX_GEMM(gemm_fp16_128, 128, Fp16)
MATRIX_GEMM(gemm_fp16_64, 64, Fp16)
