// SPDX-License-Identifier: MIT
#include "probe/system/loader_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

namespace probe::system {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

template <class T>
void Put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

struct Entry {
  std::string soname;
  std::string path;
  std::uint64_t hwcap = 0;
};

// The layout of dl-cache.h: header of 48 bytes, entries of 24, then the strings.
std::string Cache(const std::vector<Entry>& entries) {
  std::string strings;
  std::string table;
  const std::size_t base = 48 + entries.size() * 24;
  for (const auto& entry : entries) {
    Put(table, std::int32_t{0x303});
    Put(table, static_cast<std::uint32_t>(base + strings.size()));
    strings += entry.soname + '\0';
    Put(table, static_cast<std::uint32_t>(base + strings.size()));
    strings += entry.path + '\0';
    Put(table, std::uint32_t{0});
    Put(table, entry.hwcap);
  }
  std::string out = "glibc-ld.so.cache1.1";
  Put(out, static_cast<std::uint32_t>(entries.size()));
  Put(out, static_cast<std::uint32_t>(strings.size()));
  out.append(20, '\0');
  return out + table + strings;
}

TEST(LoaderPath, LeavesOutEntriesThatDependOnTheCurrentDirectory) {
  EXPECT_THAT(AbsoluteEntries("/a::lib:./b:/c:"), ElementsAre("/a", "/c"));
  EXPECT_THAT(AbsoluteEntries(""), IsEmpty());
  EXPECT_THAT(AbsoluteEntries(":"), IsEmpty());
  EXPECT_THAT(AbsoluteEntries("/a;/b"), ElementsAre("/a;/b"));
}

TEST(LoaderPath, TakesSemicolonsForColonsAsTheLoaderDoes) {
  EXPECT_THAT(LoaderEntries("/a;/b:lib;/c;;"), ElementsAre("/a", "/b", "/c"));
  EXPECT_THAT(LoaderEntries(";"), IsEmpty());
}

TEST(LoaderPath, FindsEveryPathOfASonameInTheCache) {
  const auto cache = Cache({{"liba.so.1", "/x/liba.so.1"},
                            {"libb.so.1", "/x/libb.so.1"},
                            {"liba.so.1", "/v3/liba.so.1", 1ULL << 62U},
                            {"liba.so.1", "relative/liba.so.1"},
                            {"liba.so.1", "/y/liba.so.1"}});
  EXPECT_THAT(CachedPaths(cache, "liba.so.1"), ElementsAre("/x/liba.so.1", "/y/liba.so.1"));
  EXPECT_THAT(CachedPaths("ld.so-1.7.0 old part" + cache, "libb.so.1"), ElementsAre("/x/libb.so.1"));
  EXPECT_THAT(CachedPaths(cache, "liba.so"), IsEmpty());
}

TEST(LoaderPath, SurvivesACacheCutAnywhere) {
  const auto cache = Cache({{"liba.so.1", "/x/liba.so.1"}, {"libb.so.1", "/x/libb.so.1"}});
  for (std::size_t size = 0; size < cache.size(); ++size) {
    for (const auto& path : CachedPaths(std::string_view(cache).substr(0, size), "liba.so.1")) {
      EXPECT_EQ(path, "/x/liba.so.1");
    }
  }
}

TEST(LoaderPath, SurvivesACacheFullOfNonsense) {
  auto cache = Cache({{"liba.so.1", "/x/liba.so.1"}});
  for (std::size_t at = 20; at < cache.size(); ++at) {
    auto broken = cache;
    broken[at] = '\xff';
    EXPECT_LE(CachedPaths(broken, "liba.so.1").size(), 1U);
  }
}

TEST(LoaderPath, KnowsWhereTheCLibraryIs) {
  const auto files = FileSystem::Open("/");
  const auto candidates = LoaderCandidates("libc.so.6", *files, Environment());
  const auto exists = [&](const std::string& path) { return files->Exists(path); };
  EXPECT_TRUE(std::any_of(candidates.begin(), candidates.end(), exists));
}

TEST(LoaderPath, AsksTheUsersDirectoriesFirst) {
  const auto files = FileSystem::Open("/");
  Environment environment;
  environment.Set("LD_LIBRARY_PATH", ":relative:/first;/second");
  const auto candidates = LoaderCandidates("libx.so", *files, environment);
  ASSERT_GE(candidates.size(), 2U);
  EXPECT_EQ(candidates[0], "/first/libx.so");
  EXPECT_EQ(candidates[1], "/second/libx.so");
}

}  // namespace
}  // namespace probe::system
