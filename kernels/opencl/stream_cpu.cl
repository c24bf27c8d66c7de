// SPDX-License-Identifier: MIT
// Memory bandwidth for processors: every work-group is one work-item that passes over an equal, contiguous share.
uint Share(uint count, uint index) {
  const uint step = (count / get_num_groups(0) + 64) & ~63u;
  return min(count, index * step);
}

// AHEAD: words to prefetch in advance, since processors' own prefetchers may stop at page borders; 0 where they do not
// and look ahead in four places at once. Without it nothing is: a simulator knows no prefetch.
#if defined(AHEAD) && AHEAD == 0
#define PLACES 4
#else
#define PLACES 1
#endif
#if defined(AHEAD) && AHEAD > 0 && __has_builtin(__builtin_prefetch)
#define PREFETCH(at) __builtin_prefetch((const void*)(uintptr_t)((at) + AHEAD))
#else
#define PREFETCH(at)
#endif

uint16 AddFour(const __global uint* at) {
  const __global uint16* vectors = (const __global uint16*)at;
  return (vectors[0] + vectors[1]) + (vectors[2] + vectors[3]);
}

__kernel void read_u32(__global const uint* restrict in, __global uint* restrict partials, uint count) {
  const uint end = Share(count, get_group_id(0) + 1);
  uint i = Share(count, get_group_id(0));
  const uint apart = (end - i) / (PLACES * 64) * 64;
  uint16 s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (const uint stop = i + apart; i < stop; i += 64) {
    PREFETCH(in + i);
    PREFETCH(in + i + 16);
    PREFETCH(in + i + 32);
    PREFETCH(in + i + 48);
    s0 += AddFour(in + i);
#if PLACES == 4
    s1 += AddFour(in + apart + i);
    s2 += AddFour(in + 2 * apart + i);
    s3 += AddFour(in + 3 * apart + i);
#endif
  }
  i += (PLACES - 1) * apart;
  const uint16 all = (s0 + s1) + (s2 + s3);
  const uint8 h8 = all.lo + all.hi;
  const uint4 h4 = h8.lo + h8.hi;
  uint sum = h4.x + h4.y + h4.z + h4.w;
  for (; i < end; ++i) sum += in[i];
  partials[get_group_id(0)] = sum;
}

#if __has_builtin(__builtin_nontemporal_store) && defined(AHEAD)
#define STREAM(value, to) __builtin_nontemporal_store(value, to)
#else
#define STREAM(value, to) (*(to) = (value))
#endif

__kernel void copy_u32(__global const uint* restrict in, __global uint* restrict out, uint count) {
  const uint end = Share(count, get_group_id(0) + 1);
  uint i = Share(count, get_group_id(0));
  for (; i + 16 <= end; i += 16) {
    PREFETCH(in + i);
    STREAM(*(const __global uint16*)(in + i), (__global uint16*)(out + i));
  }
  for (; i < end; ++i) out[i] = in[i];
}

// out = a + factor * b.
__kernel void triad_fp32(__global const float* restrict a, __global const float* restrict b, __global float* restrict out,
                         uint count, float factor) {
  const uint end = Share(count, get_group_id(0) + 1);
  uint i = Share(count, get_group_id(0));
  for (; i + 16 <= end; i += 16) {
    PREFETCH(a + i);
    PREFETCH(b + i);
    const float16 sum = fma((float16)(factor), *(const __global float16*)(b + i), *(const __global float16*)(a + i));
    STREAM(sum, (__global float16*)(out + i));
  }
  for (; i < end; ++i) out[i] = fma(factor, b[i], a[i]);
}
