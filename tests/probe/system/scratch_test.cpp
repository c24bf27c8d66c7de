// SPDX-License-Identifier: MIT
#include "probe/system/scratch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <vector>

#include "tests/probe/system/temporary_tree.h"
#include "tests/probe/system/unprivileged.h"

namespace probe::system {
namespace {

namespace fs = std::filesystem;

// Two hours old.
void Age(const fs::path& path) {
  const timespec then{time(nullptr) - 7200, 0};
  const timespec times[] = {then, then};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
}

class ScratchTest : public ::testing::Test {
 protected:
  ScratchTest() { environment_.Set("TMPDIR", tree_.root()); }
  fs::path Make(const std::string& name) {
    const fs::path path = fs::path(tree_.root()) / name;
    fs::create_directory(path);
    fs::permissions(path, fs::perms::owner_all);
    std::ofstream(path / "cache.bin") << "what a driver has left";
    return path;
  }
  TemporaryTree tree_;
  Environment environment_;
};

TEST_F(ScratchTest, GoesWithItsContent) {
  std::string path;
  {
    const auto scratch = ScratchDirectory::Create(environment_, Medium::kDisk);
    ASSERT_TRUE(scratch.ok());
    path = scratch->path();
    EXPECT_EQ(fs::path(path).parent_path(), tree_.root());
    std::ofstream(fs::path(path) / "file") << "x";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(ScratchTest, OfAKilledProcessIsRemovedLater) {
  const auto abandoned = Make("whichgpu-scratch-abc123");
  Age(abandoned);
  ScratchDirectory::RemoveAbandoned(environment_);
  EXPECT_FALSE(fs::exists(abandoned));
}

TEST_F(ScratchTest, InUseOrFreshOrNotOursStays) {
  const auto used = ScratchDirectory::Create(environment_, Medium::kDisk);
  ASSERT_TRUE(used.ok());
  Age(used->path());
  const auto fresh = Make("whichgpu-scratch-fresh0");
  const auto longer = Make("whichgpu-scratch-of-mine"), other = Make("whichgpu-abc123"),
             target = Make("target");
  const auto shared = Make("whichgpu-scratch-shared");
  fs::permissions(shared, fs::perms::owner_all | fs::perms::group_read);
  const fs::path link = fs::path(tree_.root()) / "whichgpu-scratch-link00";
  fs::create_symlink(target, link);
  for (const auto& path : {longer, other, shared, target, link}) Age(path);
  ScratchDirectory::RemoveAbandoned(environment_);
  EXPECT_TRUE(fs::exists(used->path()));
  for (const auto& path : {fresh, longer, other, shared, target, link})
    EXPECT_TRUE(fs::exists(path / "cache.bin")) << path;
}

TEST_F(ScratchTest, LiesInMemoryOnlyWhereThatIsAskedForAndNothingElseChosen) {
  const auto parent = [&](Medium medium) {
    const auto scratch = ScratchDirectory::Create(environment_, medium);
    return scratch.ok() ? fs::path(scratch->path()).parent_path().string() : "";
  };
  EXPECT_EQ(parent(Medium::kMemory), tree_.root());
  environment_.Unset("TMPDIR");
  EXPECT_EQ(parent(Medium::kDisk), "/tmp");
  EXPECT_EQ(parent(Medium::kMemory), access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  environment_.Set("TMPDIR", tree_.root() + "/none");
  const auto names = ScratchDirectory::Names(environment_, Medium::kDisk);
  ASSERT_EQ(names.size(), 3U);
  EXPECT_TRUE(names[1].starts_with("/tmp/")) << names[1];
  EXPECT_TRUE(names[2].starts_with("/dev/shm/")) << names[2] << ": where all else is read-only";
}

TEST_F(ScratchTest, ItsBoundHoldsBelowPathsThatNoCallTakes) {
  constexpr std::uint64_t kBound = 1U << 20U;
  std::string path;
  {
    const auto scratch = ScratchDirectory::Create(environment_, Medium::kDisk);
    ASSERT_TRUE(scratch.ok());
    path = scratch->path();
    MakeChain(path, 20, std::string(250, 'd'), 2 * kBound);
    EXPECT_TRUE(scratch->Exceeds(kBound));
    EXPECT_FALSE(scratch->Exceeds(16 * kBound));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(ScratchTest, WhatCanNotBeLookedAtIsTooMuch) {
  constexpr std::uint64_t kBound = 1U << 20U;
  const Unprivileged user;
  const TemporaryTree parent;
  environment_.Set("TMPDIR", parent.root());
  const auto make = [&] { return ScratchDirectory::Create(environment_, Medium::kDisk); };
  std::vector<std::string> paths;
  {
    const auto deep = make(), closed = make(), shut = make();
    for (const auto* scratch : {&deep, &closed, &shut}) {
      ASSERT_TRUE(scratch->ok());
      EXPECT_FALSE((*scratch)->Exceeds(kBound));
      paths.push_back((*scratch)->path());
    }
    MakeChain(deep->path(), 70, "d");
    fs::create_directories(fs::path(closed->path()) / "a" / "b");
    fs::permissions(fs::path(closed->path()) / "a", fs::perms::none);
    std::ofstream(fs::path(shut->path()) / "file") << "x";
    fs::permissions(shut->path(), fs::perms::none);
    for (const auto* scratch : {&deep, &closed, &shut}) EXPECT_TRUE((*scratch)->Exceeds(kBound));
  }
  for (const auto& path : paths) EXPECT_FALSE(fs::exists(path)) << path;
}

TEST_F(ScratchTest, AFileInItsPlaceGoesToo) {
  std::string path;
  {
    const auto scratch = ScratchDirectory::Create(environment_, Medium::kDisk);
    ASSERT_TRUE(scratch.ok());
    path = scratch->path();
    fs::remove(path);
    std::ofstream(path) << "x";
  }
  EXPECT_FALSE(fs::exists(path));
  std::ofstream(path) << "x";
  ScratchDirectory::Remove(path);
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(ScratchTest, ThatWasMadeWithoutADescriptorLeftIsLookedAtLater) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  std::string path;
  {
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    const auto scratch = ScratchDirectory::Create(environment_, Medium::kDisk);
    const bool exceeds_without = scratch.ok() && scratch->Exceeds(1U << 20U);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    ASSERT_TRUE(scratch.ok());
    EXPECT_LT(scratch->descriptor(), 0);
    EXPECT_FALSE(exceeds_without) << "nothing is known of it";
    path = scratch->path();
    std::ofstream(fs::path(path) / "file") << std::string(100000, 'x');
    EXPECT_FALSE(scratch->Exceeds(1U << 20U));
    EXPECT_TRUE(scratch->Exceeds(1000));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(ScratchTest, ThatIsGoneExceedsNothing) {
  auto emptied = ScratchDirectory::Create(environment_, Medium::kDisk);
  const auto removed = ScratchDirectory::Create(environment_, Medium::kDisk);
  ASSERT_TRUE(emptied.ok() && removed.ok());
  emptied->RemoveIfEmpty();
  fs::remove(removed->path());
  EXPECT_FALSE(emptied->Exceeds(1));
  EXPECT_FALSE(removed->Exceeds(1));
}

TEST_F(ScratchTest, OfAKilledProcessGoesHoweverDeep) {
  const auto abandoned = Make("whichgpu-scratch-abc123");
  MakeChain(abandoned, 80, std::string(200, 'd'));
  Age(abandoned);
  ScratchDirectory::RemoveAbandoned(environment_);
  EXPECT_FALSE(fs::exists(abandoned));
}

TEST_F(ScratchTest, IsRemovedByItsNameAndNothingElseIs) {
  const auto own = Make("whichgpu-scratch-abc123"), other = Make("whichgpu-abc123");
  for (const auto& path : {own, other}) ScratchDirectory::Remove(path);
  ScratchDirectory::Remove("/");
  ScratchDirectory::Remove("");
  EXPECT_FALSE(fs::exists(own));
  EXPECT_TRUE(fs::exists(other));
  const auto names = ScratchDirectory::Names(environment_, Medium::kDisk);
  ASSERT_FALSE(names.empty());
  EXPECT_NE(names, ScratchDirectory::Names(environment_, Medium::kDisk));
  fs::create_directory(names.front());
  ScratchDirectory::Remove(names.front());
  EXPECT_FALSE(fs::exists(names.front()));
}

TEST_F(ScratchTest, OneThatADriverClosedToItsUserIsRemovedToo) {
  const Unprivileged user;
  const TemporaryTree parent;
  environment_.Set("TMPDIR", parent.root());
  const auto make = [&](const char* name) {
    const auto path = fs::path(parent.root()) / name;
    fs::create_directory(path);
    std::ofstream(path / "cache.bin") << "x";
    fs::permissions(path, fs::perms::none);
    Age(path);
    return path;
  };
  const auto own = make("whichgpu-scratch-abc123");
  ScratchDirectory::Remove(own);
  EXPECT_FALSE(fs::exists(own));
  const auto abandoned = make("whichgpu-scratch-def456");
  ScratchDirectory::RemoveAbandoned(environment_);
  EXPECT_FALSE(fs::exists(abandoned));
}

TEST_F(ScratchTest, WithoutADirectoryToLookInIsNoError) {
  environment_.Set("TMPDIR", tree_.root() + "/none");
  ScratchDirectory::RemoveAbandoned(environment_);
  environment_.Set("TMPDIR", "relative");
  ScratchDirectory::RemoveAbandoned(environment_);
}

}  // namespace
}  // namespace probe::system
