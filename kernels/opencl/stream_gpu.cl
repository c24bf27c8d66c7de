// SPDX-License-Identifier: MIT
// Memory bandwidth for GPUs: neighbours read neighbours, 16 bytes each. Work-groups of GROUP work-items.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void read_u32(__global const uint4* restrict in, __global uint* restrict partials, uint count) {
  __local uint sums[GROUP];
  const uint vectors = count / 4;
  const uint step = get_global_size(0);
  uint4 s = 0;
  for (uint i = get_global_id(0); i < vectors; i += step) s += in[i];
  const uint lane = get_local_id(0);
  sums[lane] = s.x + s.y + s.z + s.w;
  for (uint width = GROUP / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < width) sums[lane] += sums[lane + width];
  }
  if (lane == 0) partials[get_group_id(0)] = sums[0];
}

__kernel void copy_u32(__global const uint4* restrict in, __global uint4* restrict out, uint count) {
  const uint step = get_global_size(0);
  for (uint i = get_global_id(0); i < count / 4; i += step) out[i] = in[i];
}

// out = a + factor * b.
__kernel void triad_fp32(__global const float4* restrict a, __global const float4* restrict b,
                         __global float4* restrict out, uint count, float factor) {
  const uint step = get_global_size(0);
  for (uint i = get_global_id(0); i < count / 4; i += step) out[i] = fma((float4)(factor), b[i], a[i]);
}
