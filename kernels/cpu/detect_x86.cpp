// SPDX-License-Identifier: MIT
#include <cpuid.h>

#include <vector>

#include "kernels/cpu/architecture_x86.h"
#include "kernels/cpu/isa_limit.h"
#include "kernels/cpu/prefetch.h"
#include "kernels/cpu/quirks.h"
#include "kernels/cpu/tables.h"
#include "kernels/cpu/targets.h"

namespace kernels::cpu {
namespace {

// Two that __builtin_cpu_supports of clang before 18 does not know: CPUID.1:ECX and CPUID.(7, 1):EAX, Intel
// SDM volume 2A. Whoever asks has found AVX2, for which the system saves all the registers that they need.
bool HasF16c() {
  constexpr unsigned kF16c = 1U << 29U;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & kF16c) != 0;
}
bool HasVexVnni() {
  constexpr unsigned kAvxVnni = 1U << 4U;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax & kAvxVnni) != 0;
}

bool HasSse4() {
  return IsAllowed("sse4") && __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.2") &&
         __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("aes");
}

bool HasAvx2() {
  return IsAllowed("avx2") && HasSse4() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         HasF16c() && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

}  // namespace

bool HasAvx512() {
  return IsAllowed("avx512") && HasAvx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
}

namespace {

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

bool HasAvx512Bf16() {
  return IsAllowed("avx512_bf16") && HasAvx512() && __builtin_cpu_supports("avx512bf16");
}
bool HasAvx512Vnni() {
  return IsAllowed("avx512_vnni") && HasAvx512() && __builtin_cpu_supports("avx512vnni");
}
bool HasAvxVnni() { return IsAllowed("avx_vnni") && HasAvx2() && HasVexVnni(); }

bool AddsInt8In32Bits() { return HasAvx512Vnni() || HasAvxVnni(); }

std::span<const Implementation> ArchitectureImplementations() {
  static const auto all = [] {
    std::vector<Implementation> rows;
    for (const auto part : {GemmAmxImplementations(), GemmDotImplementations(), GemvDotImplementations(),
                            ChainAmxImplementations(), ChainDotImplementations()}) {
      rows.insert(rows.end(), part.begin(), part.end());
    }
    return rows;
  }();
  return all;
}

}  // namespace kernels::cpu
