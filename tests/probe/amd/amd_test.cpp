// SPDX-License-Identifier: MIT
#include "probe/amd/amd.h"

#include <cstdint>

#include "gtest/gtest.h"

#include "tests/probe/tree.h"

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

constexpr const char* kCard = "/sys/bus/pci/devices/0000:03:00.0";

std::string FactOf(const tests::Tree& tree, std::string_view key) {
  const auto state = ReadState(tree.Files(), kCard);
  const std::string* value = FindFact(state.facts, key);
  return value == nullptr ? "" : *value;
}

TEST(AmdgpuState, IsReadFromItsFilesWithoutAnyLibrary) {
  tests::Tree tree;
  const auto write = [&](const char* file, const char* text) { tree.Write(std::string(kCard) + file, text); };
  write("/mem_info_vram_total", "17163091968\n");
  write("/mem_info_vram_used", "4294967296\n");
  write("/gpu_busy_percent", "97\n");
  write("/hwmon/hwmon3/power1_input", "21000000\n");
  write("/hwmon/hwmon3/power1_cap", "300000000\n");
  write("/hwmon/hwmon3/power1_cap_default", "327000000\n");
  const auto state = ReadState(tree.Files(), kCard);
  EXPECT_EQ(state.memory_total_bytes, 17163091968U);
  EXPECT_EQ(state.memory_used_bytes, 4294967296U);
  EXPECT_EQ(FactOf(tree, "utilization_percent"), "97");
  EXPECT_EQ(FactOf(tree, "power_mw"), "21000") << "MI300 has no average";
  EXPECT_EQ(FactOf(tree, "power_limit_mw") + " " + FactOf(tree, "power_limit_default_mw"), "300000 327000");
  write("/hwmon/hwmon3/power1_average", "20000000\n");
  EXPECT_EQ(FactOf(tree, "power_mw"), "20000");
  EXPECT_TRUE(ReadState(tests::Tree().Files(), kCard).facts.empty());
}

// RDNA 3 and 4 say so while an idle process merely has a queue of ROCm.
TEST(AmdgpuState, IsNoLoadWhereAWhollyBusyCardHoldsNextToNothing) {
  tests::Tree tree;
  const auto busy = [&](const char* percent, const char* used) {
    tree.Write(std::string(kCard) + "/mem_info_vram_total", "17163091968\n");
    tree.Write(std::string(kCard) + "/mem_info_vram_used", used);
    tree.Write(std::string(kCard) + "/gpu_busy_percent", percent);
    return FactOf(tree, "utilization_percent");
  };
  EXPECT_EQ(busy("100\n", "900000000\n"), "");
  EXPECT_EQ(busy("99\n", "900000000\n"), "");
  EXPECT_EQ(busy("98\n", "900000000\n"), "98");
  EXPECT_EQ(busy("100\n", "9000000000\n"), "100") << "a model is loaded";
}

}  // namespace
}  // namespace probe::amd
