// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/vulkan/vulkan_manifest.h"
#include "tests/probe/tree.h"

namespace probe::vulkan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kElf64 =
    "\x7f"
    "ELF\x02\x01\x01and the rest of the header";
constexpr const char* kElf32 =
    "\x7f"
    "ELF\x01\x01\x01and the rest of the header";

std::string Icd(const std::string& library) {
  return R"({"file_format_version": "1.0.0", "ICD": {"library_path": ")" + library +
         R"(", "api_version": "1.3.0"}})";
}

class Manifest : public ::testing::Test {
 protected:
  DriverManifest Read(const std::string& content) {
    tree_.Write("/icd.json", content);
    return ReadDriver("/icd.json", tree_.Files(), environment_);
  }
  std::vector<std::string> Found() {
    std::vector<std::string> paths;
    for (const auto& driver : FindDrivers(tree_.Files(), environment_)) paths.push_back(driver.path);
    return paths;
  }

  tests::Tree tree_;
  system::Environment environment_;
};

TEST_F(Manifest, OfAPipeSaysSo) {
  tree_.Write("/lib/other", "");
  ASSERT_EQ(mkfifo(tree_.Path("/lib/libvk.so").c_str(), 0600), 0);
  const auto driver = Read(Icd("/lib/libvk.so"));
  EXPECT_EQ(driver.outcome, Outcome::kFailed) << "it is there";
  ASSERT_TRUE(driver.error);
  EXPECT_EQ(driver.error->name, "unloadable");
  EXPECT_THAT(driver.error->text, HasSubstr("is no regular file"));
}

TEST_F(Manifest, NamesADriverThatMayLackWhatItLoads) {
  DriverManifest driver;
  const auto lacks = [&](const char* library) {
    driver.library = library;
    return WhatItLacks(driver, tree_.Files(), environment_);
  };
  EXPECT_THAT(lacks("/opt/libGLX_nvidia.so.0"),
              ElementsAre("libX11.so.6", "libXext.so.6", "libEGL.so.1", "libGLX.so.0", "libGLdispatch.so.0"));
  EXPECT_THAT(lacks("/opt/libvulkan_lvp.so"), IsEmpty()) << "it brings what it loads";
  for (const char* here : {"libX11.so.6", "libEGL.so.1", "libGLX.so.0", "libGLdispatch.so.0"})
    tree_.Write(std::string("/usr/lib/") + here, "");
  EXPECT_THAT(lacks("libEGL_nvidia.so.0"), ElementsAre("libXext.so.6"));
}

TEST_F(Manifest, IsNotLoadedForWantOfWhatTheDynamicLoaderNames) {
  const auto why = [](const char* name, const char* text) {
    return WhyNotLoaded({"dlopen", std::nullopt, name, text}, {"libXext.so.6", "libEGL.so.1"});
  };
  constexpr const char* kGone = "libEGL.so.1: cannot open shared object file: No such file or directory";
  const auto lacking = why("unloadable", kGone);
  EXPECT_EQ(lacking.name, "client_libraries_missing");
  EXPECT_EQ(
      lacking.text,
      std::string("the driver does not load here without libEGL.so.1 (nor is there libXext.so.6): ") + kGone);
  const auto own = why("unloadable", "libnvidia-tls.so.570.86: cannot open shared object file");
  EXPECT_EQ(own.name, "unloadable") << "one of its own is missing, whatever else is";
  EXPECT_EQ(own.text, "libnvidia-tls.so.570.86: cannot open shared object file");
  EXPECT_EQ(why("refused", kGone).name, "refused");
}

TEST_F(Manifest, IsSearchedInTheLoadersOrder) {
  environment_.Set("HOME", "/home/u");
  for (const char* path :
       {"/usr/share", "/usr/local/share", "/etc", "/etc/xdg", "/home/u/.config", "/home/u/.local/share"}) {
    tree_.Write(std::string(path) + "/vulkan/icd.d/a.json", "{}");
  }
  tree_.Write("/etc/vulkan/icd.d/readme.txt", "");
  EXPECT_THAT(Found(), ElementsAre("/home/u/.config/vulkan/icd.d/a.json", "/etc/xdg/vulkan/icd.d/a.json",
                                   "/etc/vulkan/icd.d/a.json", "/home/u/.local/share/vulkan/icd.d/a.json",
                                   "/usr/local/share/vulkan/icd.d/a.json", "/usr/share/vulkan/icd.d/a.json"));
}

