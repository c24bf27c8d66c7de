// SPDX-License-Identifier: MIT
#include "report/core/device_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "data/runtimes/runtimes.h"

namespace report {
namespace {

probe::PhysicalDevice Card(std::uint32_t vendor, std::uint32_t device, const char* name,
                           std::optional<std::string> architecture = {}) {
  probe::PhysicalDevice card;
  card.name = name;
  card.hardware.emplace();
  card.hardware->identity.ids = probe::PciIds{vendor, device, {}, {}, {}};
  card.hardware->architecture = std::move(architecture);
  return card;
}

// The first chip or name of the class; "all" of what is left of a maker.
std::string ClassOf(const probe::PhysicalDevice& device, std::string_view runtime) {
  const auto* fit = FitOf(device, runtime);
  if (!fit) return "none";
  if (fit->names) return fit->names->front();
  return fit->chips ? fit->chips->front() : "all";
}

TEST(FitOf, IsThatOfTheFirstClassThatTheDeviceIsIn) {
  EXPECT_EQ(ClassOf(Card(0x10de, 0x2684, "NVIDIA GeForce RTX 4090"), "cuda"), "GeForce");
  EXPECT_EQ(ClassOf(Card(0x10de, 0x2684, "RTX 4090"), "vulkan"), "GeForce") << "the table has its whole name";
  EXPECT_EQ(ClassOf(Card(0x10de, 0x26b1, "NVIDIA RTX 6000 Ada Generation"), "cuda"), "all");
  EXPECT_EQ(ClassOf(Card(0x10de, 0x2330, "NVIDIA H100 80GB HBM3"), "cuda"), "sm_70");
  EXPECT_EQ(ClassOf(Card(0x10de, 0x15f8, "Tesla P100-PCIE-16GB"), "cuda"), "sm_50") << "as Maxwell";
  EXPECT_EQ(ClassOf(Card(0x10de, 0x102d, "Tesla K80"), "vulkan"), "Kepler");
  EXPECT_EQ(ClassOf(Card(0x1002, 0x66a1, "AMD Instinct MI50"), "hip"), "gfx906");
  EXPECT_EQ(ClassOf(Card(0x1002, 0x687f, "Radeon RX Vega 64"), "vulkan"), "GCN1");
  EXPECT_EQ(ClassOf(Card(0x1002, 0x67b1, "Radeon R9 390"), "vulkan"), "GCN1");
  EXPECT_EQ(ClassOf(Card(0x1002, 0x67df, "Radeon RX 580"), "vulkan"), "GCN1");
  EXPECT_EQ(ClassOf(Card(0x1002, 0x1636, "Radeon Vega 8"), "vulkan"), "GCN1");
  EXPECT_EQ(ClassOf(Card(0x1002, 0x740f, "AMD Instinct MI210"), "hip"), "CDNA1");
  EXPECT_EQ(ClassOf(Card(0x1002, 0x15bf, "Radeon 780M"), "vulkan"), "RDNA3.5") << "a part of a chip";
  EXPECT_EQ(ClassOf(Card(0x1002, 0x744c, "Radeon RX 7900 XTX"), "hip"), "RDNA3");
  EXPECT_EQ(ClassOf(Card(0x106b, 0, "Apple M5 Max"), "metal"), "M5");
  EXPECT_EQ(ClassOf(Card(0x106b, 0, "Apple M4 Max"), "metal"), "M1");
  EXPECT_EQ(ClassOf(Card(0x106b, 0, "Apple M1 Ultra"), "metal"), "Ultra") << "before its generation";
  EXPECT_EQ(ClassOf(Card(0x106b, 0, "Apple M6"), "metal"), "all");
}

TEST(FitOf, OfARuntimeIsOfThatAlone) {
  const auto card = Card(0x8086, 0xe20b, "Intel Arc B580");
  EXPECT_EQ(ClassOf(card, "level_zero"), "Xe2");
  EXPECT_EQ(ClassOf(card, "sycl"), "Xe2");
  EXPECT_EQ(FitOf(card, "vulkan")->runtimes, std::nullopt);
  EXPECT_EQ(ClassOf(Card(0x8086, 0x56a0, "Intel Arc A770"), "sycl"), "Xe-HPG");
  EXPECT_EQ(ClassOf(Card(0x8086, 0x0bda, "Intel Data Center GPU Max 1100"), "sycl"), "Xe-HPC");
  const auto* by_opencl = FitOf(Card(0x8086, 0x0bda, "Intel Data Center GPU Max 1100"), "opencl");
  ASSERT_NE(by_opencl, nullptr);
  EXPECT_TRUE(by_opencl->token_overhead_s) << "whatever reaches it";
}

TEST(FitOf, GoesByTheKernelsArchitectureWhereNoTableHasTheNumber) {
  EXPECT_EQ(ClassOf(Card(0x1002, 0, "GPU", "gfx90a:xnack-"), "hip"), "CDNA1");
  EXPECT_EQ(ClassOf(Card(0x8086, 0, "GPU", "ip-20.1"), "level_zero"), "Xe2");
  EXPECT_EQ(ClassOf(Card(0x10de, 0, "GPU", "sm_61"), "cuda"), "sm_61");
  EXPECT_EQ(ClassOf(Card(0x10de, 0, "GPU", "sm_53"), "cuda"), "sm_50");
  EXPECT_EQ(ClassOf(Card(0x10de, 0, "GPU", "sm_30"), "vulkan"), "Kepler");
  EXPECT_EQ(ClassOf(Card(0x10de, 0, "GPU"), "cuda"), "all");
}

TEST(FitOf, IsNoneOfAMakerWithoutRowsAndOfWhatADriverAloneClaims) {
  EXPECT_EQ(ClassOf(Card(0x14e4, 0, "VideoCore VII"), "vulkan"), "none");
  auto claimed = Card(0x10de, 0x2684, "NVIDIA GeForce RTX 4090");
  claimed.hardware.reset();
  EXPECT_EQ(ClassOf(claimed, "cuda"), "none");
}

TEST(ClassFits, EndWithEachMakersRest) {
  ASSERT_TRUE(ClassFits());
  for (const ClassFit& fit : *ClassFits()) {
    const auto last = std::find_if(ClassFits()->rbegin(), ClassFits()->rend(),
                                   [&](const ClassFit& other) { return other.vendor == fit.vendor; });
    EXPECT_FALSE(last->chips || last->names || last->runtimes) << fit.vendor;
  }
}

// The place that is named where in data/fit.json the first `from` after its second class begins is replaced.
std::string PlaceOf(std::string_view from, std::string_view to) {
  std::string text(data::FitText());
  auto at = text.find("\"classes\"");
  for (int i = 0; i < 2; ++i) at = text.find("\"vendor\"", at + 1);
  at = text.find(from, at);
  EXPECT_NE(at, std::string::npos) << from;
  const auto fits = DecodeClassFits(text.replace(at, from.size(), to));
  return fits ? "none" : fits.error().name;
}

TEST(ClassFits, AreRefusedWithTheirPlaceWhereAFigureWouldRankByNonsense) {
  EXPECT_EQ(PlaceOf("\"decode\"", "\"decode\""), "none");
  EXPECT_EQ(PlaceOf("\"low\": ", "\"low\": -"), "classes[1].decode.low") << "no such number";
  EXPECT_EQ(PlaceOf("\"low\": ", "\"low\": 9"), "classes[1].decode") << "above the value";
  EXPECT_EQ(PlaceOf("\"read\": 0", "\"read\": 1"), "classes[1].usual") << "more than is specified";
  EXPECT_EQ(PlaceOf("\"token_overhead_s\": ", "\"token_overhead_s\": -"), "classes[6].token_overhead_s");
  EXPECT_FALSE(DecodeClassFits("{}")) << "no classes at all";
  EXPECT_FALSE(DecodeClassFits(R"({"classes": [{"vendor": "10de"}]})"));
}

}  // namespace
}  // namespace report
