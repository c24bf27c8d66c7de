// SPDX-License-Identifier: MIT
#include "report/core/clean.h"

#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "report/core/comparison.h"
#include "report/core/report_fields.h"

namespace report {
namespace {

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
  void Clean(Warning& warning) { Clean(warning.text); }
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

template <class T>
T WithCleanTexts(T value, std::size_t max_bytes) {
  Cleaner cleaner(max_bytes);
  cleaner.Clean(value);
  return value;
}

}  // namespace

Report Cleaned(Report report, std::size_t max_bytes) { return WithCleanTexts(std::move(report), max_bytes); }

Comparison Cleaned(Comparison comparison, std::size_t max_bytes) {
  return WithCleanTexts(std::move(comparison), max_bytes);
}

}  // namespace report

namespace probe {
template struct Codec<report::Report>;
}  // namespace probe
