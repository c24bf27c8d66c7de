// SPDX-License-Identifier: MIT
// The names of enums in texts and JSON, one table each: EnumNames is specialised beside every enum that has
// some.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "probe/core/device.h"
#include "probe/core/outcome.h"

namespace probe {

// Specialised for an enum, in namespace probe: WHICHGPU_NAMES(Selects, {kDevice, "device"}, {kDriver,
// "driver"}).
template <class E>
struct EnumNames;
#define WHICHGPU_NAMES(Enum, ...)                                                                   \
  template <>                                                                                       \
  struct EnumNames<Enum> {                                                                          \
    using enum Enum;                                                                                \
    static constexpr auto kNames = std::to_array<std::pair<Enum, std::string_view>>({__VA_ARGS__}); \
  };

template <class E>
[[nodiscard]] constexpr std::string_view NameOf(E value) {
  for (const auto& [known, name] : EnumNames<E>::kNames) {
    if (known == value) return name;
  }
  return "unknown";
}

template <class E>
[[nodiscard]] constexpr std::optional<E> ParseName(std::string_view text) {
  for (const auto& [value, name] : EnumNames<E>::kNames) {
    if (name == text) return value;
  }
  return std::nullopt;
}

WHICHGPU_NAMES(DeviceKind, {kDiscrete, "discrete"}, {kIntegrated, "integrated"}, {kCpu, "cpu"},
               {kSoftware, "software"}, {kAccelerator, "accelerator"}, {kVirtual, "virtual"},
               {kManagement, "management"}, {kUnknown, "unknown"})
WHICHGPU_NAMES(Purpose, {kNpu, "npu"}, {kAiAccelerator, "ai_accelerator"}, {kAccelerator, "accelerator"},
               {kFpga, "fpga"}, {kVideo, "video"}, {kGpu, "gpu"}, {kManagement, "management"},
               {kVirtual, "virtual"})
WHICHGPU_NAMES(Outcome, {kOk, "ok"}, {kAbsent, "absent"}, {kNoDevice, "no_device"}, {kDenied, "denied"},
               {kHidden, "hidden"}, {kFailed, "failed"}, {kCrashed, "crashed"}, {kTimedOut, "timed_out"},
               {kBadReply, "bad_reply"})
WHICHGPU_NAMES(Stage, {kStart, "start"}, {kLoad, "load"}, {kSymbols, "symbols"}, {kInit, "init"},
               {kEnumerate, "enumerate"}, {kCompile, "compile"}, {kLaunch, "launch"}, {kVerify, "verify"},
               {kTime, "time"}, {kDone, "done"})

}  // namespace probe
