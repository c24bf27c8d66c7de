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

// Specialised for an enum: `static constexpr std::array<std::pair<E, std::string_view>, N> kNames`.
template <class E>
struct EnumNames;

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

template <>
struct EnumNames<DeviceKind> {
  static constexpr std::array<std::pair<DeviceKind, std::string_view>, 8> kNames = {{
      {DeviceKind::kDiscrete, "discrete"},
      {DeviceKind::kIntegrated, "integrated"},
      {DeviceKind::kCpu, "cpu"},
      {DeviceKind::kSoftware, "software"},
      {DeviceKind::kAccelerator, "accelerator"},
      {DeviceKind::kVirtual, "virtual"},
      {DeviceKind::kManagement, "management"},
      {DeviceKind::kUnknown, "unknown"},
  }};
};

template <>
struct EnumNames<Outcome> {
  static constexpr std::array<std::pair<Outcome, std::string_view>, 9> kNames = {{
      {Outcome::kOk, "ok"},
      {Outcome::kAbsent, "absent"},
      {Outcome::kNoDevice, "no_device"},
      {Outcome::kDenied, "denied"},
      {Outcome::kHidden, "hidden"},
      {Outcome::kFailed, "failed"},
      {Outcome::kCrashed, "crashed"},
      {Outcome::kTimedOut, "timed_out"},
      {Outcome::kBadReply, "bad_reply"},
  }};
};

template <>
struct EnumNames<Stage> {
  static constexpr std::array<std::pair<Stage, std::string_view>, 10> kNames = {{
      {Stage::kStart, "start"},
      {Stage::kLoad, "load"},
      {Stage::kSymbols, "symbols"},
      {Stage::kInit, "init"},
      {Stage::kEnumerate, "enumerate"},
      {Stage::kCompile, "compile"},
      {Stage::kLaunch, "launch"},
      {Stage::kVerify, "verify"},
      {Stage::kTime, "time"},
      {Stage::kDone, "done"},
  }};
};

}  // namespace probe
