// SPDX-License-Identifier: MIT
// What modules note of devices that they show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "probe/core/note.h"
#include "probe/core/parse.h"
#include "tests/report/machines.h"

namespace report::explain {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kText = "CUDA counts the fastest first; CUDA_DEVICE_ORDER=PCI_BUS_ID makes them agree";

// Two equal cards, of which CUDA notes that; `value` of the variable, and what else CUDA warns of.
std::vector<Finding> Of(const char* value, const char* warning, const char* name = "counts_apart") {
  auto machine = testing::TwoCards();
  for (auto& device : machine.devices) {
    for (auto& view : device.views) {
      if (view.device.runtime == "cuda") probe::AddNote({name, kText}, view.device);
    }
  }
  for (auto& probe : machine.probes) {
    if (probe.module != "cuda") continue;
    probe.environment = {{"CUDA_DEVICE_ORDER", value}};
    probe.warnings = {warning};
  }
  std::vector<Finding> out;
  for (auto& finding : testing::Decided(std::move(machine)).findings) {
    if (finding.id.starts_with("note.") || finding.id.starts_with("variable."))
      out.push_back(std::move(finding));
  }
  return out;
}

TEST(Notes, AreOneOfAllDevicesWithWhatItsTableSays) {
  const auto found = Of("FASTEST_FIRST", kText);
  ASSERT_EQ(found.size(), 1U) << "no second one, of the variable";
  ASSERT_TRUE(found[0].device_id);
  EXPECT_EQ(found[0].id, "note.cuda.counts-apart." + probe::Slug(*found[0].device_id));
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_EQ(found[0].summary, kText);
  EXPECT_EQ(found[0].device_ids.value_or(std::vector<std::string>()).size(), 2U);
  EXPECT_THAT(found[0].meaning, HasSubstr("another to nvidia-smi"));
  ASSERT_EQ(found[0].fix.size(), 1U);
  EXPECT_EQ(found[0].fix[0].command, "export CUDA_DEVICE_ORDER=PCI_BUS_ID");
}

TEST(Notes, AreNotToldBesideAFindingOfTheirVariable) {
  const auto found = Of("FASTEST_FIRST", "CUDA_DEVICE_ORDER=\"FASTEST_FIRST\" is odd");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].id, "variable.cuda.CUDA_DEVICE_ORDER");
}

TEST(Notes, AreToldThatNoTableKnows) {
  const auto found = Of("FASTEST_FIRST", kText, "of_no_table");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].summary, kText);
  EXPECT_TRUE(found[0].fix.empty());
}

}  // namespace
}  // namespace report::explain
