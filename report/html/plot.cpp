// SPDX-License-Identifier: MIT
#include "report/html/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace report::html {

double LogScale::At(double value) const {
  return from + (to - from) * std::log10(value / low) / std::log10(high / low);
}

double LogScale::Decade() const { return (to - from) / std::log10(high / low); }

LogScale ScaleOver(const std::vector<double>& values, double air, double least_decades, double from,
                   double to) {
  double low = 0;
  double high = 0;
  for (const double value : values) {
    if (!std::isfinite(value) || value <= 0) continue;
    low = low == 0 ? value : std::min(low, value);
    high = std::max(high, value);
  }
  if (low == 0) return {1, 10, from, to};
  const double decades = std::log10(high / low);
  const double beside = std::max(decades * air, (least_decades - decades) / 2);
  const double factor = std::pow(10.0, std::max(beside, 0.0));
  return {low / factor, high * factor, from, to};
}

std::vector<Tick> Ticks(const LogScale& scale) {
  constexpr double kFew = 2.2;        // decades, below which powers of ten alone are too few
  constexpr double kMost = 12;        // labels
  constexpr double kRounding = 1e-9;  // of what was reckoned by logarithms
  const double decades = std::log10(scale.high / scale.low);
  const int step = std::max(1, static_cast<int>(std::ceil(decades / kMost)));
  const int first = static_cast<int>(std::floor(std::log10(scale.low)));
  const int last = static_cast<int>(std::ceil(std::log10(scale.high)));
  std::vector<Tick> ticks;
  for (int power = first; power <= last; ++power) {
    for (const double times : {1.0, 2.0, 5.0}) {
      const double value = times * std::pow(10.0, power);
      if (value < scale.low * (1 - kRounding) || value > scale.high * (1 + kRounding)) continue;
      ticks.push_back({value, times == 1.0 ? (power - first) % step == 0 : decades < kFew});
    }
  }
  return ticks;
}

std::string TickText(double value) {
  constexpr std::array<const char*, 7> kPrefixes = {"", " k", " M", " G", " T", " P", " E"};
  constexpr double kRounding = 1e-9;
  const int thousands = std::clamp(static_cast<int>(std::floor(std::log10(value) / 3 + kRounding)), 0,
                                   static_cast<int>(kPrefixes.size()) - 1);
  return fmt::format("{:.4g}{}", value / std::pow(1000.0, thousands),
                     kPrefixes[static_cast<std::size_t>(thousands)]);
}

double RoofAt(double flop_per_byte, double flop_per_s, double bytes_per_s) {
  return std::min(flop_per_s, flop_per_byte * bytes_per_s);
}

}  // namespace report::html
