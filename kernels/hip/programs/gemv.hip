// SPDX-License-Identifier: MIT
// made of 8bc50c9b2d5e027d5382353fc52a906e675eeb004dfbda17ba353586d594ea6c by kernels/generate.py
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
constexpr unsigned kThreads = 128;
template <unsigned kRows, unsigned kCount>
DEVICE void Finish(float (&sum)[kRows], float (&shared)[kRows][kCount], float* y) {
#pragma unroll
  for (unsigned r = 0; r < kRows; ++r) shared[r][threadIdx.x] = sum[r];
  for (unsigned width = kCount / 2; width > 0; width /= 2) {
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
DEVICE float4 OnesAndMore(unsigned word) {
  constexpr unsigned kExponent = 0x3f000000U;
  return make_float4(
      __uint_as_float(__byte_perm(word, kExponent, 0x7044)), __uint_as_float(__byte_perm(word, kExponent, 0x7144)),
      __uint_as_float(__byte_perm(word, kExponent, 0x7244)), __uint_as_float(__byte_perm(word, kExponent, 0x7344)));
}
constexpr unsigned kBesideNibbles = 0x87878787U;
constexpr float kEight = 1.0f + 8.0f / 16.0f + 7.0f / 128.0f;
DEVICE float4 LowNibbles(unsigned word) { return OnesAndMore(word << 3 | kBesideNibbles); }
DEVICE float4 HighNibbles(unsigned word) { return OnesAndMore(word >> 1 | kBesideNibbles); }
DEVICE float Sum(const float4& v) { return v.x + v.y + (v.z + v.w); }
constexpr unsigned kBlockThreads = 64;  // where a thread has whole blocks of 32; those of 14336 in seven turns
constexpr unsigned kPieces = 8;         // of a block's x, 16 bytes each
constexpr unsigned kStride = kPieces + 1;
DEVICE const float4* Stage(const float4* x, unsigned first, unsigned blocks, float4* staged) {
  const unsigned thread = threadIdx.x;
  const float4* const from = x + (first * kPieces + thread);
  const int left = static_cast<int>((blocks - first) * kPieces - thread);
  float4 piece[kPieces];
#pragma unroll
  for (unsigned j = 0; j < kPieces; ++j) {
    const bool is_there = static_cast<int>(j * kBlockThreads) < left;
    piece[j] = is_there ? from[j * kBlockThreads] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  }
  __syncthreads();  // everyone has done with the x before
  float4* const to = staged + thread / kPieces * kStride + thread % kPieces;
#pragma unroll
  for (unsigned j = 0; j < kPieces; ++j) to[j * (kBlockThreads / kPieces) * kStride] = piece[j];
  __syncthreads();  // everyone's x
  return staged + thread * kStride;
}
template <unsigned kRows>
DEVICE float AddBlocks(const uint4 (&v)[kRows], const float4* x, float (&dot)[kRows]) {
  float total = 0;
#pragma unroll
  for (unsigned j = 0; j < kPieces / 2; ++j) {
    const float4 low = x[j], high = x[j + kPieces / 2];
    total += Sum(low) + Sum(high);
#pragma unroll
    for (unsigned r = 0; r < kRows; ++r) {
      const unsigned word = j == 0 ? v[r].x : j == 1 ? v[r].y : j == 2 ? v[r].z : v[r].w;
      dot[r] = Dot(HighNibbles(word), high, Dot(LowNibbles(word), low, dot[r]));
    }
  }
  return total;
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
  Finish(sum, shared, y);
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
  Finish(sum, shared, y);
}
KERNEL __launch_bounds__(kBlockThreads, 8) gemv_q4(const uint4* __restrict__ w, const float4* __restrict__ x,
                                                    float* __restrict__ y, unsigned m, unsigned k) {
  constexpr unsigned kRows = 8;
  __shared__ float4 staged[kBlockThreads * kStride];
  const unsigned blocks = k / 32;
  if (blockIdx.x >= m / kRows) return;
  const auto* scales = reinterpret_cast<const unsigned short*>(w + static_cast<size_t>(m) * blocks);
  const size_t row = static_cast<size_t>(blockIdx.x) * kRows * blocks;
  float sum[kRows] = {};
  for (unsigned first = 0; first < blocks; first += kBlockThreads) {
    const size_t block = row + (first + threadIdx.x < blocks ? first + threadIdx.x : 0);
    uint4 v[kRows];
    unsigned short scale[kRows];
#pragma unroll
    for (unsigned r = 0; r < kRows; ++r) {
      v[r] = __ldcs(w + block + r * blocks);
      scale[r] = __ldcs(scales + block + r * blocks);
    }
    const float4* own = Stage(x, first, blocks, staged);
    float dot[kRows] = {};
    const float total = AddBlocks(v, own, dot);
#pragma unroll
    for (unsigned r = 0; r < kRows; ++r) sum[r] = fmaf(FloatOfHalf(scale[r]), fmaf(-kEight, total, dot[r]), sum[r]);
  }
#pragma unroll
  for (unsigned r = 0; r < kRows; ++r) sum[r] *= 16.0f;
  __syncthreads();
  Finish(sum, reinterpret_cast<float(&)[kRows][kBlockThreads]>(staged), y);
}