TEST_F(Manifest, FollowsTheXdgVariables) {
  environment_.Set("XDG_CONFIG_HOME", "/c");
  environment_.Set("XDG_CONFIG_DIRS", "/d:relative:/e");
  environment_.Set("XDG_DATA_HOME", "/f");
  environment_.Set("XDG_DATA_DIRS", "/g");
  for (const char* path : {"/c", "/d", "/e", "/f", "/g", "/usr/share"}) {
    tree_.Write(std::string(path) + "/vulkan/icd.d/a.json", "{}");
  }
  EXPECT_THAT(Found(),
              ElementsAre("/c/vulkan/icd.d/a.json", "/d/vulkan/icd.d/a.json", "/e/vulkan/icd.d/a.json",
                          "/f/vulkan/icd.d/a.json", "/g/vulkan/icd.d/a.json"));
}

TEST_F(Manifest, ListOfTheUserReplacesTheSearch) {
  tree_.Write("/usr/share/vulkan/icd.d/a.json", "{}")
      .Write("/mine/b.json", "{}")
      .Write("/other/c.json", "{}");
  environment_.Set("VK_ICD_FILENAMES", "/other/c.json");
  EXPECT_THAT(Found(), ElementsAre("/other/c.json"));
  environment_.Set("VK_DRIVER_FILES", "/mine:./relative.json:");
  EXPECT_THAT(Found(), ElementsAre("/mine/b.json"));
  EXPECT_EQ(OverridingVariable(environment_), "VK_DRIVER_FILES");
}

TEST_F(Manifest, AdditionalListComesFirstAndEachFileOnce) {
  tree_.Write("/usr/share/vulkan/icd.d/a.json", "{}").Write("/mine/b.json", "{}");
  environment_.Set("VK_ADD_DRIVER_FILES", "/mine/b.json:/usr/share/vulkan/icd.d/a.json:/mine/b.json");
  EXPECT_THAT(Found(), ElementsAre("/mine/b.json", "/usr/share/vulkan/icd.d/a.json"));
}

TEST_F(Manifest, NamesItsLibraryAbsolutelyRelativelyOrForTheDynamicLoader) {
  tree_.Write("/a/lib.so", kElf64).Write("/sub/lib.so", kElf64).Write("/usr/lib/libfound.so", kElf64);
  EXPECT_EQ(Read(Icd("/a/lib.so")).library, "/a/lib.so");
  EXPECT_EQ(Read(Icd("./sub/lib.so")).library, "/./sub/lib.so");
  EXPECT_EQ(Read(Icd("libfound.so")).library, "/usr/lib/libfound.so");
}

TEST_F(Manifest, WithoutItsLibraryIsAbsent) {
  const auto driver = Read(Icd("libnowhere.so"));
  EXPECT_EQ(driver.outcome, Outcome::kAbsent);
  EXPECT_THAT(driver.error->text, HasSubstr("libnowhere.so is not installed"));
}

TEST_F(Manifest, OfTheOtherWordSizeIsAbsent) {
  tree_.Write("/a/lib.so", sizeof(void*) == 8 ? kElf32 : kElf64);
  EXPECT_EQ(Read(Icd("/a/lib.so")).outcome, Outcome::kAbsent);
}

TEST_F(Manifest, MarksIncompleteImplementations) {
  tree_.Write("/a/lib.so", kElf64);
  EXPECT_FALSE(Read(Icd("/a/lib.so")).portability);
  EXPECT_TRUE(Read(R"({"ICD": {"library_path": "/a/lib.so", "is_portability_driver": true}})").portability);
}

TEST_F(Manifest, HostileContentIsRefusedWithAReason) {
  const std::string deep(100000, '[');
  const std::string contents[] = {"",
                                  "{",
                                  "null",
                                  "[]",
                                  "{}",
                                  R"({"ICD": 7})",
                                  R"({"ICD": {}})",
                                  R"({"ICD": {"library_path": ["/a"]}})",
                                  deep,
                                  deep.substr(0, 1000),
                                  std::string(200000, ' ') + "{}",
                                  std::string("{\"ICD\": {\"library_path\": \"\xff\xfe\"}}"),
                                  std::string(1000, '\0')};
  for (const std::string& content : contents) {
    const auto driver = Read(content);
    EXPECT_EQ(driver.outcome, Outcome::kFailed) << content.substr(0, 60);
    ASSERT_TRUE(driver.error) << content.substr(0, 60);
    EXPECT_FALSE(driver.error->text.empty());
  }
}

