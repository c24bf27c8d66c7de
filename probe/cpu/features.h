// SPDX-License-Identifier: MIT
// What a processor's flags mean: the instruction set level, the features in this program's names, and the
// data types that it computes with. Tables and pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "probe/cpu/cpuinfo.h"

namespace probe::cpu {

// `x86-64` … `x86-64-v4` (x86-64 psABI, section 3.1.1), `armv8.0-a` … `armv9.0-a` (Arm ARM, A2), RISC-V's isa
// string up to its first extension of several letters.
[[nodiscard]] std::optional<std::string> Architecture(const CpuInfo& info);

// "avx2", "avx512vnni", "amx-bf16", "neon", "sve", "i8mm", ... in a fixed order.
[[nodiscard]] std::vector<std::string> Features(const CpuInfo& info);

// Data types with arithmetic instructions of their own; fp32 and fp64 always.
[[nodiscard]] std::vector<std::string> Dtypes(const std::vector<std::string>& features);
// "bf16/fp32", ...: what the matrix instructions multiply and accumulate.
[[nodiscard]] std::vector<std::string> MatrixUnits(const std::vector<std::string>& features);

}  // namespace probe::cpu
