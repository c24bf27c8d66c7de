// SPDX-License-Identifier: MIT
// The objects behind the fake's handles. All are kept until the process ends.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tests/fakes/common/kernels.h"
#include "tests/fakes/level_zero/spirv.h"
#include "tests/fakes/level_zero/state.h"

namespace fakes::level_zero {

struct Module {
  ModuleCode code;
  const Slot* slot = nullptr;
};

struct Kernel {
  const Module* module = nullptr;
  const KernelCode* code = nullptr;
  std::array<std::uint32_t, 3> group{};
  std::vector<std::optional<std::uint64_t>> values{};
};

struct Event {
  bool is_signalled = false;
  std::uint64_t start_ticks = 0, end_ticks = 0;
};

struct LaunchCommand {
  Kernel kernel;  // as it was when it was appended
  rt::ZeGroups groups;
  Event* event = nullptr;
};
struct CopyCommand {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t bytes = 0;
};
struct BarrierCommand {};
using Command = std::variant<LaunchCommand, CopyCommand, BarrierCommand>;

struct List {
  const Slot* slot = nullptr;
  std::uint32_t group = 0;
  bool is_closed = false;
  std::vector<Command> commands{};
};

// Whether all functions that a module imports are there: built-in variables, and those of matrix units where
// the device has some.
[[nodiscard]] bool Links(const ModuleCode& code, const Slot& slot);

// What the kernel computes, of the memory that its arguments point to.
[[nodiscard]] Computed ComputeKernel(const Kernel& kernel, const rt::ZeGroups& groups);

}  // namespace fakes::level_zero
