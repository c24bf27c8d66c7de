// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "probe/vulkan/vulkan_manifest.h"
#include "tests/probe/tree.h"

namespace probe::vulkan {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kLayer = R"({"layer": {"name": "VK_LAYER_X", "library_path": "/x.so",
  "enable_environment": {"ENABLE_X": "1"}, "disable_environment": {"DISABLE_X": "yes"}}})";
constexpr const char* kFile = "/usr/share/vulkan/implicit_layer.d/x.json";

TEST(ImplicitLayer, IsActiveOnlyAsItsVariablesSay) {
  tests::Tree tree;
  tree.Write(kFile, kLayer);
  system::Environment environment;
  EXPECT_THAT(FindImplicitLayers(tree.Files(), environment), IsEmpty());
  environment.Set("ENABLE_X", "1");
  const auto active = FindImplicitLayers(tree.Files(), environment);
  ASSERT_THAT(active, SizeIs(1));
  EXPECT_EQ(active[0].name, "VK_LAYER_X");
  EXPECT_FALSE(active[0].distrust);
  environment.Set("DISABLE_X", "");
  EXPECT_THAT(FindImplicitLayers(tree.Files(), environment), IsEmpty());
}

TEST(ImplicitLayer, IsKeptOutByTheLoadersSwitchAndItsOwn) {
  tests::Tree tree;
  tree.Write(kFile, kLayer);
  system::Environment environment;
  environment.Set("ENABLE_X", "1");
  const auto variables = WithoutLayers(FindImplicitLayers(tree.Files(), environment));
  EXPECT_THAT(variables, Contains(EnvironmentVariable{"VK_LOADER_LAYERS_DISABLE", "~implicit~"}));
  EXPECT_THAT(variables, Contains(EnvironmentVariable{"DISABLE_X", "yes"}));
}

TEST(ImplicitLayer, OfAManifestWithManyIsFoundOneByOne) {
  tests::Tree tree;
  tree.Write(
      kFile,
      R"({"layers": [{"name": "A"}, 7, {"name": "B", "disable_environment": {"": "1"}}, {"name": 3}]})");
  const auto layers = FindImplicitLayers(tree.Files(), system::Environment());
  ASSERT_THAT(layers, SizeIs(3));
  EXPECT_EQ(layers[0].name, "A");
  EXPECT_FALSE(layers[1].disable);
  EXPECT_EQ(layers[2].name, kFile);
}

TEST(ImplicitLayer, HostileManifestIsNone) {
  tests::Tree tree;
  for (const char* content : {"", "[", "7", R"({"layer": []})", R"({"layers": {"name": "A"}})"}) {
    tree.Write(kFile, content);
    EXPECT_THAT(FindImplicitLayers(tree.Files(), system::Environment()), IsEmpty()) << content;
  }
}

TEST(ImplicitLayer, OfAnotherUserIsDistrustedByRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give a file away";
  tests::Tree tree;
  tree.Write(kFile, kLayer).Write("/x.so", "");
  system::Environment environment;
  environment.Set("ENABLE_X", "1");
  ASSERT_EQ(chown(tree.Path("/x.so").c_str(), 12345, 12345), 0);
  EXPECT_TRUE(FindImplicitLayers(tree.Files(), environment).at(0).distrust);
  ASSERT_EQ(chown(tree.Path(kFile).c_str(), 12345, 12345), 0);
  EXPECT_TRUE(FindImplicitLayers(tree.Files(), environment).at(0).distrust);
}

TEST(ImplicitLayer, OfADriverIsIdleUntilAVariableSteersIt) {
  const ImplicitLayer select{"VK_LAYER_MESA_device_select", kFile, std::nullopt, std::nullopt};
  const ImplicitLayer foreign{"VK_LAYER_X", kFile, std::nullopt, std::nullopt};
  system::Environment environment;
  EXPECT_EQ(RoleOf(select, environment), LayerRole::kIdle);
  EXPECT_EQ(RoleOf(foreign, environment), LayerRole::kForeign);
  environment.Set("DRI_PRIME", "1");
  EXPECT_EQ(RoleOf(select, environment), LayerRole::kOrders);
  EXPECT_EQ(RoleOf(foreign, environment), LayerRole::kForeign);
}

TEST(Restriction, LeavesOneDriverAndNoExplicitLayer) {
  setenv("VK_INSTANCE_LAYERS", "VK_LAYER_anything", 1);
  setenv("VK_LOADER_DRIVERS_DISABLE", "*", 1);
  ApplyToProcess(OnlyDriver("/some/icd.json"));
  EXPECT_EQ(getenv("VK_INSTANCE_LAYERS"), nullptr);
  EXPECT_EQ(getenv("VK_LOADER_DRIVERS_DISABLE"), nullptr);
  EXPECT_STREQ(getenv("VK_DRIVER_FILES"), "/some/icd.json");
  EXPECT_STREQ(getenv("VK_ICD_FILENAMES"), "/some/icd.json");
}

}  // namespace
}  // namespace probe::vulkan
