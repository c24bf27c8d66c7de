// SPDX-License-Identifier: MIT
#include "kernels/cpu/targets.h"

namespace kernels::cpu {
namespace {

bool HasSse4() {
  return __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.2") &&
         __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("aes");
}

bool HasAvx2() {
  return HasSse4() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

bool HasAvx512() {
  return HasAvx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512cd");
}

struct Row {
  std::int64_t target;
  bool (*has)();
};

constexpr Row kRows[] = {{HWY_AVX3, HasAvx512},
                         {HWY_AVX2, HasAvx2},
                         {HWY_SSE4, HasSse4},
                         {HWY_BASELINE_SCALAR, [] { return true; }}};

}  // namespace

// The sets that Highway's own target flags name (hwy/ops/set_macros-inl.h); the compiler's test includes the
// OS's saving of the registers (XCR0).
bool CpuRuns(std::int64_t highway_target) {
  for (const Row& row : kRows) {
    if (row.target == highway_target) return row.has();
  }
  return false;
}

}  // namespace kernels::cpu
