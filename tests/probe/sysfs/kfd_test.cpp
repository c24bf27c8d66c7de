// SPDX-License-Identifier: MIT
#include "probe/sysfs/kfd.h"

#include "gtest/gtest.h"

#include "tests/probe/tree.h"

namespace probe::sysfs {
namespace {

constexpr std::string_view kNodes = "/sys/class/kfd/kfd/topology/nodes/";

TEST(GfxTarget, PrintsMinorAndStepInHexadecimal) {
  EXPECT_EQ(GfxTarget(90010), "gfx90a");
  EXPECT_EQ(GfxTarget(90402), "gfx942");
  EXPECT_EQ(GfxTarget(100306), "gfx1036");
  EXPECT_EQ(GfxTarget(110501), "gfx1151");
  EXPECT_EQ(GfxTarget(120001), "gfx1201");
  EXPECT_EQ(GfxTarget(0), std::nullopt);
  EXPECT_EQ(GfxTarget(UINT64_MAX), std::nullopt);
}

TEST(Kfd, LeavesOutProcessorsAndReadsGpus) {
  tests::Tree tree;
  tree.Write(std::string(kNodes) + "0/properties",
             "cpu_cores_count 16\nsimd_count 0\nvendor_id 0\nlocation_id 0\n");
  tree.Write(std::string(kNodes) + "1/properties",
             "simd_count 192\nsimd_per_cu 2\nvendor_id 4098\ndevice_id 29772\nlocation_id 49408\ndomain 2\n"
             "gfx_target_version 110000\nwave_front_size 32\nmax_engine_clk_fcompute 2500\n");
  const auto nodes = ReadKfdNodes(tree.Files());
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(ToString(nodes[0].address), "0002:c1:00.0");
  EXPECT_EQ(nodes[0].ids.device, 0x744cU);
  EXPECT_EQ(nodes[0].target, "gfx1100");
  EXPECT_EQ(nodes[0].compute_units, 96U);
  EXPECT_EQ(nodes[0].wavefront_size, 32U);
}

TEST(Kfd, SurvivesHostileProperties) {
  tests::Tree tree;
  tree.Write(std::string(kNodes) + "0/properties", std::string(100000, 'x'));
  tree.Write(std::string(kNodes) + "1/properties",
             "simd_count 99999999999999999999\nvendor_id -1\ndevice_id 5\nlocation_id 1\n");
  tree.Write(std::string(kNodes) + "2/properties", std::string("\0\xff \n 1\nsimd_count", 18));
  tree.Directory(std::string(kNodes) + "3/properties").Link(std::string(kNodes) + "4", "4");
  tree.Write(std::string(kNodes) + "5/properties",
             "simd_count 4\nvendor_id 4098\ndevice_id 1\nlocation_id 18446744073709551615\n"
             "domain 18446744073709551615\nsimd_per_cu 0\ngfx_target_version 18446744073709551615\n");
  const auto nodes = ReadKfdNodes(tree.Files());
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(ToString(nodes[0].address), "0000:ff:1f.7");
  EXPECT_EQ(nodes[0].compute_units, std::nullopt);
  EXPECT_EQ(nodes[0].target, std::nullopt);
}

}  // namespace
}  // namespace probe::sysfs
