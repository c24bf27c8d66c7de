// SPDX-License-Identifier: MIT
#include "gtest/gtest.h"

#include "probe/amd/amd.h"
#include "tests/probe/tree.h"

namespace probe::amd {
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

TEST(Kfd, TellsPartitionsOfACardApartAndCountsTheirLinks) {
  tests::Tree tree;
  const auto write = [&](const std::string& node, std::uint64_t location) {
    tree.Write(std::string(kNodes) + node + "/properties",
               "simd_count 80\nvendor_id 4098\ndevice_id 29858\nunique_id 77\nlocation_id " +
                   std::to_string(location));
    tree.Write(std::string(kNodes) + node + "/io_links/0/properties", "type 2\nnode_to 0\n");
    tree.Write(std::string(kNodes) + node + "/io_links/1/properties", "type 11\nnode_to 3\n");
  };
  write("2", 0x0a00);
  write("10", 0x0a01);                // as older kernels number a partition
  write("9", 0x0a00 | 0x30000000UL);  // as newer ones do
  const auto nodes = ReadKfdNodes(tree.Files());
  ASSERT_EQ(nodes.size(), 3U) << "in the driver's order: 2, 9, 10";
  EXPECT_EQ(nodes[0].partition, 0U);
  EXPECT_EQ(nodes[1].partition, 3U);
  EXPECT_EQ(nodes[1].address.function, 0U);
  EXPECT_EQ(nodes[2].partition, 1U);
  EXPECT_EQ(nodes[2].xgmi_links, 1U);
  EXPECT_EQ(nodes[2].unique_id, 77U);
}

TEST(Kfd, TakesNoPassedThroughFunctionForAPartition) {
  tests::Tree tree;
  tree.Write(std::string(kNodes) + "1/properties",
             "simd_count 80\nvendor_id 4098\ndevice_id 29858\nlocation_id " + std::to_string(0x0a02));
  const auto nodes = ReadKfdNodes(tree.Files());
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(nodes[0].partition, 0U);
  EXPECT_EQ(nodes[0].address.function, 2U);
  const std::string slot = "/sys/bus/pci/devices/0000:0a:00.";
  tree.Directory(slot + "0");
  EXPECT_EQ(ReadKfdNodes(tree.Files())[0].partition, 2U) << "alone in a container";
  tree.Directory(slot + "2");
  EXPECT_EQ(ReadKfdNodes(tree.Files())[0].partition, 0U) << "of a card that is divided for virtual machines";
}

// As of an MI300A: the last of many.
TEST(Kfd, ReadsTheLargestCacheOfTheThirdLevel) {
  tests::Tree tree;
  const std::string node = std::string(kNodes) + "12/";
  tree.Write(node + "properties",
             "cpu_cores_count 24\nsimd_count 80\nvendor_id 4098\ndevice_id 29856\nlocation_id 512\n");
  for (int i = 0; i < 40; ++i)
    tree.Write(node + "caches/" + std::to_string(i) + "/properties", "level 1\nsize 32\n");
  tree.Write(node + "caches/40/properties", "level 2\nsize 4096\n");
  tree.Write(node + "caches/41/properties", "level 3\nsize 262144\n");
  const auto nodes = ReadKfdNodes(tree.Files());
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(nodes[0].l3_bytes, 256U << 20U);
  EXPECT_EQ(nodes[0].number, 12U);
  EXPECT_TRUE(nodes[0].has_processor);
  tree.Write(node + "caches/41/properties", "level 3\nsize 99999999999999\n");
  EXPECT_EQ(ReadKfdNodes(tree.Files())[0].l3_bytes, std::nullopt);
}

TEST(Kfd, SurvivesHostileProperties) {
  tests::Tree tree;
  tree.Write(std::string(kNodes) + "0/properties", std::string(100000, 'x'));
  tree.Write(std::string(kNodes) + "1/properties",
             "simd_count 99999999999999999999\nvendor_id -1\ndevice_id 5\nlocation_id 1\n");
  tree.Write(std::string(kNodes) + "2/properties", std::string("\0\xff \n 1\nsimd_count", 17));
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
}  // namespace probe::amd
