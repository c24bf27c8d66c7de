// SPDX-License-Identifier: MIT
// What the fake's compiler reads of a SPIR-V module: its kernels with the types of their parameters, and what
// tells one kernel's tiles from another's. Nothing is translated.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace fakes::level_zero {

struct Parameter {
  std::uint32_t bytes = 0;  // 8 of a pointer
  bool is_pointer = false;
  std::uint32_t bits = 0;  // of what it points to, or of one part of that
  bool is_float = false;   // the same
};
struct KernelCode {
  std::string name;
  std::vector<Parameter> parameters;
  std::array<std::uint32_t, 3> group{};  // that it must have; 0: any
  std::uint32_t subgroup = 0;            // the same
};
struct ModuleCode {
  std::vector<KernelCode> kernels;
  std::set<std::uint64_t> lengths;  // of its arrays
  std::set<std::string> imported;   // functions that the driver has to have
};

// nullopt for what is no SPIR-V, or is cut off.
[[nodiscard]] std::optional<ModuleCode> ReadModule(std::span<const std::uint8_t> bytes);

}  // namespace fakes::level_zero
