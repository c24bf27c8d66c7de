// SPDX-License-Identifier: MIT
// made of 11884e6390b474cca9d2e2ecd6b79cb4dffea4aae068a13450f9f510476dd3b6 by kernels/generate.py
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
#define fmaf __builtin_fmaf
#endif  // __HIP__
namespace {
constexpr unsigned kThreads = 128;
template <unsigned kRows>
DEVICE void Finish(float (&sum)[kRows], float (&shared)[kRows][kThreads], float* y) {
#pragma unroll
  for (unsigned r = 0; r < kRows; ++r) shared[r][threadIdx.x] = sum[r];
  for (unsigned width = kThreads / 2; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) {
#pragma unroll
      for (unsigned r = 0; r < kRows; ++r) shared[r][threadIdx.x] += shared[r][threadIdx.x + width];
    }
  }
  __syncthreads();
  if (threadIdx.x < kRows) y[blockIdx.x * kRows + threadIdx.x] = shared[threadIdx.x][0];
}
DEVICE float Dot(const float4& a, const float4& b, float sum) {
  return fmaf(a.w, b.w, fmaf(a.z, b.z, fmaf(a.y, b.y, fmaf(a.x, b.x, sum))));
}
DEVICE float4 LowHalves(unsigned u, unsigned v) {
  return make_float4(FloatOfHalf(static_cast<unsigned short>(u & 0xffffU)), FloatOfHalf(static_cast<unsigned short>(u >> 16)),
                     FloatOfHalf(static_cast<unsigned short>(v & 0xffffU)), FloatOfHalf(static_cast<unsigned short>(v >> 16)));
}
DEVICE float4 Nibbles(unsigned word) {
  return make_float4(static_cast<float>(static_cast<int>(word & 15U) - 8),
                     static_cast<float>(static_cast<int>(word >> 8 & 15U) - 8),
                     static_cast<float>(static_cast<int>(word >> 16 & 15U) - 8),
                     static_cast<float>(static_cast<int>(word >> 24 & 15U) - 8));
}
}  // namespace
KERNEL __launch_bounds__(kThreads) gemv_fp32(const float4* __restrict__ w, const float4* __restrict__ x,
                                             float* __restrict__ y, unsigned m, unsigned k) {
  constexpr unsigned kRows = 4;
  __shared__ float shared[kRows][kThreads];
  const unsigned vectors = k / 4;
  if (blockIdx.x >= m / kRows) return;
  const float4* row = w + static_cast<size_t>(blockIdx.x) * kRows * vectors;
  float sum[kRows] = {};
#pragma unroll 2
  for (unsigned i = threadIdx.x; i < vectors; i += kThreads) {
    const float4 own = x[i];
#pragma unroll
    for (unsigned r = 0; r < kRows; ++r) sum[r] = Dot(row[static_cast<size_t>(r) * vectors + i], own, sum[r]);
  }
  Finish<kRows>(sum, shared, y);
}
KERNEL __launch_bounds__(kThreads) gemv_fp16(const uint4* __restrict__ w, const float4* __restrict__ x,
                                             float* __restrict__ y, unsigned m, unsigned k) {
  constexpr unsigned kRows = 4;
  __shared__ float shared[kRows][kThreads];
  const unsigned vectors = k / 8;
  if (blockIdx.x >= m / kRows) return;
  const uint4* row = w + static_cast<size_t>(blockIdx.x) * kRows * vectors;
  float sum[kRows] = {};
#pragma unroll 2
  for (unsigned i = threadIdx.x; i < vectors; i += kThreads) {
    const float4 x0 = x[2 * i], x1 = x[2 * i + 1];
#pragma unroll
    for (unsigned r = 0; r < kRows; ++r) {
      const uint4 v = row[static_cast<size_t>(r) * vectors + i];
      sum[r] = Dot(LowHalves(v.z, v.w), x1, Dot(LowHalves(v.x, v.y), x0, sum[r]));
    }
  }
  Finish<kRows>(sum, shared, y);
}
KERNEL __launch_bounds__(kThreads) gemv_q4(const uint4* __restrict__ w, const float4* __restrict__ x,
                                           float* __restrict__ y, unsigned m, unsigned k) {
  constexpr unsigned kRows = 4;
  __shared__ float shared[kRows][kThreads];
  const unsigned blocks = k / 32;
  if (blockIdx.x >= m / kRows) return;
  const auto* scales = reinterpret_cast<const unsigned short*>(w + static_cast<size_t>(m) * blocks);
  const size_t first = static_cast<size_t>(blockIdx.x) * kRows * blocks;
  float sum[kRows] = {};
  for (unsigned i = threadIdx.x; i < blocks; i += kThreads) {
    float4 own[8];
#pragma unroll
    for (unsigned j = 0; j < 8; ++j) own[j] = x[8 * i + j];
#pragma unroll
    for (unsigned r = 0; r < kRows; ++r) {
      const size_t block = first + static_cast<size_t>(r) * blocks + i;
      const uint4 v = w[block];
      float dot = Dot(Nibbles(v.w >> 4), own[7], Dot(Nibbles(v.w), own[3], 0.0f));
      dot = Dot(Nibbles(v.z >> 4), own[6], Dot(Nibbles(v.z), own[2], dot));
      dot = Dot(Nibbles(v.y >> 4), own[5], Dot(Nibbles(v.y), own[1], dot));
      dot = Dot(Nibbles(v.x >> 4), own[4], Dot(Nibbles(v.x), own[0], dot));
      sum[r] = fmaf(FloatOfHalf(scales[block]), dot, sum[r]);
    }
  }
  Finish<kRows>(sum, shared, y);
}
