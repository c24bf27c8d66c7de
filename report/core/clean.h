// SPDX-License-Identifier: MIT
// Makes every text of a value safe to print, by the same field lists that encode it. Everything that is
// rendered passes here once, so that no renderer has to remember which strings are foreign.
#pragma once

#include <array>
#include <cstddef>
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
  explicit Cleaner(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  template <class T>
  void operator()(const char*, T& value) {
    Clean(value);
  }

  template <class T>
  void Clean(T& value) {
    if constexpr (std::is_class_v<T> && !kIsPlain<T>) Fields(*this, value);
  }
  void Clean(std::string& text) { text = probe::CleanText(text, max_bytes_); }
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
  static constexpr bool kIsPlain =
      std::is_same_v<T, probe::PciAddress> || std::is_same_v<T, kernels::Problem>;
  template <class T, std::size_t N>
  void Clean(std::array<T, N>&) {}

  std::size_t max_bytes_;
};

// max_bytes bounds each text.
template <class T>
[[nodiscard]] T Cleaned(T value, std::size_t max_bytes = probe::kMaxDecodedTextBytes) {
  Cleaner cleaner(max_bytes);
  cleaner.Clean(value);
  return value;
}

}  // namespace report
