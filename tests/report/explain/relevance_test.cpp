// SPDX-License-Identifier: MIT
// What is wrong with a GPU that would not be chosen anyway is no step of a reader's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "report/explain/parts.h"
#include "report/render/faces.h"
#include "tests/report/machines.h"

namespace report::explain {
namespace {

using probe::DeviceKind;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint32_t kNvidia = 0x10de, kAmd = 0x1002;

probe::PciIds Ids(std::uint32_t vendor, std::uint32_t device) { return {vendor, device, {}, {}, {}}; }

probe::PhysicalDevice Second(std::string name, DeviceKind kind, probe::PciIds ids) {
  auto card = testing::Gpu("0000:05:00.0", std::move(name), kind, 2);
  card.memory = {};
  card.hardware->identity.ids = ids;
  return card;
}

// An RTX 4090 that works beside a second device that nothing reaches.
Report Beside(const probe::PhysicalDevice& second) {
  Report report = testing::DiscreteAndIntegrated();
  report.devices[0].hardware->identity.ids = Ids(kNvidia, 0x2684);
  report.devices.insert(report.devices.end() - 1, second);
  return testing::Decided(report);
}

std::string Rendered(const Report& report) {
  return render::Text(testing::TestTables(), report, {160, false, true, false});
}

std::string Next(const Report& report) {
  const auto text = Rendered(report);
  return text.substr(std::min(text.find("\nNext"), text.size()));
}

// Of the second device.
const Finding* Unreached(const Report& report) {
  for (const Finding& finding : report.findings) {
    if (finding.id.starts_with("unreached.")) return &finding;
  }
  return nullptr;
}

TEST(Relevance, AnOldCardOrGraphicsOfTheProcessorBesideAWorkingOneAreNotes) {
  for (const auto& second : {Second("GeForce GT 710", DeviceKind::kDiscrete, Ids(kNvidia, 0x128b)),
                             Second("Radeon HD 5450", DeviceKind::kDiscrete, Ids(kAmd, 0x68f9)),
                             Second("Radeon Vega 8", DeviceKind::kIntegrated, Ids(kAmd, 0x15d8))}) {
    const auto report = Beside(second);
    ASSERT_NE(Unreached(report), nullptr) << second.name;
    EXPECT_EQ(Unreached(report)->severity, Severity::kNote) << second.name;
    EXPECT_FALSE(MayChangeAnswer(report, second)) << second.name;
    EXPECT_THAT(Next(report), Not(HasSubstr(second.name)));
    EXPECT_THAT(Rendered(report), Not(HasSubstr("Worth fixing")));
  }
}

TEST(Relevance, ACardThatCouldBeTheAnswerLeadsTheSteps) {
  for (const auto& second : {Second("NVIDIA H100 PCIe", DeviceKind::kDiscrete, Ids(kNvidia, 0x2331)),
                             Second("GeForce RTX 4090", DeviceKind::kDiscrete, Ids(kNvidia, 0x2684))}) {
    const auto report = Beside(second);
    ASSERT_NE(Unreached(report), nullptr) << second.name;
    EXPECT_NE(Unreached(report)->severity, Severity::kNote) << second.name;
    EXPECT_THAT(Next(report), HasSubstr(second.name));
  }
}

TEST(Relevance, WithoutAGpuThatWorksEveryGpuIsWorthMending) {
  Report report = testing::Processor();
  report.devices.insert(report.devices.begin(),
                        Second("GeForce GT 710", DeviceKind::kDiscrete, Ids(kNvidia, 0x128b)));
  report = testing::Decided(report);
  EXPECT_TRUE(MayChangeAnswer(report, report.devices[0]));
  EXPECT_THAT(Next(report), HasSubstr("GeForce GT 710"));
}

TEST(Relevance, ARuntimeForAnotherMakersCardsAloneIsNoStepBesideAWorkingOne) {
  Report report = testing::DiscreteAndIntegrated();
  report.devices.insert(report.devices.end() - 1,
                        Second("Radeon HD 5450", DeviceKind::kDiscrete, Ids(kAmd, 0x68f9)));
  report.probes.push_back(testing::Probe("hip", probe::Outcome::kFailed, probe::Stage::kInit));
  int told = 0;
  const auto decided = testing::Decided(report);
  for (const Finding& finding : decided.findings) {
    if (finding.runtime != "hip") continue;
    ++told;
    EXPECT_EQ(finding.severity, Severity::kNote) << finding.id;
  }
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace report::explain
