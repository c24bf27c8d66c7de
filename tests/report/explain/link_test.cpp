// SPDX-License-Identifier: MIT
// What a user is told of a card as it was at work: its link, its temperature and its power.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "report/render/faces.h"
#include "tests/report/machines.h"

namespace report::explain {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kCard = "pci:0000:01:00.0";

// The discrete card's link as the bus shows it while the card idles, and at work where that was seen.
Report Machine(const probe::PcieLink& idle, const std::optional<probe::PcieLink>& at_work) {
  auto machine = testing::DiscreteAndIntegrated();
  machine.devices[0].hardware.emplace().pcie = idle;
  for (auto& m : machine.measurements) {
    if (m.device_id == kCard) m.pcie = at_work;
  }
  return testing::Decided(machine);
}

const Finding* Narrow(const Report& report) {
  const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                  [](const Finding& of) { return of.id.starts_with("link.narrow."); });
  return found == report.findings.end() ? nullptr : &*found;
}

std::string Devices(const Report& report) {
  return render::ListText(testing::TestTables(), report, render::TerminalOptions{160, false, true, false});
}

TEST(Link, OfAnIdleCardIsNoFault) {
  const auto report = Machine({1, 16, 4, 16}, std::nullopt);
  EXPECT_EQ(Narrow(report), nullptr);
  EXPECT_THAT(Devices(report), HasSubstr("PCIe 1.0 x16 now, up to 4.0 x16"));
  EXPECT_THAT(Devices(Machine({4, 16, 4, 16}, std::nullopt)), Not(HasSubstr("up to 4.0")));
}

TEST(Link, AtWorkIsWhatCounts) {
  const auto whole = Machine({1, 16, 4, 16}, probe::PcieLink{4, 16, 4, 16});
  EXPECT_EQ(Narrow(whole), nullptr);
  EXPECT_THAT(Devices(whole), HasSubstr("PCIe 4.0 x16"));
  EXPECT_THAT(Devices(whole), Not(HasSubstr("up to 4.0")));
  const auto narrow = Machine({1, 4, 4, 16}, probe::PcieLink{3, 4, 4, 16});
  const Finding* finding = Narrow(narrow);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::kNote);
  EXPECT_THAT(finding->summary, HasSubstr("was at work over PCIe 3.0 x4, of 4.0 x16 that it can"));
  EXPECT_THAT(Devices(narrow), HasSubstr("PCIe 3.0 x4 at work, up to 4.0 x16"));
  EXPECT_EQ(Narrow(Machine({1, 4, 4, 16}, probe::PcieLink{4, std::nullopt, 4, 16})), nullptr);
}

TEST(AtWork, TheHighestOfAllFiguresIsTold) {
  auto machine = Machine({4, 16, 4, 16}, std::nullopt);
  std::vector<backends::Measurement*> figures;
  for (auto& m : machine.measurements) {
    if (m.device_id == kCard) figures.push_back(&m);
  }
  ASSERT_GE(figures.size(), 3U);
  for (auto* m : figures) {
    m->temperature_c = 60;
    m->power_w = 300;
  }
  figures[1]->temperature_c = 71;
  figures[1]->power_w = 342;
  EXPECT_THAT(Devices(machine), HasSubstr("up to 71 C and 342 W at work"));
}

}  // namespace
}  // namespace report::explain
