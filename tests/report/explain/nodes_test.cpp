// SPDX-License-Identifier: MIT
// What a user is told to join, whose nodes do not open.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/report/machines.h"

namespace report::explain {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Closed = std::vector<std::pair<std::string, std::string>>;  // path, whom it is open to

// The advice on one card whose nodes are closed to this user, and that of its maker's runtime.
std::vector<Fix> Advised(const Closed& closed, std::string_view os = "debian") {
  auto machine = testing::BrokenDriver();
  machine.host.os_release = probe::OsRelease{};
  machine.host.os_release->id = os;
  auto& nodes = machine.devices[0].hardware->nodes;
  machine.devices[0].hardware->identity.ids = probe::PciIds{0x1002, 0x744c, {}, {}, {}};
  nodes.clear();
  for (const auto& [path, open_to] : closed) {
    nodes.push_back({path, true, false, "EACCES"});
    if (!open_to.empty()) nodes.back().open_to = open_to;
  }
  auto hip = testing::Probe("hip", probe::Outcome::kDenied, probe::Stage::kInit);
  hip.error = probe::Error{"open /dev/kfd", 13, "kfd_denied", "/dev/kfd may not be opened"};
  machine.probes.push_back(hip);
  const auto report = testing::Decided(machine);
  std::vector<Fix> fixes;
  for (const std::string_view id : {"device_node.denied.pci-0000-c1-00-0", "runtime.hip.denied"}) {
    const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                    [&](const Finding& finding) { return finding.id == id; });
    EXPECT_NE(found, report.findings.end()) << id;
    if (found != report.findings.end()) fixes.insert(fixes.end(), found->fix.begin(), found->fix.end());
  }
  return fixes;
}

TEST(Nodes, TheGroupToJoinIsTheNodesOwn) {
  for (const auto& fix : Advised({{"/dev/dri/renderD128", "compute"}, {"/dev/kfd", "compute"}})) {
    EXPECT_THAT(fix.text, HasSubstr("join the group compute (of /dev/dri/renderD128 and /dev/kfd)"));
    EXPECT_EQ(fix.command, "usermod -aG compute \"$USER\"");
  }
  for (const auto& fix : Advised({{"/dev/dri/renderD128", "render"}, {"/dev/kfd", "video"}})) {
    EXPECT_THAT(fix.text,
                HasSubstr("join the groups render (of /dev/dri/renderD128) and video (of /dev/kfd)"));
    EXPECT_EQ(fix.command, "usermod -aG render,video \"$USER\"");
  }
  // A distribution whose nodes usually have another group, on which this one was found.
  EXPECT_EQ(Advised({{"/dev/kfd", "compute"}}, "alpine").at(0).command, "addgroup \"$USER\" compute");
  for (const auto& fix : Advised({{"/dev/kfd", "110"}})) {
    EXPECT_THAT(fix.text, HasSubstr("join the group 110 (of /dev/kfd)"));
    EXPECT_EQ(fix.command, std::nullopt) << "nothing here has a name of it";
  }
}

TEST(Nodes, OfManyTheFirstAreNamed) {
  for (const char* owner : {"render", "root"}) {
    Closed closed;
    for (int number = 128; number < 188; ++number)
      closed.emplace_back("/dev/dri/renderD" + std::to_string(number), owner);
    for (const auto& fix : Advised(closed)) {
      EXPECT_THAT(fix.text,
                  HasSubstr("/dev/dri/renderD128 and /dev/dri/renderD129 and /dev/dri/renderD130 and "
                            "57 more"));
      EXPECT_THAT(fix.text, Not(HasSubstr("renderD131")));
    }
  }
  Closed groups;
  for (int number = 0; number < 9; ++number)
    groups.emplace_back("/dev/dri/renderD" + std::to_string(number), "group" + std::to_string(number));
  EXPECT_THAT(Advised(groups).at(0).text, HasSubstr("group2 (of /dev/dri/renderD2) and 6 more, then"));
}

TEST(Nodes, OfOnesThatOnlyRootMayOpenNoGroupIsToBeJoined) {
  for (const auto& fix : Advised({{"/dev/dri/renderD128", "root"}, {"/dev/kfd", "root"}})) {
    EXPECT_THAT(fix.text, HasSubstr("only root may open /dev/dri/renderD128 and /dev/kfd"));
    EXPECT_THAT(fix.text, Not(HasSubstr("join")));
    EXPECT_EQ(fix.command, "chmod a+rw /dev/dri/renderD128 /dev/kfd");
  }
  const auto both = Advised({{"/dev/dri/renderD128", "render"}, {"/dev/kfd", "root"}});
  ASSERT_EQ(both.size(), 4U);
  EXPECT_EQ(both[0].command, "usermod -aG render \"$USER\"");
  EXPECT_EQ(both[1].command, "chmod a+rw /dev/kfd");
}

TEST(Nodes, WhatIsNotToldIsAdvisedAsBefore) {
  for (const auto& fix : Advised({{"/dev/kfd", ""}}))
    EXPECT_EQ(fix.command, "usermod -aG render,video \"$USER\"");
}

// Records come from anywhere.
TEST(Nodes, NoWordOfARecordBecomesAPartOfACommand) {
  for (const char* group : {"$(reboot)", "a b", "-G", "Render;x", "`x`"}) {
    for (const auto& fix : Advised({{"/dev/kfd", group}})) {
      EXPECT_EQ(fix.command, "usermod -aG render,video \"$USER\"") << group;
      EXPECT_THAT(fix.text, Not(HasSubstr(group)));
    }
  }
  for (const auto& fix : Advised({{"/dev/$(reboot)", "root"}})) EXPECT_EQ(fix.command, std::nullopt);
}

}  // namespace
}  // namespace report::explain
