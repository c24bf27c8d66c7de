// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "probe/core/text.h"
#include "probe/cpu/cpuinfo.h"

namespace probe::cpu {
namespace {

struct IsaRank {
  std::string_view name;
  int value;
};
constexpr std::array kX86Isas = {IsaRank{"generic", 0},  IsaRank{"sse4", 1},       IsaRank{"avx2", 2},
                                 IsaRank{"avx_vnni", 3}, IsaRank{"avx512", 4},     IsaRank{"avx512_vnni", 5},
                                 IsaRank{"amx", 6},      IsaRank{"avx512_bf16", 5}};
constexpr std::array kArmIsas = {IsaRank{"neon", 4}, IsaRank{"neon_dotprod", 5}, IsaRank{"sve", 6}};

// The first set that has a flag of the kernel, by how the flag begins; the first row that fits counts.
constexpr std::array kX86Flags = {IsaRank{"amx", 6},
                                  IsaRank{"avx512_vnni", 5},
                                  IsaRank{"avx512_bf16", 5},
                                  IsaRank{"avx512_fp16", 5},
                                  IsaRank{"avx512", 4},
                                  IsaRank{"avx_vnni", 3},
                                  IsaRank{"avx_ne_convert", 3},
                                  IsaRank{"avx", 2},
                                  IsaRank{"fma", 2},
                                  IsaRank{"f16c", 2},
                                  IsaRank{"bmi", 2},
                                  IsaRank{"sse4", 1},
                                  IsaRank{"ssse3", 1}};
constexpr std::array kArmFlags = {IsaRank{"sve", 6}, IsaRank{"sme", 6}, IsaRank{"asimddp", 5}};

template <class Table>
std::optional<int> RankOf(const Table& table, std::string_view name) {
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const IsaRank& rank) { return rank.name == name; });
  return row == table.end() ? std::nullopt : std::optional(row->value);
}

template <class Table>
std::string Names(const Table& table) {
  std::string out;
  for (const IsaRank& rank : table) out.append(out.empty() ? "" : ", ").append(rank.name);
  return out;
}

template <class Isas, class Flags>
std::optional<std::string> Limit(const Isas& isas, const Flags& flags, std::string_view isa, CpuInfo& info) {
  const auto limit = RankOf(isas, isa);
  if (!limit) {
    return fmt::format("{} is none of {}: it is ignored", kIsaVariable, Names(isas));
  }
  const auto removed = std::erase_if(info.flags, [&](const std::string& flag) {
    const auto row = std::find_if(flags.begin(), flags.end(),
                                  [&](const IsaRank& rank) { return flag.starts_with(rank.name); });
    return row != flags.end() && row->value > *limit;
  });
  if (removed == 0) return std::nullopt;
  return fmt::format("{} leaves out what this processor has beyond {}", kIsaVariable, isa);
}

}  // namespace

std::optional<std::string> LimitTo(std::string_view isa, CpuInfo& info) {
  if (info.family == Family::kX86) return Limit(kX86Isas, kX86Flags, isa, info);
  if (info.family == Family::kArm64) return Limit(kArmIsas, kArmFlags, isa, info);
  return std::nullopt;
}

}  // namespace probe::cpu
