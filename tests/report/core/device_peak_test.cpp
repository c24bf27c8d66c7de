// SPDX-License-Identifier: MIT
#include "report/core/device_peak.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "probe/core/pci_table.h"
#include "report/core/card_name.h"

namespace report {
namespace {

constexpr std::uint32_t kAmd = 0x1002;
constexpr std::uint32_t kNvidia = 0x10de;

probe::PhysicalDevice Called(std::uint32_t vendor, std::uint32_t device, std::string name) {
  probe::PhysicalDevice card;
  card.name = std::move(name);
  card.hardware.emplace().identity.ids = probe::PciIds{vendor, device, {}, {}, {}};
  return card;
}

// Without a row of its own, as the bus shows it.
probe::PhysicalDevice Listed(std::uint32_t vendor, std::uint32_t device) {
  const auto facts = probe::FindPciFacts({vendor, device, {}, {}, {}});
  auto card = Called(vendor, device, facts ? std::string(facts->name) : "GPU");
  card.kind = probe::DeviceKind::kDiscrete;
  if (facts) card.hardware->architecture = std::string(facts->target);
  return card;
}

// The row whose figures are the card's own; empty where they are another product's.
std::string RowOwnTo(const probe::PhysicalDevice& card) {
  const auto* row = FindPeak(EmbeddedPeaks(), card);
  return row && !IsOfAnother(*row, card) ? row->name : "";
}

// As drivers call it: NVIDIA's leave "Mobile" out, and none has what the table has in brackets.
std::string DriversName(std::string name) {
  name = name.substr(0, name.find(" ("));
  constexpr std::string_view kMobile = " Mobile";
  if (const auto at = name.find(kMobile); at != std::string::npos) name.erase(at, kMobile.size());
  constexpr std::string_view kMaxQ = " Max-Q";
  if (name.ends_with(kMaxQ)) name.replace(name.size() - kMaxQ.size(), kMaxQ.size(), " with Max-Q Design");
  return name;
}

TEST(DevicePeak, ANumberOfSeveralProductsKnowsEachByItsDriversName) {
  std::size_t told = 0;
  for (const DevicePeak& row : EmbeddedPeaks().devices) {
    const auto ids = IdsOf(row);
    ASSERT_TRUE(ids) << row.id;
    if (!AreSeveral(*ids)) continue;
    for (const std::string& product : ProductsIn(row.name)) {
      const auto name = DriversName(product);
      EXPECT_EQ(RowOwnTo(Called(ids->vendor, ids->device, name)), row.name) << row.id << " " << name;
      ++told;
    }
  }
  EXPECT_GT(told, 100U);
}

TEST(DevicePeak, WhatNvidiasDriverCallsACardForLaptopsIsItsOwnRow) {
  for (const auto& [device, name, row] : {
           std::tuple(0x1f91U, "NVIDIA GeForce GTX 1650", "GeForce GTX 1650 Mobile"),
           {0x1f91U, "NVIDIA GeForce GTX 1650 with Max-Q Design", "GeForce GTX 1650 Max-Q"},
           {0x1e91U, "NVIDIA GeForce RTX 2070 Super", "GeForce RTX 2070 SUPER Mobile"},
           {0x1f14U, "NVIDIA GeForce RTX 2070", "GeForce RTX 2070 Mobile Refresh"},
           {0x1f36U, "Quadro RTX 3000", "Quadro RTX 3000 Mobile"},
           {0x2191U, "NVIDIA GeForce GTX 1660 Ti", "GeForce GTX 1660 Ti Mobile"},
       })
    EXPECT_EQ(RowOwnTo(Called(kNvidia, device, name)), row) << name;
}

TEST(DevicePeak, AProductWithoutARowIsAnother) {
  for (const auto& [vendor, device, name] : {
           std::tuple(kNvidia, 0x1e91U, "NVIDIA GeForce RTX 2070 Super with Max-Q Design"),
           {kNvidia, 0x1fb8U, "NVIDIA Quadro T2000 with Max-Q Design"},
           {kAmd, 0x73dfU, "AMD Radeon RX 6750 GRE 12GB"},
           {kAmd, 0x7340U, "AMD Radeon RX 5500"},
           {kAmd, 0x743fU, "AMD Radeon RX 6500M"},
       }) {
    const auto card = Called(vendor, device, name);
    ASSERT_NE(FindPeak(EmbeddedPeaks(), card), nullptr) << name;
    EXPECT_EQ(RowOwnTo(card), "") << name;
  }
}

TEST(StandInFor, IsTheOneOfItsChipThatIsCalledMostLikeIt) {
  for (const auto& [vendor, number, nearest] :
       {std::tuple(kNvidia, 0x20f5, "NVIDIA A100 PCIe 80GB"),        // A800 80GB PCIe, not an A30
        std::tuple(kNvidia, 0x20f3, "NVIDIA A100 SXM4 80GB"),        // A800-SXM4-80GB
        std::tuple(kNvidia, 0x1c04, "GeForce GTX 1060 3GB"),         // GTX 1060 5GB
        std::tuple(kNvidia, 0x1eb5, "GeForce RTX 2080 Max-Q"),       // Quadro RTX 5000 Mobile / Max-Q
        std::tuple(kNvidia, 0x2c38, "GeForce RTX 5080 Laptop GPU"),  // RTX PRO 5000 Blackwell for laptops
        std::tuple(kNvidia, 0x2238, "NVIDIA A10"),                   // A10M
        std::tuple(kAmd, 0x73a1, "Radeon PRO W6800")}) {             // Radeon Pro V620
    const auto card = Listed(vendor, static_cast<std::uint32_t>(number));
    const auto* one = StandInFor(EmbeddedPeaks(), card);
    ASSERT_TRUE(one) << card.name;
    EXPECT_EQ(one->name.substr(0, one->name.find(" / ")), nearest) << card.name;
  }
}

// The fastest of its chip bounds it, and where no table names the card its architecture's slowest stands for
// it.
TEST(StandInsFor, AreThoseOfItsChipWhereTheTableNamesTheCard) {
  const auto names_of = [](const probe::PhysicalDevice& card) {
    std::vector<std::string> names;
    for (const auto* row : StandInsFor(EmbeddedPeaks(), card)) names.push_back(row->name);
    return names;
  };
  const auto listed = Listed(kNvidia, 0x26b3);  // RTX 5880 Ada Generation
  EXPECT_TRUE(HasNearest(listed));
  EXPECT_THAT(names_of(listed), ::testing::Contains("GeForce RTX 4090"));
  EXPECT_THAT(names_of(listed), ::testing::Not(::testing::Contains("GeForce RTX 4060")));
  auto unlisted = Called(kNvidia, 0xfff0, "GPU");
  unlisted.kind = probe::DeviceKind::kDiscrete;
  unlisted.hardware->architecture = "sm_89";
  EXPECT_FALSE(HasNearest(unlisted));
  EXPECT_THAT(names_of(unlisted), ::testing::IsSupersetOf({"GeForce RTX 4090", "GeForce RTX 4060"}));
}

}  // namespace
}  // namespace report
