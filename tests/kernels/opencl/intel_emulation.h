// SPDX-License-Identifier: MIT
// Intel's matrix instructions in plain OpenCL C, by the layout that their extension defines, so that the
// kernels that use them compute on any device. The lanes exchange A through local memory.
#pragma once

#include <string>

namespace tests {

// The kernel's text with the instructions defined before it. Only a kernel can declare local memory: the
// exchange is added to its first declaration.
[[nodiscard]] inline std::string WithIntelEmulation(std::string source) {
  const std::string declaration = "  BlockC sum[BLOCKS][PANELS];\n";
  const auto at = source.find(declaration);
  if (at == std::string::npos) return "#error the kernel has changed";
  source.insert(at, "  __local Slice exchange[SUBGROUPS][8][SUBGROUP];\n");
  return R"(
#if SUBGROUP == 8
typedef int EmulatedSlice;
typedef int8 EmulatedSlices;
#else
typedef short EmulatedSlice;
typedef short8 EmulatedSlices;
#endif
float FromFp16(ushort bits) { return vload_half(0, (const half*)&bits); }
float FromBf16(ushort bits) { return as_float((uint)bits << 16); }
int FromInt8(char value) { return value; }
#define ROLLED __attribute__((opencl_unroll_hint(1)))
#define EMULATE(name, Sum, Sums, Entry, From) \
  Sums name(__local EmulatedSlice (*rows)[SUBGROUP], EmulatedSlices a, int8 b, Sums acc) { \
    ROLLED for (int r = 0; r < 8; ++r) rows[r][get_local_id(0)] = ((const EmulatedSlice*)&a)[r]; \
    barrier(CLK_LOCAL_MEM_FENCE); \
    ROLLED for (int r = 0; r < 8; ++r) { \
      const __local Entry* row = (const __local Entry*)rows[r]; \
      Sum sum = ((const Sum*)&acc)[r]; \
      ROLLED for (int i = 0; i < 32 / SIZE; ++i) sum += From(row[i]) * From(((const Entry*)&b)[i]); \
      ((Sum*)&acc)[r] = sum; \
    } \
    barrier(CLK_LOCAL_MEM_FENCE); \
    return acc; \
  }
#if SIZE == 2
EMULATE(EmulateFp16, float, float8, ushort, FromFp16)
EMULATE(EmulateBf16, float, float8, ushort, FromBf16)
#else
EMULATE(EmulateInt8, int, int8, char, FromInt8)
#endif
#define intel_sub_group_f16_f16_matrix_mad_k16(a, b, acc) EmulateFp16(exchange[get_local_id(1)], a, b, acc)
#define intel_sub_group_bf16_bf16_matrix_mad_k16(a, b, acc) EmulateBf16(exchange[get_local_id(1)], a, b, acc)
#define intel_sub_group_i8_i8_matrix_mad_k32(a, b, acc) EmulateInt8(exchange[get_local_id(1)], a, b, acc)
)" + source;
}

}  // namespace tests
