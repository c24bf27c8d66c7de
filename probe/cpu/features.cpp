// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "probe/cpu/cpuinfo.h"

namespace probe::cpu {
namespace {

using Name = std::pair<std::string_view, std::string_view>;

constexpr std::size_t kMostFlags = 9;

struct Level {
  std::string_view name;
  // On top of the level before; unused places are empty. No initializer_list: the array behind one in a table
  // may end with the expression that filled the table.
  std::array<std::string_view, kMostFlags> flags;
};

constexpr std::array kX86Levels = {
    Level{"x86-64", {"lm", "sse2"}},
    Level{"x86-64-v2", {"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"}},
    Level{"x86-64-v3", {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"}},
    Level{"x86-64-v4", {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}}};

// The features that each level makes mandatory and Linux names (Documentation/arch/arm64/elf_hwcaps.rst).
constexpr std::array kArmLevels = {Level{"armv8.0-a", {"fp", "asimd"}},
                                   Level{"armv8.1-a", {"atomics", "crc32", "asimdrdm"}},
                                   Level{"armv8.2-a", {"dcpop"}},
                                   Level{"armv8.3-a", {"jscvt", "fcma", "lrcpc"}},
                                   Level{"armv8.4-a", {"asimddp", "flagm", "ilrcpc", "dit", "uscat"}},
                                   Level{"armv8.5-a", {"flagm2", "frint", "sb"}},
                                   Level{"armv9.0-a", {"sve2"}}};

// Flag of the kernel, name here.
constexpr std::array kX86Features = {Name{"pni", "sse3"},
                                     Name{"ssse3", "ssse3"},
                                     Name{"sse4_1", "sse4.1"},
                                     Name{"sse4_2", "sse4.2"},
                                     Name{"avx", "avx"},
                                     Name{"f16c", "f16c"},
                                     Name{"fma", "fma"},
                                     Name{"avx2", "avx2"},
                                     Name{"avx_vnni", "avxvnni"},
                                     Name{"avx_vnni_int8", "avxvnniint8"},
                                     Name{"avx_ne_convert", "avxneconvert"},
                                     Name{"avx512f", "avx512f"},
                                     Name{"avx512cd", "avx512cd"},
                                     Name{"avx512bw", "avx512bw"},
                                     Name{"avx512dq", "avx512dq"},
                                     Name{"avx512vl", "avx512vl"},
                                     Name{"avx512vbmi", "avx512vbmi"},
                                     Name{"avx512_vnni", "avx512vnni"},
                                     Name{"avx512_bf16", "avx512bf16"},
                                     Name{"avx512_fp16", "avx512fp16"},
                                     Name{"amx_tile", "amx-tile"},
                                     Name{"amx_bf16", "amx-bf16"},
                                     Name{"amx_int8", "amx-int8"},
                                     Name{"amx_fp16", "amx-fp16"}};
constexpr std::array kArmFeatures = {
    Name{"asimd", "neon"}, Name{"asimdhp", "fp16"}, Name{"asimddp", "dotprod"}, Name{"bf16", "bf16"},
    Name{"i8mm", "i8mm"},  Name{"sve", "sve"},      Name{"svebf16", "svebf16"}, Name{"svei8mm", "svei8mm"},
    Name{"sve2", "sve2"},  Name{"sme", "sme"},      Name{"sme2", "sme2"}};

// Feature, data type that its instructions compute with.
constexpr std::array kDtypes = {
    Name{"avx512fp16", "fp16"}, Name{"fp16", "fp16"},    Name{"amx-fp16", "fp16"}, Name{"avx512bf16", "bf16"},
    Name{"amx-bf16", "bf16"},   Name{"bf16", "bf16"},    Name{"avxvnni", "int8"},  Name{"avx512vnni", "int8"},
    Name{"amx-int8", "int8"},   Name{"dotprod", "int8"}, Name{"i8mm", "int8"}};
constexpr std::array kMatrixUnits = {Name{"amx-fp16", "fp16/fp32"}, Name{"amx-bf16", "bf16/fp32"},
                                     Name{"bf16", "bf16/fp32"}, Name{"amx-int8", "int8/int32"},
                                     Name{"i8mm", "int8/int32"}};

template <class Levels>
std::optional<std::string> Highest(const Levels& levels, const CpuInfo& info) {
  std::optional<std::string> reached;
  for (const Level& level : levels) {
    const bool all = std::all_of(level.flags.begin(), level.flags.end(),
                                 [&](auto flag) { return flag.empty() || info.Has(flag); });
    if (!all) break;
    reached = level.name;
  }
  return reached;
}

template <class Table>
void Select(const Table& table, const std::vector<std::string>& features, std::vector<std::string>& out) {
  for (const auto& [feature, name] : table) {
    const bool has = std::find(features.begin(), features.end(), feature) != features.end();
    if (has && std::find(out.begin(), out.end(), name) == out.end()) out.emplace_back(name);
  }
}

}  // namespace

std::optional<std::string> Architecture(const CpuInfo& info) {
  if (info.family == Family::kX86) return Highest(kX86Levels, info);
  if (info.family == Family::kArm64) return Highest(kArmLevels, info);
  if (info.isa) return info.isa->substr(0, info.isa->find('_'));
  return std::nullopt;
}

std::vector<std::string> Features(const CpuInfo& info) {
  std::vector<std::string> out;
  if (info.family == Family::kX86) Select(kX86Features, info.flags, out);
  if (info.family == Family::kArm64) Select(kArmFeatures, info.flags, out);
  return out;
}

std::vector<std::string> Dtypes(const std::vector<std::string>& features) {
  std::vector<std::string> out = {"fp64", "fp32"};
  Select(kDtypes, features, out);
  return out;
}

std::vector<std::string> MatrixUnits(const std::vector<std::string>& features) {
  std::vector<std::string> out;
  Select(kMatrixUnits, features, out);
  return out;
}

}  // namespace probe::cpu
