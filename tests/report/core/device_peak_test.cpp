// SPDX-License-Identifier: MIT
#include "report/core/device_peak.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace report
