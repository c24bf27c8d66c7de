// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probe/registry.h"
#include "report/run/live.h"
#include "tests/probe/system/temporary_tree.h"
#include "tests/probe/system/unprivileged.h"

namespace report {
namespace {

using probe::system::Environment;
using probe::system::FileSystem;
using probe::system::TemporaryTree;
using probe::system::Unprivileged;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ChildEnvironmentTest : public ::testing::Test {
 protected:
  // The variable as children get it where it differs, else "unchanged".
  std::string Of(const std::string& name, const std::optional<std::string>& value) {
    warnings_.clear();
    Environment environment;
    if (value) environment.Set(name, *value);
    for (const auto& variable : ChildEnvironment(*files_, environment, warnings_).fixed) {
      if (variable.name == name) return variable.value;
    }
    return "unchanged";
  }
  std::string Foreign(const std::string& name) {
    const auto folder = tree_.Directory(name);
    EXPECT_EQ(chown(folder.c_str(), 12345, 12345), 0);
    return folder;
  }
  TemporaryTree tree_;
  probe::Result<FileSystem> files_ = FileSystem::Open("/");
  std::vector<std::string> warnings_;
};

TEST_F(ChildEnvironmentTest, NothingDependsOnTheCurrentDirectory) {
  const Unprivileged user;
  EXPECT_EQ(Of("LD_LIBRARY_PATH", "/a:/b"), "unchanged");
  EXPECT_EQ(Of("LD_LIBRARY_PATH", "/a;;/b:"), "/a:/b");
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_EQ(Of("LD_LIBRARY_PATH", "lib;/a:$ORIGIN/x"), "/a");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("LD_LIBRARY_PATH: lib is left out: it is not absolute"),
                                     HasSubstr("$ORIGIN/x is left out")));
  EXPECT_EQ(Of("PATH", "/usr/bin:/bin"), "unchanged");
  EXPECT_EQ(Of("PATH", ".:/usr/bin::bin:/bin:"), "/usr/bin:/bin");
  EXPECT_EQ(Of("PATH", ""), "/usr/sbin:/usr/bin:/sbin:/bin");
  EXPECT_EQ(Of("PATH", std::nullopt), "/usr/sbin:/usr/bin:/sbin:/bin");
  EXPECT_EQ(Of("LD_LIBRARY_PATH", std::nullopt), "unchanged");
  EXPECT_EQ(Of("PATH", ".:bin"), "/usr/sbin:/usr/bin:/sbin:/bin");
}

TEST_F(ChildEnvironmentTest, NothingThatTheLoaderOfMacosSearchesDoesEither) {
  const Unprivileged user;
  for (const char* variable :
       {"DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "DYLD_FALLBACK_LIBRARY_PATH",
        "DYLD_FALLBACK_FRAMEWORK_PATH", "DYLD_VERSIONED_LIBRARY_PATH", "DYLD_VERSIONED_FRAMEWORK_PATH"}) {
    EXPECT_EQ(Of(variable, "/a:/b"), "unchanged");
    EXPECT_EQ(Of(variable, "/a::@executable_path/x:/b;c:."), "/a:/b;c") << variable;
    EXPECT_THAT(warnings_,
                ElementsAre(HasSubstr("@executable_path/x is left out"), HasSubstr(". is left out")));
    EXPECT_EQ(Of(variable, std::nullopt), "unchanged");
  }
}

TEST_F(ChildEnvironmentTest, OfRootLeavesOutAFolderWithALibraryOfAnothers) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give files away";
  for (const char* name : {"libx.so.1", "libx.dylib"}) {
    const auto folder = std::string("/of_") + name;
    const auto path = tree_.Directory(folder);
    const auto library = tree_.Write(folder + "/" + name, "");
    EXPECT_EQ(Of("DYLD_LIBRARY_PATH", path), "unchanged") << name;
    ASSERT_EQ(chown(library.c_str(), 12345, 12345), 0);
    EXPECT_EQ(Of("DYLD_LIBRARY_PATH", path), "") << name;
  }
}

TEST_F(ChildEnvironmentTest, OfRootLeavesOutFrameworks) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to own folders";
  tree_.Write("/frameworks/X.framework/Versions/A/X", "");
  const auto folder = tree_.At("/frameworks");
  for (const char* variable :
       {"DYLD_FRAMEWORK_PATH", "DYLD_FALLBACK_FRAMEWORK_PATH", "DYLD_VERSIONED_FRAMEWORK_PATH"}) {
    EXPECT_EQ(Of(variable, folder), "") << variable;
    EXPECT_THAT(warnings_, ElementsAre(AllOf(HasSubstr(variable), HasSubstr("root loads no frameworks"))));
    EXPECT_EQ(Of(variable, tree_.At("/missing")), "");
    EXPECT_THAT(warnings_, IsEmpty());
  }
}

TEST_F(ChildEnvironmentTest, FoldersOfLibrariesThatDoNotCountAreNamed) {
  const auto file = tree_.Write("/file", "");
  const auto missing = tree_.At("/missing");
  Of("WHICHGPU_LIBRARY_PATH", ".::" + tree_.Directory("/libraries") + ":" + missing + ":" + file);
  EXPECT_THAT(warnings_,
              ElementsAre("WHICHGPU_LIBRARY_PATH: . is left out: it is not absolute",
                          "WHICHGPU_LIBRARY_PATH: " + missing + " is left out: there is no such folder",
                          "WHICHGPU_LIBRARY_PATH: " + file + " is left out: there is no such folder"));
}

TEST_F(ChildEnvironmentTest, OfRootKeepsOnlyFoldersThatRootOwns) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to own and give away folders";
  const auto foreign = Foreign("/foreign");
  const auto own = tree_.Directory("/own");
  const auto both = foreign + ":" + own;
  const auto with_missing = own + ":" + tree_.At("/missing");
  for (const char* variable : {"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"}) {
    EXPECT_EQ(Of(variable, own), "unchanged");
    EXPECT_EQ(Of(variable, both), own);
    EXPECT_THAT(warnings_,
                ElementsAre(AllOf(HasSubstr(variable), HasSubstr(foreign), HasSubstr("belongs to user"))));
    EXPECT_EQ(Of(variable, with_missing), own);
    EXPECT_THAT(warnings_, IsEmpty());
  }
  EXPECT_EQ(Of("PATH", foreign), "/usr/sbin:/usr/bin:/sbin:/bin");
  EXPECT_EQ(Of("LD_LIBRARY_PATH", own + ";" + foreign), own);
  EXPECT_EQ(Of("LD_LIBRARY_PATH", foreign), "");
  EXPECT_EQ(Of("LD_LIBRARY_PATH", own + ":" + tree_.root() + "/$LIB"), own);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("the loader would expand it")));
}

TEST_F(ChildEnvironmentTest, CachesOfDriversAreNeverTheUsersOwn) {
  Environment environment;
  environment.Set("XDG_CACHE_HOME", tree_.root());
  tree_.Directory("/whichgpu", 0777);  // one that others may write is not used
  const auto variables = ChildEnvironment(*files_, environment, warnings_);
  for (const probe::Module& module : probe::Modules()) {
    for (const probe::DriverCache& cache : module.caches) {
      if (!cache.is_folder) continue;
      EXPECT_THAT(variables.scratch, Contains(std::string(cache.variable)));
    }
  }
}

}  // namespace
}  // namespace report
