// SPDX-License-Identifier: MIT
#include "probe/hip/hip_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace probe::hip {
namespace {

// Targets from `first` to `last` that have one more thing. Source: LLVM, "User Guide for AMDGPU Backend", and
// AMD's instruction set references (CDNA 1 to 4: MFMA; RDNA 3 and 4: WMMA; Vega 20 and RDNA 2: dot products
// of int8).
struct CapabilityRow {
  Target first, last;
  std::string_view dtype;
  std::string_view matrix;  // empty: no matrix instruction
};
constexpr Target kAny{99, 15, 15};
constexpr std::array kCapabilities = {
    CapabilityRow{{6, 0, 0}, kAny, "fp32", ""},
    CapabilityRow{{6, 0, 0}, kAny, "fp64", ""},
    CapabilityRow{{6, 0, 0}, kAny, "int32", ""},
    CapabilityRow{{8, 0, 0}, kAny, "fp16", ""},
    CapabilityRow{{9, 0, 6}, {9, 0, 6}, "int8", ""},
    CapabilityRow{{9, 0, 8}, {9, 0, 10}, "int8", "int8/int32"},
    CapabilityRow{{9, 0, 8}, {9, 0, 10}, "bf16", "bf16/fp32"},
    CapabilityRow{{9, 0, 8}, {9, 0, 10}, "", "fp16/fp32"},
    CapabilityRow{{9, 0, 8}, {9, 0, 10}, "", "fp32/fp32"},
    CapabilityRow{{9, 0, 10}, {9, 0, 10}, "", "fp64/fp64"},
    CapabilityRow{{9, 4, 0}, {9, 5, 15}, "int8", "int8/int32"},
    CapabilityRow{{9, 4, 0}, {9, 5, 15}, "bf16", "bf16/fp32"},
    CapabilityRow{{9, 4, 0}, {9, 5, 15}, "", "fp16/fp32"},
    CapabilityRow{{9, 4, 0}, {9, 5, 15}, "", "fp32/fp32"},
    CapabilityRow{{9, 4, 0}, {9, 5, 15}, "", "fp64/fp64"},
    CapabilityRow{{9, 4, 0}, {9, 5, 15}, "fp8", "fp8/fp32"},
    CapabilityRow{{9, 4, 0}, {9, 4, 15}, "tf32", "tf32/fp32"},
    CapabilityRow{{9, 5, 0}, {9, 5, 15}, "fp4", "fp4/fp32"},
    CapabilityRow{{10, 1, 1}, {10, 1, 2}, "int8", ""},
    CapabilityRow{{10, 3, 0}, {10, 3, 15}, "int8", ""},
    CapabilityRow{{11, 0, 0}, kAny, "int8", "int8/int32"},
    CapabilityRow{{11, 0, 0}, kAny, "bf16", "bf16/fp32"},
    CapabilityRow{{11, 0, 0}, kAny, "", "fp16/fp32"},
    CapabilityRow{{12, 0, 0}, kAny, "fp8", "fp8/fp32"},
};

std::optional<std::uint32_t> HexDigit(char c) {
  if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint32_t>(c - 'a') + 10;
  return std::nullopt;
}

}  // namespace

std::optional<Target> ParseTarget(std::string_view text) {
  text = text.substr(0, text.find(':'));
  if (!text.starts_with("gfx")) return std::nullopt;
  text.remove_prefix(3);
  if (text.size() < 3 || text.size() > 4) return std::nullopt;
  const auto minor = HexDigit(text[text.size() - 2]);
  const auto step = HexDigit(text.back());
  if (!minor || !step) return std::nullopt;
  Target target{0, *minor, *step};
  for (const char c : text.substr(0, text.size() - 2)) {
    if (c < '0' || c > '9') return std::nullopt;
    target.major = 10 * target.major + static_cast<std::uint32_t>(c - '0');
  }
  return target;
}

std::string ToString(const Target& target) {
  return fmt::format("gfx{}{:x}{:x}", target.major, target.minor, target.step);
}

void AddCapabilities(const Target& target, RuntimeDevice& device) {
  for (const auto& row : kCapabilities) {
    if (target < row.first || row.last < target) continue;
    if (!row.dtype.empty()) device.dtypes.emplace_back(row.dtype);
    if (!row.matrix.empty()) device.matrix_units.emplace_back(row.matrix);
  }
  if (std::find(device.dtypes.begin(), device.dtypes.end(), "fp8") != device.dtypes.end()) {
    device.facts.push_back({"fp8_format", target < Target{9, 5, 0} ? "fnuz" : "ocp"});
  }
}

}  // namespace probe::hip
