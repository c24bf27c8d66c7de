// SPDX-License-Identifier: MIT
#include "probe/amd/amd.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace probe::amd {
namespace {

// The file of format 1.3 with these throttle bits, as a little-endian machine writes it.
std::string Metrics(std::uint64_t bits) {
  std::string out(120, '\0');
  out[0] = 120;
  out[2] = 1;
  out[3] = 3;
  for (std::size_t i = 0; i < 8; ++i) out[112 + i] = static_cast<char>(bits >> (8 * i) & 0xffU);
  return out;
}

TEST(AmdgpuMetrics, NameWhatHoldsTheClockBack) {
  EXPECT_EQ(ThrottleText(Metrics(0)), "none");
  EXPECT_EQ(ThrottleText(Metrics(1)), "power");
  EXPECT_EQ(ThrottleText(Metrics(std::uint64_t{1} << 36U)), "temperature");
  EXPECT_EQ(ThrottleText(Metrics(std::uint64_t{1} << 36U | 1U << 3U | 1U << 16U)),
            "power, current, temperature");
}

TEST(AmdgpuMetrics, OfAnotherFormatSayNothing) {
  EXPECT_EQ(ThrottleText(""), std::nullopt);
  EXPECT_EQ(ThrottleText(Metrics(0).substr(0, 119)), std::nullopt);
  EXPECT_EQ(ThrottleText(Metrics(~std::uint64_t{0})), std::nullopt) << "the chip does not tell";
  std::string newer = Metrics(1);
  newer[3] = 4;
  EXPECT_EQ(ThrottleText(newer), std::nullopt);
  EXPECT_TRUE(ThrottleText(Metrics(0) + std::string(3976, '\0'))) << "some kernels pad the file";
}

}  // namespace
}  // namespace probe::amd
