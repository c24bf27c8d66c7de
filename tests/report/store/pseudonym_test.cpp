// SPDX-License-Identifier: MIT
#include "report/store/pseudonym.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/probe/system/temporary_tree.h"

namespace report {
namespace {

using probe::system::Environment;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kShortId = "5eb63bbbe01eeed093cb22bb8f5acdc3";
const std::string kContainer = kShortId + "9f86d081884c7d659a2feaa0c55ad015";

Pseudonyms Names(std::map<std::string, std::string, std::less<>> variables, const std::string& host = "",
                 const FoundNames& found = {}) {
  return {Environment(std::move(variables)), host, false, found};
}

TEST(PseudonymTest, HomesOfAllUsersGoWhoeverTheyAre) {
  const auto names = Names({{"HOME", "/home/alice"}, {"USER", "alice"}});
  EXPECT_EQ(names.Replace("/home/alice/a:/var/home/alice/b"), "/home/user/a:/var/home/user/b");
  const auto bob = names.Replace("/home/bob/.local/lib");
  EXPECT_THAT(bob, ::testing::MatchesRegex("/home/user-[0-9]+/.local/lib"));
  EXPECT_EQ(names.Replace("/home/bob/.local/lib"), bob);
  EXPECT_EQ(names.Replace(bob), bob) << "a pseudonym stays";
  EXPECT_NE(names.Replace("/home/carol/.local/lib"), bob);
  EXPECT_EQ(names.Replace("/home /home/ \"/home/\""), "/home /home/ \"/home/\"");
}

TEST(PseudonymTest, WhoCalledRootGoesToo) {
  const auto names = Names({{"HOME", "/root"}, {"USER", "root"}, {"LOGNAME", "dave"}, {"SUDO_USER", "erin"}},
                           "", {{"frank"}, {}});
  for (const char* name : {"dave", "erin", "frank"})
    EXPECT_THAT(names.Replace(std::string("/scratch/") + name + "/x by " + name), Not(HasSubstr(name)));
  EXPECT_EQ(names.Replace("/root/x of root"), "/root/x of root");
}

TEST(PseudonymTest, AnOrdinaryWordIsANameInAHomeOnly) {
  for (const std::string name : {"gpu", "nvidia", "a", "cuda", "driver", "local", "user"}) {
    const auto names = Names({{"HOME", "/home/" + name}, {"USER", name}}, name);
    const std::string text = "a gpu by nvidia: cuda driver /usr/local of user a";
    EXPECT_EQ(names.Replace(text), text) << name;
    EXPECT_EQ(names.Replace("/home/" + name + "/x"), "/home/user/x");
  }
  EXPECT_EQ(Pseudonyms::ReplaceHostName("gpu"), "host");
}

TEST(PseudonymTest, NoAddressAndNoLimitIsTakenForAName) {
  for (const std::string name : {"c1", "ed", "beef", "max"}) {
    const auto names = Names({{"HOME", "/home/" + name}, {"USER", name}}, name + ".cluster");
    const std::string text = "/sys/bus/pci/devices/0000:c1:00.0 of cpu.max 10de:beef";
    EXPECT_EQ(names.Replace(text), text) << name;
    probe::Json identity = {{"pci", "0000:c1:00.0"}};
    names.Replace(identity);
    EXPECT_EQ(identity["pci"], "0000:c1:00.0");
  }
}

TEST(PseudonymTest, OneNameMayBeginAsAnotherOrAsAPseudonym) {
  const auto names = Names({{"USER", "ann"}}, "", {{"ann-marie"}, {"node7", "node7-prod"}});
  const auto replaced = names.Replace("ann-marie on node7-prod");
  for (const char* part : {"ann", "marie", "node7", "prod"}) EXPECT_THAT(replaced, Not(HasSubstr(part)));
  EXPECT_THAT(Names({}).Replace("/home/user-smith/x"), Not(HasSubstr("smith")));
}

TEST(PseudonymTest, AHomeOfTheSystemIsNobodys) {
  for (const char* home : {"/", "/usr", "/tmp", "/usr/lib", "/root", "/nonexistent"}) {
    const auto names = Names({{"HOME", home}});
    EXPECT_EQ(names.Replace("/usr/lib/x /tmp/x /root/x"), "/usr/lib/x /tmp/x /root/x") << home;
  }
}

TEST(PseudonymTest, HostNamesGoWithTheirDomains) {
  const auto names = Names({{"HOSTNAME", "deepthought.zarquon.example"}}, "wonderland", {{}, {"slartibart"}});
  EXPECT_EQ(names.Replace("wonderland.zarquon.example: on wonderland. Then deepthought, slartibart and "
                          "ns.zarquon.example"),
            "host: on host. Then host, host and ns.domain");
  EXPECT_EQ(names.Replace("wonderlands"), "wonderlands");
}

TEST(PseudonymTest, ContainersAndNetworkCardsGo) {
  const auto names = Names({});
  const auto docker = names.Replace("0::/system.slice/docker-" + kContainer + ".scope");
  EXPECT_THAT(docker, Not(HasSubstr(kContainer)));
  EXPECT_EQ(docker.size(), std::string("0::/system.slice/docker-.scope").size() + 64);
  const std::string pod = "1b4f3c9e_89ab_4def_8123_456789abcdef";
  EXPECT_THAT(names.Replace("kubepods-burstable-pod" + pod + ".slice"), Not(HasSubstr(pod)));
  EXPECT_THAT(names.Replace("/lxc.payload.acme-prod/x"), Not(HasSubstr("acme")));
  EXPECT_THAT(names.Replace("mac 00:16:3e:12:34:56."), Not(HasSubstr("3e:12")));
  for (const char* kept : {"0000:41:00.0", "00:16:3e:12:34:56:78", "1.2.3.4"})
    EXPECT_EQ(names.Replace(kept), kept);
}

TEST(PseudonymTest, AContainersIdGoesWhateverWroteIt) {
  const auto names = Names({});
  const std::string pod = "1b4f3c9e_89ab_4def_8123_456789abcdef";
  for (const std::string& id : {kShortId, kContainer, kShortId + "0123456789", kContainer + kContainer}) {
    for (const auto& [before, after] : std::vector<std::pair<std::string, std::string>>{
             {"4:memory:/process_api/", ""},
             {"/docker/", "/cpu.max"},
             {"0::/system.slice/docker-", ".scope"},
             {"/machine.slice/libpod-", ".scope/container"},
             {"/machine.slice/libpod-conmon-", ".scope"},
             {"/machine.slice/machine-libpod_pod_", ".slice"},
             {"/machine.slice/machine-acme\\x2d", ".scope"},
             {"/crio-", ""},
             {"/crio-conmon-", ".scope"},
             {"/ecs/", "-2310245"},
             {"/system.slice/containerd.service/kubepods-pod" + pod + ".slice:cri-containerd:", ""},
             {"/kubepods/besteffort/pod", "/x"},
             {"/kubepods-burstable-pod", ".slice"}}) {
      const auto path = std::string(before).append(id).append(after);
      const auto replaced = names.Replace(path);
      EXPECT_THAT(replaced, Not(HasSubstr(id.substr(0, 16)))) << before;
      EXPECT_THAT(replaced, Not(HasSubstr(pod)));
      EXPECT_EQ(replaced.size(), path.size());
      EXPECT_EQ(replaced, names.Replace(path));
      EXPECT_THAT(replaced, ::testing::EndsWith(after));
    }
  }
  for (const char* name : {"/lxc/acme/x", "/lxc.payload/acme/x", "/lxc.monitor.acme/x", "/lxc.monitor/acme"})
    EXPECT_THAT(names.Replace(name), Not(HasSubstr("acme")));
}

TEST(PseudonymTest, OneIdHasOnePseudonymInBothOfItsForms) {
  const auto names = Names({});
  auto dashed = names.Replace("1b4f3c9e-89ab-4def-8123-456789abcdef");
  dashed.erase(std::remove(dashed.begin(), dashed.end(), '-'), dashed.end());
  EXPECT_EQ(names.Replace("1b4f3c9e89ab4def8123456789abcdef"), dashed);
  EXPECT_EQ(names.Replace("1B4F3C9E89AB4DEF8123456789ABCDEF"), dashed);
  EXPECT_NE(names.Replace(kShortId), dashed);
}

TEST(PseudonymTest, NumbersAndMasksStay) {
  const auto names = Names({});
  for (const std::string& kept : std::initializer_list<std::string>{
           std::string(40, 'f'), std::string(40, '0'), "ffffffff,ffffffff,ffffffff,ffffffff,0000000f",
           "12345678901234567890123456789012", kShortId.substr(1), "0x" + kShortId, "lib" + kShortId,
           kContainer + "z"})
    EXPECT_EQ(names.Replace(kept), kept);
}

TEST(PseudonymTest, WordsOfOurOwnStay) {
  const auto names = Names({{"USER", "zaphod"}});
  probe::Json json = {{"module", "zaphod"}, {"zaphod", "zaphod"}, {"list", {"by zaphod"}}};
  names.Replace(json);
  EXPECT_EQ(json, (probe::Json{{"module", "zaphod"}, {"zaphod", "user"}, {"list", {"by user"}}}));
}

TEST(PseudonymTest, OfTheMountsOnlyControlGroupsAreKept) {
  const auto names = Names({});
  const std::string group = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
  EXPECT_EQ(
      names.ReplaceFile("/proc/self/mountinfo",
                        "40 23 0:50 / /home/eve rw - nfs4 10.1.2.3:/export/eve rw,addr=10.1.2.3\n" + group),
      group);
}

TEST(PseudonymTest, AFileThatIsNoTextIsKeptWholeOrNotAtAll) {
  const auto names = Names({{"USER", "zaphod"}});
  const std::string plain("ELF\0plain", 9), named("ELF\0/x/zaphod", 13);
  EXPECT_EQ(names.ReplaceFile("/lib/a.so", plain), plain);
  EXPECT_EQ(names.ReplaceFile("/lib/a.so", named), std::nullopt);
  EXPECT_EQ(names.ReplaceFile("/etc/text", "of zaphod"), "of user");
}

TEST(PseudonymTest, PeopleAreFoundInFiles) {
  probe::system::TemporaryTree tree;
  tree.Write("/etc/passwd", "root:x:0:0::/root:/bin/sh\nzoe:x:1000:1000::/home/zoe:/bin/sh\nbroken\n::\n");
  tree.Write("/etc/hostname", "heartofgold\n");
  tree.Directory("/home/yves");
  tree.Directory("/home/lost+found");
  if (geteuid() == 0) {
    ASSERT_EQ(chown(tree.At("/home/yves").c_str(), 1001, 1001), 0);
  }
  const auto files = probe::system::FileSystem::Open(tree.root());
  ASSERT_TRUE(files.ok());
  const auto found = FindNames(*files);
  EXPECT_THAT(found.users, Contains("zoe"));
  EXPECT_THAT(found.users, Not(Contains("root")));
  if (geteuid() == 0) {
    EXPECT_THAT(found.users, Contains("yves"));
    EXPECT_THAT(found.users, Not(Contains("lost+found")));
  }
  EXPECT_THAT(found.hosts, Contains("heartofgold"));
}

}  // namespace
}  // namespace report
