// SPDX-License-Identifier: MIT
#include "probe/system/library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "tests/probe/system/temporary_tree.h"

namespace probe::system {
namespace {

using ::testing::HasSubstr;

// WHICHGPU_TEST_LIBRARY is a library of this suite with one function, `WhichgpuTestAnswer`.
class LibraryTest : public ::testing::Test {
 protected:
  Result<Library> Open(std::vector<std::string_view> sonames, std::vector<std::string> directories = {}) {
    return Library::Open(sonames, directories, *files_, environment_);
  }
  std::string Install(std::string_view path) {
    const auto name = tree_.Write(path, "");
    std::filesystem::copy_file(WHICHGPU_TEST_LIBRARY, name,
                               std::filesystem::copy_options::overwrite_existing);
    chmod(name.c_str(), 0644);
    return name;
  }
  TemporaryTree tree_;
  Environment environment_;
  Result<FileSystem> files_ = FileSystem::Open("/");
};

TEST_F(LibraryTest, LoadsFromTheLoadersPath) {
  const auto library = Open({"libnothing-of-that-name.so.9", "libm.so.6"});
  ASSERT_TRUE(library) << Describe(library.error());
  EXPECT_EQ(library->info().soname, "libm.so.6");
  EXPECT_TRUE(library->info().path->starts_with("/"));
  EXPECT_NE(library->Symbol("cos"), nullptr);
  EXPECT_EQ(library->Symbol("no_such_function"), nullptr);
}

TEST_F(LibraryTest, SaysAbsentWhenThereIsNoFile) {
  const auto library = Open({"libnothing-of-that-name.so.9"}, {tree_.root()});
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().name, "absent");
  EXPECT_EQ(Open({}).error().name, "absent");
}

TEST_F(LibraryTest, FindsVendorDirectoriesAndCallsFunctions) {
  const auto real = Install("/lib/libwhichgpu_answer.so.1.2.3");
  tree_.Link("/lib/libwhichgpu_answer.so.1", "libwhichgpu_answer.so.1.2.3");
  const auto library = Open({"libwhichgpu_answer.so.1"}, {tree_.At("/lib")});
  ASSERT_TRUE(library) << Describe(library.error());
  EXPECT_EQ(library->info().path, real);
  EXPECT_EQ(library->info().version, "1.2.3");
  EXPECT_EQ(library->Function<int (*)()>("WhichgpuTestAnswer")(), 42);
}

TEST_F(LibraryTest, PrefersWhatTheUserNames) {
  const auto mine = Install("/mine/libwhichgpu_choice.so");
  Install("/vendor/libwhichgpu_choice.so");
  environment_.Set("WHICHGPU_LIBRARY_PATH", "relative::" + tree_.At("/mine"));
  const auto library = Open({"libwhichgpu_choice.so"}, {tree_.At("/vendor")});
  ASSERT_TRUE(library) << Describe(library.error());
  EXPECT_EQ(library->info().path, mine);
  // By whichever name.
  Install("/vendor/libwhichgpu_choice.so.2");
  const auto newer = Open({"libwhichgpu_choice.so.2", "libwhichgpu_choice.so"}, {tree_.At("/vendor")});
  ASSERT_TRUE(newer) << Describe(newer.error());
  EXPECT_EQ(newer->info().path, mine);
  EXPECT_EQ(newer->info().soname, "libwhichgpu_choice.so");
}

TEST_F(LibraryTest, NeverLooksInTheCurrentDirectory) {
  Install("/libwhichgpu_here.so");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(tree_.root());
  environment_.Set("WHICHGPU_LIBRARY_PATH", ".:");
  environment_.Set("LD_LIBRARY_PATH", ":.");
  const auto bare = Open({"libwhichgpu_here.so"}, {".", ""});
  const auto relative = Open({"./libwhichgpu_here.so"});
  std::filesystem::current_path(before);
  EXPECT_EQ(bare.error().name, "absent");
  EXPECT_EQ(relative.error().name, "absent");
}

TEST_F(LibraryTest, GoesOnToTheNextFileWhenOneIsNotALibrary) {
  tree_.Write("/bad/libwhichgpu_next.so", "this is text");
  const auto good = Install("/good/libwhichgpu_next.so");
  const auto library = Open({"libwhichgpu_next.so"}, {tree_.At("/bad"), tree_.At("/good")});
  ASSERT_TRUE(library) << Describe(library.error());
  EXPECT_EQ(library->info().path, good);
}

TEST_F(LibraryTest, NeverWaitsForAPipe) {
  tree_.Directory("/bad");
  ASSERT_EQ(mkfifo(tree_.At("/bad/libwhichgpu_pipe.so").c_str(), 0600), 0);
  alarm(20);  // what waits for a writer ends here
  const auto alone = Open({"libwhichgpu_pipe.so"}, {tree_.At("/bad")});
  const auto good = Install("/good/libwhichgpu_pipe.so");
  const auto library = Open({"libwhichgpu_pipe.so"}, {tree_.At("/bad"), tree_.At("/good")});
  alarm(0);
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().name, "unloadable");
  EXPECT_THAT(alone.error().text, HasSubstr("/bad/libwhichgpu_pipe.so: is no regular file"));
  ASSERT_TRUE(library) << Describe(library.error());
  EXPECT_EQ(library->info().path, good);
}

TEST_F(LibraryTest, RepeatsTheLoadersSentence) {
  tree_.Write("/libwhichgpu_text.so", "this is text");
  const auto library = Open({"libwhichgpu_text.so"}, {tree_.root()});
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().name, "unloadable");
  EXPECT_THAT(library.error().text, HasSubstr("libwhichgpu_text.so"));
}

TEST_F(LibraryTest, KeepsAnUntrustedFileFromTheLoader) {
  if (geteuid() != 0) GTEST_SKIP() << "the rule is root's";
  const auto file = Install("/libwhichgpu_loose.so");
  chmod(file.c_str(), 0666);
  const auto library = Open({"libwhichgpu_loose.so"}, {tree_.root()});
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().name, "refused");
  EXPECT_EQ(library.error().text, file + " can be written by others than root") << "named once";
}

TEST_F(LibraryTest, LoadsNothingUnderASysroot) {
  Install("/lib/libwhichgpu_answer.so");
  files_ = FileSystem::Open(tree_.root());
  const auto library = Open({"libwhichgpu_answer.so"}, {"/lib"});
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().name, "refused");
}

}  // namespace
}  // namespace probe::system
