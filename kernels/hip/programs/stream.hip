// SPDX-License-Identifier: MIT
// made of cc251b2987892f383ae3d282f389735cb3b071247e7172bb09d96dcc4891ee17 by kernels/generate.py
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
constexpr unsigned kThreads = 256;
constexpr unsigned kUnroll = 4;  // loads in flight, a thread that reads
DEVICE unsigned Mix32(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ (x >> 16);
}
DEVICE int Signed(unsigned bits, int width) { return static_cast<int>(bits) >> (32 - width); }
DEVICE unsigned Fp32Word(unsigned bits) { return __float_as_uint(static_cast<float>(Signed(bits, 24)) * 0x1p-23f); }
DEVICE unsigned U32Word(unsigned bits) { return bits; }
DEVICE unsigned Tf32Word(unsigned bits) { return __float_as_uint(static_cast<float>(Signed(bits, 11)) * 0x1p-10f); }
DEVICE unsigned short Bf16Word(unsigned bits) {
  return static_cast<unsigned short>(__float_as_uint(static_cast<float>(Signed(bits, 8)) * 0x1p-7f) >> 16);
}
DEVICE unsigned short Fp16Word(unsigned bits) {
  const unsigned word = Tf32Word(bits);
  const unsigned sign = word >> 16 & 0x8000U, magnitude = word & 0x7fffffffU;
  return static_cast<unsigned short>(magnitude == 0 ? sign : sign | (magnitude - (112U << 23)) >> 13);
}
DEVICE signed char Int8Word(unsigned bits) { return static_cast<signed char>(Signed(bits, 8)); }
DEVICE unsigned char Fp8Word(unsigned bits) {
  const int value = Signed(bits, 4);
  const unsigned magnitude = static_cast<unsigned>(value < 0 ? -value : value);
  const unsigned word = magnitude == 0 ? 0
                        : magnitude == 8 ? 0x38U
                        : magnitude >= 4 ? 6U << 3 | (magnitude - 4) << 1
                        : magnitude >= 2 ? 5U << 3 | (magnitude - 2) << 2
                                         : 4U << 3;
  return static_cast<unsigned char>(word | (value < 0 ? 0x80U : 0U));
}
DEVICE unsigned Fp4Code(unsigned bits) {
  const int value = Signed(bits, 3);
  const int magnitude = value < 0 ? -value : value;
  return (0x65420U >> 4 * magnitude & 7U) | (value < 0 ? 8U : 0U);
}
DEVICE unsigned First() { return blockIdx.x * blockDim.x + threadIdx.x; }
DEVICE unsigned Step() { return gridDim.x * blockDim.x; }
DEVICE float4 AddMultiple(const float4& a, const float4& b, float factor) {
  return make_float4(fmaf(factor, b.x, a.x), fmaf(factor, b.y, a.y), fmaf(factor, b.z, a.z), fmaf(factor, b.w, a.w));
}
}  // namespace
#define FILL(name, type, word)                                                    \
  KERNEL __launch_bounds__(kThreads) name(type* out, unsigned count, unsigned seed) { \
    const unsigned key = Mix32(seed);                                             \
    for (unsigned long long i = First(); i < count; i += Step())                  \
      out[i] = word(Mix32(static_cast<unsigned>(i) ^ key));                       \
  }
