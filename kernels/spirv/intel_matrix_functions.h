// SPDX-License-Identifier: MIT
// The functions of cl_intel_subgroup_matrix_multiply_accumulate ("New OpenCL C Functions") that gemm_intel.cl
// calls, which clang does not declare. In SPIR-V they stay functions that the module imports: the driver's
// compiler has them by these names, for sub-groups of 8 (slices of int) and of 16 (slices of short).
#define OVERLOADED __attribute__((overloadable))
float8 OVERLOADED intel_sub_group_f16_f16_matrix_mad_k16(int8 a, int8 b, float8 sum);
float8 OVERLOADED intel_sub_group_f16_f16_matrix_mad_k16(short8 a, int8 b, float8 sum);
float8 OVERLOADED intel_sub_group_bf16_bf16_matrix_mad_k16(int8 a, int8 b, float8 sum);
float8 OVERLOADED intel_sub_group_bf16_bf16_matrix_mad_k16(short8 a, int8 b, float8 sum);
int8 OVERLOADED intel_sub_group_i8_i8_matrix_mad_k32(int8 a, int8 b, int8 sum);
int8 OVERLOADED intel_sub_group_i8_i8_matrix_mad_k32(short8 a, int8 b, int8 sum);
