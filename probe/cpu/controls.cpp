// SPDX-License-Identifier: MIT
// What a kernel tells by names of sysctl(3): macOS, which has no /proc and no /sys.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/cpu/cpuinfo.h"

namespace probe::cpu {
namespace {

constexpr std::uint32_t kMostThreads = 4096;
constexpr std::uint32_t kMostKinds = 8;

struct Feature {
  const char* control;
  std::string_view flag;  // as Linux writes it
};
// Apple, "Determining Instruction Set Characteristics". The last two are the names of macOS 11.
constexpr std::array kFeatures = {
    Feature{"hw.optional.arm.FEAT_FP16", "asimdhp"},   Feature{"hw.optional.arm.FEAT_DotProd", "asimddp"},
    Feature{"hw.optional.arm.FEAT_I8MM", "i8mm"},      Feature{"hw.optional.arm.FEAT_BF16", "bf16"},
    Feature{"hw.optional.arm.FEAT_SME", "sme"},        Feature{"hw.optional.arm.FEAT_SME2", "sme2"},
    Feature{"hw.optional.armv8_crc32", "crc32"},       Feature{"hw.optional.arm.FEAT_LSE", "atomics"},
    Feature{"hw.optional.arm.FEAT_LSE2", "uscat"},     Feature{"hw.optional.arm.FEAT_RDM", "asimdrdm"},
    Feature{"hw.optional.arm.FEAT_JSCVT", "jscvt"},    Feature{"hw.optional.arm.FEAT_FCMA", "fcma"},
    Feature{"hw.optional.arm.FEAT_LRCPC", "lrcpc"},    Feature{"hw.optional.arm.FEAT_LRCPC2", "ilrcpc"},
    Feature{"hw.optional.arm.FEAT_DPB", "dcpop"},      Feature{"hw.optional.arm.FEAT_DIT", "dit"},
    Feature{"hw.optional.arm.FEAT_FlagM", "flagm"},    Feature{"hw.optional.arm.FEAT_FlagM2", "flagm2"},
    Feature{"hw.optional.arm.FEAT_FRINTTS", "frint"},  Feature{"hw.optional.arm.FEAT_SB", "sb"},
    Feature{"hw.optional.armv8_1_atomics", "atomics"}, Feature{"hw.optional.neon_fp16", "asimdhp"}};

// CPUFAMILY_ARM_FIRESTORM_ICESTORM of mach/machine.h, the M1's: macOS 11 runs on no other, and names few of
// its features. It is of Armv8.4 (LLVM, AArch64Processors.td, "apple-m1"), which has all of these.
constexpr std::uint64_t kFirstFamily = 0x1b588bb3;
constexpr std::array<std::string_view, 13> kFlagsOfFirst = {
    "asimddp", "asimdhp", "asimdrdm", "atomics", "crc32", "dcpop", "dit",
    "fcma",    "flagm",   "ilrcpc",   "jscvt",   "lrcpc", "uscat"};

std::optional<std::uint32_t> Count(const Controls& controls, const std::string& name) {
  const auto number = controls.number(name);
  if (!number || *number == 0 || *number > kMostThreads) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

std::vector<std::string> ArmFlags(const Controls& controls) {
  std::vector<std::string> flags = {"asimd", "fp"};  // of every AArch64
  for (const Feature& feature : kFeatures) {
    if (controls.number(feature.control).value_or(0) != 0) flags.emplace_back(feature.flag);
  }
  if (controls.number("hw.cpufamily") == kFirstFamily)
    flags.insert(flags.end(), kFlagsOfFirst.begin(), kFlagsOfFirst.end());
  std::sort(flags.begin(), flags.end());
  flags.erase(std::unique(flags.begin(), flags.end()), flags.end());
  return flags;
}

// Caches of the cores whose names begin so; `threads` are on `cores`.
struct CoresOfKind {
  std::string prefix;
  std::uint32_t cores = 0;
  std::uint32_t threads = 0;
  std::uint32_t shared_by_second = 0, shared_by_third = 0;  // logical processors
};

void AddCaches(const Controls& controls, const CoresOfKind& kind, std::vector<Cache>& out) {
  const std::uint32_t on_core = std::max(kind.threads / std::max(kind.cores, 1U), 1U);
  const auto add = [&](std::string_view name, std::uint32_t level, std::string_view type,
                       std::uint32_t shared_by) {
    const auto bytes = controls.number(kind.prefix + std::string(name));
    if (!bytes || *bytes == 0 || shared_by == 0) return;
    out.push_back({level, std::string(type), *bytes, shared_by, std::max(kind.threads / shared_by, 1U)});
  };
  add("l1dcachesize", 1, "data", on_core);
  add("l1icachesize", 1, "instruction", on_core);
  add("l2cachesize", 2, "unified", kind.shared_by_second == 0 ? on_core : kind.shared_by_second);
  add("l3cachesize", 3, "unified", kind.shared_by_third);
}

// Where there are several kinds of cores, the fastest first, each has names of its own.
std::vector<CoresOfKind> KindsOf(const Controls& controls) {
  std::vector<CoresOfKind> out;
  const std::uint32_t kinds = std::min(Count(controls, "hw.nperflevels").value_or(0), kMostKinds);
  for (std::uint32_t i = 0; i < kinds; ++i) {
    const auto prefix = fmt::format("hw.perflevel{}.", i);
    const auto cores = Count(controls, prefix + "physicalcpu");
    const auto threads = Count(controls, prefix + "logicalcpu");
    if (!cores || !threads) continue;
    out.push_back({prefix, *cores, *threads, Count(controls, prefix + "cpusperl2").value_or(*threads),
                   Count(controls, prefix + "cpusperl3").value_or(*threads)});
  }
  return out;
}

}  // namespace

// A program for x86 that is translated on such a machine (Rosetta) runs on what its CPUID says.
bool IsArm(const Controls& controls) {
  return controls.number("hw.optional.arm64").value_or(0) != 0 &&
         controls.number("sysctl.proc_translated").value_or(0) == 0;
}

CpuInfo FromArmControls(const Controls& controls) {
  CpuInfo info;
  info.family = Family::kArm64;
  info.flags = ArmFlags(controls);
  if (const auto brand = controls.text("machdep.cpu.brand_string"); brand && !brand->empty()) {
    info.model = CleanText(*brand);
    std::string_view words = *info.model;
    info.vendor = std::string(TakeUpTo(words, ' '));
  }
  return info;
}

std::uint64_t StatesOnDemand(const Controls& controls) {
  return controls.number("hw.optional.avx512f").value_or(0) != 0 ? kAvx512State : 0;
}

void AddCounts(const Controls& controls, CpuInfo& info) {
  const auto set = [&](std::optional<std::uint32_t>& count, const char* name) {
    if (const auto told = Count(controls, name)) count = told;
  };
  set(info.threads, "hw.logicalcpu");
  set(info.cores, "hw.physicalcpu");
  set(info.packages, "hw.packages");
}

std::vector<Cache> CachesOf(const Controls& controls) {
  std::vector<Cache> out;
  auto kinds = KindsOf(controls);
  const auto cores = Count(controls, "hw.physicalcpu");
  const auto threads = Count(controls, "hw.logicalcpu");
  if (kinds.empty() && cores && threads) {
    // The third level serves a whole package, the second one core, in all of Intel's that macOS 11 runs on.
    const auto packages = Count(controls, "hw.packages").value_or(1);
    kinds.push_back({"hw.", *cores, *threads, 0, std::max(*threads / packages, 1U)});
  }
  for (const CoresOfKind& kind : kinds) AddCaches(controls, kind, out);
  std::stable_sort(out.begin(), out.end(), [](const Cache& a, const Cache& b) { return a.level < b.level; });
  return out;
}

std::optional<std::string> KindsOfCores(const Controls& controls) {
  const auto kinds = KindsOf(controls);
  if (kinds.size() < 2) return std::nullopt;
  std::string out;
  for (const CoresOfKind& kind : kinds) {
    const auto name = controls.text(kind.prefix + "name");
    out += fmt::format("{}{}{}{}", out.empty() ? "" : " + ", kind.cores, name ? " " : "",
                       name ? CleanText(*name, 32) : "");
  }
  return out;
}

}  // namespace probe::cpu
