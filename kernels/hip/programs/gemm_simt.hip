// SPDX-License-Identifier: MIT
// made of 11c62524ce050260afcaa1a3387b690090074cf9af04728cfbe2be7500ebf90d by kernels/generate.py
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
constexpr unsigned kSide = 16;
constexpr unsigned kThreads = kSide * kSide;
#ifdef __HIP__
constexpr unsigned kDepthOfLarge = 16;
constexpr unsigned kAhead = 1;  // LLVM reads as far ahead as it unrolls, and would run out of registers
#else
constexpr unsigned kDepthOfLarge = 8;  // so that two blocks have registers and shared memory
constexpr unsigned kAhead = 16;
#endif
DEVICE unsigned Place(unsigned own, unsigned i) { return own * 4 + i / 4 * (kSide * 4) + i % 4; }
template <unsigned kTile_, unsigned kDepth_>
struct Tiles {
  static constexpr unsigned kTile = kTile_, kDepth = kDepth_;
  float a[2][kDepth][kTile + 4];
  float b[2][kDepth][kTile];
};
template <class T>
struct Loader {
  static constexpr unsigned kTile = T::kTile, kDepth = T::kDepth;
  static constexpr unsigned kParts = kTile * kDepth / (kThreads * 4);
  float4 a[kParts];
  float4 b[kParts];
  DEVICE void Fetch(const float* from_a, const float* from_b, unsigned n, unsigned k, unsigned lane) {
#pragma unroll
    for (unsigned part = 0; part < kParts; ++part) {
      const unsigned i = (part * kThreads + lane) * 4;
      a[part] = *reinterpret_cast<const float4*>(from_a + static_cast<size_t>(i / kDepth) * k + i % kDepth);
      b[part] = *reinterpret_cast<const float4*>(from_b + static_cast<size_t>(i / kTile) * n + i % kTile);
    }
  }
  DEVICE void Store(T& tiles, unsigned buffer, unsigned lane) const {
#pragma unroll
    for (unsigned part = 0; part < kParts; ++part) {
      const unsigned i = (part * kThreads + lane) * 4;
      const unsigned row = i / kDepth, depth = i % kDepth;
      tiles.a[buffer][depth][row] = a[part].x;
      tiles.a[buffer][depth + 1][row] = a[part].y;
      tiles.a[buffer][depth + 2][row] = a[part].z;
      tiles.a[buffer][depth + 3][row] = a[part].w;
      *reinterpret_cast<float4*>(&tiles.b[buffer][i / kTile][i % kTile]) = b[part];
    }
  }
};
template <class T>
DEVICE void Gemm(const float* a, const float* b, float* c, unsigned n, unsigned k, T& tiles) {
  constexpr unsigned kTile = T::kTile, kDepth = T::kDepth;
  constexpr unsigned kEach = kTile / kSide;
  const unsigned lane = threadIdx.x, x = lane % kSide, y = lane / kSide;
  const size_t row = static_cast<size_t>(blockIdx.y) * kTile, column = static_cast<size_t>(blockIdx.x) * kTile;
  a += row * k;
  b += column;
  float sum[kEach][kEach] = {};
  Loader<T> loader;
  loader.Fetch(a, b, n, k, lane);
  loader.Store(tiles, 0, lane);
  __syncthreads();
  unsigned buffer = 0;
  for (unsigned left = k / kDepth; left > 0; --left, buffer ^= 1) {
    const bool more = left > 1;
    a += kDepth;
    b += kDepth * static_cast<size_t>(n);
    if (more) loader.Fetch(a, b, n, k, lane);
#pragma unroll kAhead
    for (unsigned d = 0; d < kDepth; ++d) {
      float av[kEach], bv[kEach];
#pragma unroll
      for (unsigned i = 0; i < kEach; i += 4) {
        *reinterpret_cast<float4*>(av + i) = *reinterpret_cast<const float4*>(&tiles.a[buffer][d][Place(y, i)]);
        *reinterpret_cast<float4*>(bv + i) = *reinterpret_cast<const float4*>(&tiles.b[buffer][d][Place(x, i)]);
      }
#pragma unroll
      for (unsigned i = 0; i < kEach; ++i) {
#pragma unroll
        for (unsigned j = 0; j < kEach; ++j) sum[i][j] = fmaf(av[i], bv[j], sum[i][j]);
      }
    }
    if (more) loader.Store(tiles, 1 - buffer, lane);
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i) {
    float* out = c + (row + Place(y, i)) * n + column;
#pragma unroll
    for (unsigned j = 0; j < kEach; j += 4) {
      *reinterpret_cast<float4*>(out + Place(x, j)) = make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
    }
  }
}
}  // namespace
KERNEL __launch_bounds__(kThreads, 2) gemm_fp32_128(const float* __restrict__ a, const float* __restrict__ b,
                                                    float* __restrict__ c, unsigned m, unsigned n, unsigned k) {
  __shared__ __align__(16) Tiles<128, kDepthOfLarge> tiles;
  if (blockIdx.y < m / 128) Gemm(a, b, c, n, k, tiles);
}
KERNEL __launch_bounds__(kThreads) gemm_fp32_64(const float* __restrict__ a, const float* __restrict__ b,
                                                float* __restrict__ c, unsigned m, unsigned n, unsigned k) {
  __shared__ __align__(16) Tiles<64, 16> tiles;
  if (blockIdx.y < m / 64) Gemm(a, b, c, n, k, tiles);
}
