// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "probe/hwloc/topology.h"
#include "tests/probe/capture.h"
#include "tests/probe/tree.h"

namespace probe::hwloc {
Module Describe();
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Cpu(int number) { return "/sys/devices/system/cpu/cpu" + std::to_string(number); }

// Two packages of one core with two threads; a level 2 cache each; one level 1 a core.
void AddCpu(tests::Tree& tree, int number) {
  const std::string cpu = Cpu(number);
  const std::string siblings = number < 2 ? "0-1\n" : "2-3\n";
  tree.Write(cpu + "/topology/physical_package_id", number < 2 ? "0\n" : "1\n");
  tree.Write(cpu + "/topology/thread_siblings_list", siblings);
  tree.Write(cpu + "/cache/index0/level", "1\n").Write(cpu + "/cache/index0/type", "Data\n");
  tree.Write(cpu + "/cache/index0/size", "48K\n").Write(cpu + "/cache/index0/shared_cpu_list", siblings);
  tree.Write(cpu + "/cache/index1/level", "2\n").Write(cpu + "/cache/index1/type", "Unified\n");
  tree.Write(cpu + "/cache/index1/size", "2048K\n").Write(cpu + "/cache/index1/shared_cpu_list", siblings);
}

TEST(Hwloc, ReadsTheShapeOfATree) {
  tests::Tree tree;
  for (int number = 0; number < 4; ++number) AddCpu(tree, number);
  tree.Write("/sys/devices/system/node/node0/meminfo",
             "Node 0 MemTotal:       1048576 kB\nNode 0 MemFree: 1 kB\n");
  tree.Write("/sys/devices/system/node/node1/meminfo", "Node 1 MemTotal:       2097152 kB\n");
  const auto report = tests::Run(Describe(), tree);
  ASSERT_EQ(report.hardware.size(), 1U);
  const auto& processor = *report.hardware[0].processor;
  EXPECT_EQ(processor.packages, 2U);
  EXPECT_EQ(processor.cores, 2U);
  EXPECT_EQ(processor.threads, 4U);
  EXPECT_EQ(processor.numa_nodes, 2U);
  EXPECT_THAT(processor.caches,
              ElementsAre(Cache{1, "data", 48U << 10U, 2, 2}, Cache{2, "unified", 2U << 20U, 2, 2}));
  EXPECT_THAT(report.hardware[0].facts, Contains(Fact{"numa_memory_bytes", "1073741824 2147483648"}));
}

TEST(Hwloc, AVariableThatShowsItAnotherMachineIsNamed) {
  const auto files = system::FileSystem::Open("/");
  ASSERT_TRUE(files.ok());
  system::Environment environment;
  environment.Set("HWLOC_COMPONENTS", "-cuda");
  ProbeReport report;
  Describe().probe(
      {*files, environment, std::nullopt, [&](const ProbeEvent& event) { Apply(event, report); }});
  EXPECT_THAT(report.environment, ElementsAre(EnvironmentVariable{"HWLOC_COMPONENTS", "-cuda"}));
  EXPECT_THAT(report.warnings, Contains(::testing::HasSubstr("HWLOC_COMPONENTS is set")));
}

TEST(Hwloc, CardsAreNearTheNodeThatHasTheirProcessors) {
  tests::Tree tree;
  for (int number = 0; number < 4; ++number) AddCpu(tree, number);
  tree.Write("/sys/devices/system/node/node0/cpulist", "0-1\n")
      .Write("/sys/devices/system/node/node1/cpulist", "2-3\n");
  const std::string bus = "/sys/bus/pci/devices/";
  tree.Write(bus + "0000:c1:00.0/class", "0x030200\n").Write(bus + "0000:c1:00.0/local_cpulist", "2-3\n");
  tree.Write(bus + "0000:41:00.0/class", "0x030200\n").Write(bus + "0000:41:00.0/local_cpulist", "0-3\n");
  tree.Write(bus + "0000:02:00.0/class", "0x010802\n").Write(bus + "0000:02:00.0/local_cpulist", "0-1\n");
  const auto report = tests::Run(Describe(), tree);
  ASSERT_EQ(report.hardware.size(), 2U);
  EXPECT_EQ(ToString(*report.hardware[1].identity.pci), "0000:c1:00.0");
  EXPECT_EQ(report.hardware[1].numa_node, 1U);
  EXPECT_THAT(report.hardware[1].facts, Contains(Fact{"local_cpus", "2-3"}));
}

TEST(Hwloc, ProcessorsThatAreOfflineDoNotCount) {
  tests::Tree tree;
  for (int number = 0; number < 4; ++number) AddCpu(tree, number);
  tree.Write(Cpu(3) + "/online", "0\n").Write(Cpu(2) + "/online", "1\n");
  EXPECT_EQ(ReadFiles(tree.Files()).threads, 3U);
}

TEST(Hwloc, AnEmptyTreeIsNotFilledFromThisMachine) {
  const tests::Tree tree;
  const auto report = tests::Run(Describe(), tree);
  EXPECT_THAT(report.hardware, IsEmpty());
  EXPECT_EQ(report.outcome, Outcome::kNoDevice);
}

TEST(Hwloc, SurvivesHostileFiles) {
  tests::Tree tree;
  AddCpu(tree, 0);
  const std::string cache = Cpu(0) + "/cache/index";
  tree.Write(cache + "2/level", "4294967296")
      .Write(cache + "2/type", "Unified")
      .Write(cache + "2/size", "1K");
  tree.Write(cache + "3/level", "3")
      .Write(cache + "3/type", "Unified")
      .Write(cache + "3/size", "99999999999999999999K");
  tree.Write(cache + "3/shared_cpu_list", "0").Directory(cache + "4/level").Link(cache + "5", "index5");
  tree.Write(cache + "6/level", "2")
      .Write(cache + "6/type", std::string(5000, '\xff'))
      .Write(cache + "6/size", "1K");
  tree.Write(cache + "7/level", "3").Write(cache + "7/type", "Unified").Write(cache + "7/size", "1K");
  tree.Write(cache + "7/shared_cpu_list", "0-4294967295")
      .Directory("/sys/devices/system/cpu/cpu99999999999999999999");
  tree.Write("/sys/devices/system/node/node0/meminfo", "MemTotal: 99999999999999999999 kB");
  tree.Write("/sys/devices/system/node/node1/meminfo", "MemTotal:");
  const auto topology = ReadFiles(tree.Files());
  EXPECT_EQ(topology.threads, 1U);
  EXPECT_EQ(topology.caches.size(), 2U);
  EXPECT_THAT(topology.numa_memory_bytes, ElementsAre(0U, 0U));
}

TEST(Hwloc, AgreesWithTheFilesOnThisMachine) {
  const auto files = system::FileSystem::Open("/");
  ASSERT_TRUE(files);
  const auto own = ReadFiles(*files);
  if (!own.threads) GTEST_SKIP() << "this machine shows no processor topology";
  const auto hwloc = ReadWithHwloc();
  ASSERT_TRUE(hwloc) << probe::Describe(hwloc.error());
  EXPECT_EQ(hwloc->packages, own.packages);
  EXPECT_EQ(hwloc->cores, own.cores);
  EXPECT_EQ(hwloc->threads, own.threads);
  EXPECT_EQ(hwloc->caches, own.caches);
}

// Neither a plug-in, which would load GPU drivers, nor what a user set for hwloc may decide what is seen.
TEST(Hwloc, TheUsersVariablesAndPlugInsStayOut) {
  const auto before = ReadWithHwloc();
  ASSERT_TRUE(before);
  setenv("HWLOC_PLUGINS_PATH", WHICHGPU_TEST_PLUGINS, 1);
  setenv("HWLOC_SYNTHETIC", "pack:7 core:7 1", 1);
  setenv("HWLOC_COMPONENTS", "opencl,cuda,nvml,rsmi,levelzero,gl", 1);
  const auto after = ReadWithHwloc();
  ASSERT_TRUE(after);
  EXPECT_EQ(getenv("WHICHGPU_TEST_PLUGIN_LOADED"), nullptr);
  EXPECT_EQ(after->threads, before->threads);
  EXPECT_EQ(after->caches, before->caches);
  setenv("HWLOC_FSROOT", "/nonexistent", 1);
  EXPECT_EQ(ReadWithHwloc()->threads, before->threads);
}

TEST(Hwloc, ACaptureOfAHybridProcessor) {
  SKIP_WITHOUT_CAPTURE("ghw-sysfs.tar.xz");
  tests::Tree tree;
  ASSERT_TRUE(tests::Unpack(tests::Capture("ghw-sysfs.tar.xz"), tree.Path("/a")));
  ASSERT_TRUE(tests::Unpack(tree.Path("/a/ghw/linux-amd64-intel-i7-1270P.tar.gz"), tree.Path("/")));
  const auto topology = ReadFiles(tree.Files());
  EXPECT_EQ(topology.threads, 16U);
  EXPECT_EQ(topology.cores, 12U);
  EXPECT_EQ(topology.packages, 1U);
  EXPECT_THAT(topology.caches, Contains(Cache{1, "data", 48U << 10U, 2, 4}));
  EXPECT_THAT(topology.caches, Contains(Cache{1, "data", 32U << 10U, 1, 8}));
  EXPECT_THAT(topology.caches, Contains(Cache{3, "unified", 18U << 20U, 16, 1}));
}

}  // namespace
}  // namespace probe::hwloc