FILL(fill_u32, unsigned, U32Word)
FILL(fill_fp32, unsigned, Fp32Word)
FILL(fill_tf32, unsigned, Tf32Word)
FILL(fill_fp16, unsigned short, Fp16Word)
FILL(fill_bf16, unsigned short, Bf16Word)
FILL(fill_int8, signed char, Int8Word)
FILL(fill_fp8, unsigned char, Fp8Word)
KERNEL __launch_bounds__(kThreads) fill_fp4(unsigned* out, unsigned count, unsigned seed) {
  const unsigned key = Mix32(seed);
  for (unsigned long long i = First(); i < count / 8; i += Step()) {
    unsigned word = 0;
    for (unsigned j = 0; j < 8; ++j) word |= Fp4Code(Mix32(static_cast<unsigned>(i * 8 + j) ^ key)) << 4 * j;
    out[i] = word;
  }
}
KERNEL __launch_bounds__(kThreads) fill_q4(unsigned* out, unsigned count, unsigned seed) {
  const unsigned key = Mix32(seed);
  const unsigned words = count / 8, blocks = count / 32;
  auto* scales = reinterpret_cast<unsigned short*>(out + words);
  for (unsigned i = First(); i < words; i += Step()) out[i] = Mix32(i ^ key);
  for (unsigned i = First(); i < blocks; i += Step()) {
    scales[i] = static_cast<unsigned short>(8U << 10 | Mix32((words + i) ^ key) >> 22);
  }
}
KERNEL __launch_bounds__(kThreads) read_u32(const uint4* __restrict__ in, unsigned* __restrict__ partials,
                                            unsigned count) {
  __shared__ unsigned sums[kThreads];
  const unsigned vectors = count / 4, step = Step();
  unsigned sum = 0;
  unsigned i = First();
  for (; vectors > (kUnroll - 1) * step && i < vectors - (kUnroll - 1) * step; i += kUnroll * step) {
    uint4 v[kUnroll];
#pragma unroll
    for (unsigned u = 0; u < kUnroll; ++u) v[u] = in[i + u * step];
#pragma unroll
    for (unsigned u = 0; u < kUnroll; ++u) sum += v[u].x + v[u].y + v[u].z + v[u].w;
  }
  for (; i < vectors; i += step) sum += in[i].x + in[i].y + in[i].z + in[i].w;
  sums[threadIdx.x] = sum;
  for (unsigned width = kThreads / 2; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) sums[threadIdx.x] += sums[threadIdx.x + width];
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}
KERNEL __launch_bounds__(kThreads) copy_u32(const uint4* __restrict__ in, uint4* __restrict__ out, unsigned count) {
  const unsigned i = First();
  if (i < count / 4) out[i] = in[i];
}
KERNEL __launch_bounds__(kThreads) triad_fp32(const float4* __restrict__ a, const float4* __restrict__ b,
                                              float4* __restrict__ out, unsigned count, float factor) {
  const unsigned i = First();
  if (i < count / 4) out[i] = AddMultiple(a[i], b[i], factor);
}
constexpr unsigned kChains = 16;
constexpr unsigned kSteps = 16;  // a turn, of which k is a multiple
constexpr unsigned kFactors = 4;
KERNEL __launch_bounds__(kThreads) chain_fp32(float* __restrict__ out, unsigned k, float one) {
  const unsigned first = blockIdx.x * kChains * kThreads + threadIdx.x;
  float x[kChains];
#pragma unroll
  for (unsigned c = 0; c < kChains; ++c) x[c] = static_cast<float>((first + c * kThreads) % 8);
  float u[kFactors], v[kFactors];
#pragma unroll
  for (unsigned i = 0; i < kFactors; ++i) {
    u[i] = v[i] = one;
#if defined(__HIP__)
    asm volatile("" : "+v"(u[i]), "+v"(v[i]));
#endif
  }
  for (unsigned turn = 0; turn < k / kSteps; ++turn) {
#pragma unroll
    for (unsigned s = 0; s < kSteps; ++s) {
#pragma unroll
      for (unsigned c = 0; c < kChains; ++c) x[c] = fmaf(u[c % kFactors], v[c % kFactors], x[c]);
    }
  }
#pragma unroll
  for (unsigned c = 0; c < kChains; ++c) out[first + c * kThreads] = x[c];
}
namespace {
DEVICE unsigned char Fp8FnuzWord(unsigned bits) {
  const unsigned char word = Fp8Word(bits);
  return static_cast<unsigned char>(word == 0 ? 0 : word + 8);
}
}  // namespace
FILL(fill_fp8_fnuz, unsigned char, Fp8FnuzWord)