TEST_F(Manifest, LibraryPathWithControlCharactersLeadsNowhereAndPrintsCleanly) {
  for (const char* path : {"", "\\u0000", "/a\\u0000b", "a\\u001b[31mb", "/"}) {
    const auto driver = Read(Icd(path));
    EXPECT_EQ(driver.outcome, Outcome::kAbsent) << path;
    EXPECT_EQ(driver.error->text.find('\x1b'), std::string::npos);
  }
}

TEST_F(Manifest, IsHiddenByTheLoadersFilters) {
  tree_.Write("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json", "{}");
  environment_.Set("VK_LOADER_DRIVERS_DISABLE", "nothing,*LVP*");
  EXPECT_EQ(FindDrivers(tree_.Files(), environment_).at(0).outcome, Outcome::kHidden);
  environment_.Unset("VK_LOADER_DRIVERS_DISABLE");
  environment_.Set("VK_LOADER_DRIVERS_SELECT", "radeon*");
  EXPECT_EQ(FindDrivers(tree_.Files(), environment_).at(0).outcome, Outcome::kHidden);
}

// Of hardware whose nodes are not there, unless a variable may bring in a device without one.
TEST_F(Manifest, OfADriverThatFindsDevicesByNodesNeedsOne) {
  tree_.Write("/a/libvulkan_radeon.so", kElf64).Write("/a/libvulkan_lvp.so", kElf64);
  EXPECT_EQ(Read(Icd("/a/libvulkan_lvp.so")).outcome, Outcome::kOk);
  EXPECT_EQ(Read(Icd("/a/libvulkan_radeon.so")).outcome, Outcome::kNoDevice);
  EXPECT_EQ(Read(Icd("/a/libvulkan_radeon.so")).error->call, "open /dev/dri");
  for (const char* stand_in : {"RADV_FORCE_FAMILY", "LD_PRELOAD"}) {
    environment_.Set(stand_in, "anything");
    EXPECT_EQ(Read(Icd("/a/libvulkan_radeon.so")).outcome, Outcome::kOk) << stand_in;
    environment_.Unset(stand_in);
  }
  tree_.Write("/dev/dri/renderD128", "");
  EXPECT_EQ(Read(Icd("/a/libvulkan_radeon.so")).outcome, Outcome::kOk);
}

TEST_F(Manifest, OfAnotherUserIsRefusedToRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give a file away";
  tree_.Write("/a/lib.so", kElf64).Write("/icd.json", Icd("/a/lib.so"));
  EXPECT_EQ(ReadDriver("/icd.json", tree_.Files(), environment_).outcome, Outcome::kOk);
  ASSERT_EQ(chown(tree_.Path("/a/lib.so").c_str(), 12345, 12345), 0);
  EXPECT_THAT(ReadDriver("/icd.json", tree_.Files(), environment_).error->text,
              HasSubstr("/a/lib.so belongs to user"));
  ASSERT_EQ(chown(tree_.Path("/icd.json").c_str(), 12345, 12345), 0);
  const auto refused = ReadDriver("/icd.json", tree_.Files(), environment_);
  EXPECT_EQ(refused.outcome, Outcome::kFailed);
  EXPECT_THAT(refused.error->text, HasSubstr("/icd.json belongs to user 12345"));
}

TEST_F(Manifest, ThatDoesNotExistIsAbsent) {
  const auto driver = ReadDriver("/nowhere/icd.json", tree_.Files(), environment_);
  EXPECT_EQ(driver.outcome, Outcome::kAbsent) << "there is nothing to reinstall";
  EXPECT_EQ(driver.error.value_or(Error{}).name, "missing");
}

TEST(Filter, MatchesAtEitherEndWithoutCase) {
  EXPECT_TRUE(MatchesFilter("lvp_icd.json", "lvp_icd.json"));
  EXPECT_TRUE(MatchesFilter("lvp_icd.json", "a,LVP*"));
  EXPECT_TRUE(MatchesFilter("lvp_icd.json", "*.json"));
  EXPECT_TRUE(MatchesFilter("lvp_icd.json", "*icd*"));
  EXPECT_TRUE(MatchesFilter("lvp_icd.json", "*"));
  EXPECT_FALSE(MatchesFilter("lvp_icd.json", "lvp"));
  EXPECT_FALSE(MatchesFilter("lvp_icd.json", ",,"));
  EXPECT_FALSE(MatchesFilter("lvp_icd.json", ""));
}

TEST(NoFolder, IsNoManifest) {
  const tests::Tree tree;
  EXPECT_THAT(FindDrivers(tree.Files(), system::Environment()), IsEmpty());
}

}  // namespace
}  // namespace probe::vulkan
