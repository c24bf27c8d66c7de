// SPDX-License-Identifier: MIT
// Makes every text of a value safe to print, by the same field lists that encode it. Everything that is rendered
// passes here once, so that no renderer has to remember which strings are foreign.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "backends/core/measurement.h"
#include "probe/core/codec.h"
#include "probe/core/text.h"

namespace report {

class Cleaner {
 public:
  template <class T>
  void operator()(const char*, T& value) {
    Clean(value);
  }

  template <class T>
  void Clean(T& value) {
    if constexpr (std::is_class_v<T> && !kIsPlain<T>) Fields(*this, value);
  }
  void Clean(std::string& text) { text = probe::CleanText(text, probe::kMaxDecodedTextBytes); }
  template <class T>
  void Clean(std::optional<T>& value) {
    if (value) Clean(*value);
  }
  template <class T>
  void Clean(std::vector<T>& values) {
    for (auto& value : values) Clean(value);
  }

 private:
  template <class T>
  static constexpr bool kIsPlain = std::is_same_v<T, probe::PciAddress> || std::is_same_v<T, kernels::Problem>;
  template <class T, std::size_t N>
  void Clean(std::array<T, N>&) {}
};

template <class T>
[[nodiscard]] T Cleaned(T value) {
  Cleaner cleaner;
  cleaner.Clean(value);
  return value;
}

}  // namespace report
