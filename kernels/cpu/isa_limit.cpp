// SPDX-License-Identifier: MIT
#include "kernels/cpu/isa_limit.h"

#include <array>
#include <optional>

namespace kernels::cpu {
namespace {

struct Rank {
  std::string_view isa;
  int value;
};
// Those of this architecture alone: another's name is none here, as for the probe (probe/cpu/isa_limit.cpp).
#if defined(__aarch64__)
constexpr std::array kRanks{Rank{"neon", 0}, Rank{"neon_dotprod", 1}, Rank{"sve", 2}};
#else
constexpr std::array kRanks{Rank{"generic", 0},     Rank{"sse4", 1},   Rank{"avx2", 2},
                            Rank{"avx_vnni", 3},    Rank{"avx512", 4}, Rank{"avx512_vnni", 5},
                            Rank{"avx512_bf16", 5}, Rank{"amx", 6}};
#endif

std::optional<int> RankOf(std::string_view isa) {
  for (const Rank& rank : kRanks) {
    if (rank.isa == isa) return rank.value;
  }
  return std::nullopt;
}

}  // namespace

bool IsAllowed(std::string_view isa) {
  static const std::optional<int> limit = [] {
    const char* name = TrustedVariable("WHICHGPU_CPU_ISA");
    return name != nullptr ? RankOf(name) : std::nullopt;
  }();
  const auto rank = RankOf(isa);
  return !limit || !rank || *rank <= *limit;
}

}  // namespace kernels::cpu
