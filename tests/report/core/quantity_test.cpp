// SPDX-License-Identifier: MIT
#include "report/core/quantity.h"

#include <gtest/gtest.h>

#include <limits>

namespace report {
namespace {

TEST(Quantity, SaysHowLongAgoATimeWas) {
  const auto ago = [](std::string_view now) { return AgoText("2026-02-27T23:30:00Z", now); };
  EXPECT_EQ(ago("2026-02-27T23:30:59Z"), "just now");
  EXPECT_EQ(ago("2026-02-27T23:33:59Z"), "3 min ago");
  EXPECT_EQ(ago("2026-02-28T01:00:00Z"), "1 h ago");
  EXPECT_EQ(ago("2026-03-02T23:00:00Z"), "71 h ago");
  EXPECT_EQ(ago("2026-03-05T00:00:00Z"), "5 days ago") << "a February has 28 days";
  EXPECT_EQ(ago("2026-02-27T23:29:59Z"), "2026-02-27T23:30:00Z") << "a clock that was put back";
  EXPECT_EQ(ago("soon"), "2026-02-27T23:30:00Z");
  EXPECT_EQ(AgoText("2026-02-30T00:00:00Z", "2026-03-05T00:00:00Z"), "2026-02-30T00:00:00Z") << "no such day";
}

TEST(Quantity, KeepsTheDigitsAskedFor) {
  EXPECT_EQ(SignificantText(249.7, 3), "250");
  EXPECT_EQ(SignificantText(27.04, 3), "27.0");
  EXPECT_EQ(SignificantText(4.68, 2), "4.7");
  EXPECT_EQ(SignificantText(0.0123, 2), "0.012");
  EXPECT_EQ(SignificantText(9.996, 3), "10.0");
  EXPECT_EQ(SignificantText(123456, 2), "120000");
  EXPECT_EQ(SignificantText(0, 3), "0");
  EXPECT_EQ(SignificantText(5e-324, 2), "0");
  EXPECT_EQ(SignificantText(2.4999999999999998e38, 2), "2.5e38");
  EXPECT_EQ(SignificantText(-2.5e38, 2), "-2.5e38");
  EXPECT_EQ(SignificantText(9.99e14, 2), "1.0e15");
  EXPECT_EQ(SignificantText(1.2e14, 2), "120000000000000");
  EXPECT_EQ(SignificantText(std::numeric_limits<double>::max(), 1), "2e308");
  EXPECT_EQ(SignificantText(std::numeric_limits<double>::quiet_NaN(), 3), "?");
}

TEST(Quantity, ChoosesTheUnitThatIsShort) {
  EXPECT_EQ(RateText(250e9, "flop_per_s"), "250 GFLOP/s");
  EXPECT_EQ(RateText(999.7e9, "flop_per_s"), "1.00 TFLOP/s");
  EXPECT_EQ(RateText(1.63e12, "bytes_per_s"), "1.63 TB/s");
  EXPECT_EQ(RateText(27e9, "bytes_per_s"), "27.0 GB/s");
  EXPECT_EQ(RateText(12e-6, "s"), "12 us");
  EXPECT_EQ(RateText(5, "furlong"), "5.00 furlong");
}

TEST(Quantity, WritesTimesAndSizesAsPeopleDo) {
  EXPECT_EQ(SecondsText(0.0156), "16 ms");
  EXPECT_EQ(SecondsText(0.445), "445 ms");
  EXPECT_EQ(SecondsText(62), "62 s");
  EXPECT_EQ(SecondsText(1740), "29 min");
  EXPECT_EQ(SecondsText(36000), "10 h");
  EXPECT_EQ(SecondsText(864000), "10 days");
  EXPECT_EQ(BytesText(std::uint64_t{16} << 30U), "16 GiB");
  EXPECT_EQ(BytesText((std::uint64_t{15} << 30U) / 4), "3.8 GiB");
  EXPECT_EQ(BytesText(512.0), "512 B");
}

TEST(Quantity, WritesSharesAndTokens) {
  EXPECT_EQ(PercentText(0.88), "88 %");
  EXPECT_EQ(PercentText(0.041), "4 %");
  EXPECT_EQ(PercentText(1.26), "130 %");
  EXPECT_EQ(TokensText(Range{312.4, 260, 350}), "312 tokens/s [260-350]");
  EXPECT_EQ(TokensText(7.21), "7.2");
}

TEST(Quantity, StripsMarksOfRegistrationOnly) {
  EXPECT_EQ(PlainName("Intel(R) Xeon(R) Processor"), "Intel Xeon Processor");
  EXPECT_EQ(PlainName("Intel(R) Core(TM)  i9"), "Intel Core i9");
  EXPECT_EQ(PlainName("(R)"), "(R)");
}

}  // namespace
}  // namespace report
