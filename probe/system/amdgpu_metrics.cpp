// SPDX-License-Identifier: MIT
#include "probe/system/amdgpu_metrics.h"

#include <array>
#include <cstdint>

namespace probe::system {
namespace {

constexpr std::size_t kMetricsBytes = 120;    // of format 1.3
constexpr std::size_t kThrottleOffset = 112;  // of the throttle bits that mean the same on every chip
constexpr std::uint64_t kUnsupported = ~std::uint64_t{0};

std::uint64_t LittleEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[i]);
  return value;
}

// Sixteen bits a cause.
constexpr std::array<std::string_view, 4> kCauses = {"power", "current", "temperature", "other"};

}  // namespace

std::optional<std::string> ThrottleText(std::string_view gpu_metrics) {
  if (gpu_metrics.size() < kMetricsBytes || LittleEndian(gpu_metrics.substr(0, 2)) != kMetricsBytes ||
      gpu_metrics[2] != 1 || gpu_metrics[3] != 3) {
    return std::nullopt;
  }
  const std::uint64_t bits = LittleEndian(gpu_metrics.substr(kThrottleOffset, 8));
  if (bits == kUnsupported) return std::nullopt;
  std::string text;
  for (std::size_t i = 0; i < kCauses.size(); ++i) {
    if ((bits >> (16 * i) & 0xffffU) != 0) text.append(text.empty() ? "" : ", ").append(kCauses[i]);
  }
  return text.empty() ? "none" : text;
}

}  // namespace probe::system
