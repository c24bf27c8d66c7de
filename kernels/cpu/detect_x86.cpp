// SPDX-License-Identifier: MIT
#include <vector>

#include "kernels/cpu/architecture_x86.h"
#include "kernels/cpu/feature_x86.h"
#include "kernels/cpu/isa_limit.h"
#include "kernels/cpu/prefetch.h"
#include "kernels/cpu/quirks.h"
#include "kernels/cpu/tables.h"
#include "kernels/cpu/targets.h"

namespace kernels::cpu {
namespace {

bool HasSse4() {
  return IsAllowed("sse4") && HasFeature("ssse3") && HasFeature("sse4.2") && HasFeature("pclmul") &&
         HasFeature("aes");
}

bool HasAvx2() {
  return IsAllowed("avx2") && HasSse4() && HasFeature("avx2") && HasFeature("fma") && HasFeature("f16c") &&
         HasFeature("bmi") && HasFeature("bmi2");
}

}  // namespace

bool HasAvx512() {
  return IsAllowed("avx512") && HasAvx2() && HasFeature("avx512f") && HasFeature("avx512bw") &&
         HasFeature("avx512dq") && HasFeature("avx512vl") && HasFeature("avx512cd");
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

// The sets that Highway's own target flags name (hwy/ops/set_macros-inl.h).
bool CpuRuns(std::int64_t highway_target) {
  for (const Row& row : kRows) {
    if (row.target == highway_target) return row.has();
  }
  return false;
}

bool HasAvx512Bf16() { return IsAllowed("avx512_bf16") && HasAvx512() && HasFeature("avx512bf16"); }
bool HasAvx512Vnni() { return IsAllowed("avx512_vnni") && HasAvx512() && HasFeature("avx512vnni"); }
bool HasAvxVnni() { return IsAllowed("avx_vnni") && HasAvx2() && HasFeature("avxvnni"); }

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
