// SPDX-License-Identifier: MIT
#include "report/store/cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <tuple>

#include "report/run/detect.h"
#include "tests/probe/tree.h"

namespace report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(CacheKey, FindsTheLibrariesOfManifests) {
  EXPECT_THAT(
      LibrariesNamedIn(R"({"ICD": {"library_path": "/usr/lib/libvulkan_lvp.so", "api_version": "1.3"}})"),
      ElementsAre("/usr/lib/libvulkan_lvp.so"));
  EXPECT_THAT(LibrariesNamedIn("libpocl.so.2.10.0\n"), ElementsAre("libpocl.so.2.10.0"));
  EXPECT_THAT(LibrariesNamedIn("library=../lib/x.so,y"), ElementsAre("library=../lib/x.so"));
  EXPECT_THAT(LibrariesNamedIn(""), IsEmpty());
}

// A machine with a card, its driver and a Vulkan manifest.
class CacheKeys : public ::testing::Test {
 protected:
  CacheKeys() {
    tree_.Write("/proc/sys/kernel/random/boot_id", "one\n");
    tree_.Write("/sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n");
    tree_.Write("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x1002\n");
    tree_.Write("/sys/bus/pci/devices/0000:01:00.0/device", "0x744c\n");
    tree_.Write("/sys/bus/pci/devices/0000:02:00.0/class", "0x020000\n");
    tree_.Write("/sys/module/amdgpu/version", "6.1\n");
    tree_.Link("/sys/bus/pci/devices/0000:01:00.0/driver", "../../../bus/pci/drivers/amdgpu");
    tree_.Write("/usr/lib/libtest_driver.so", "driver");
    tree_.Write("/usr/share/vulkan/icd.d/test.json",
                R"({"file_format_version": "1.0.0", "ICD": {"library_path": "/usr/lib/libtest_driver.so"}})");
  }

  [[nodiscard]] std::string Key(const RunRequest& request = {}, const std::string& version = "1") const {
    const auto files = probe::system::FileSystem::Open(tree_.Path(""));
    EXPECT_TRUE(files.ok());
    return CacheKey(request, Selected(request), version, *files, environment_).value();
  }

  // Whether the key differs after a change of the machine.
  [[nodiscard]] bool Changes(const std::function<void()>& change) const {
    const auto before = Key();
    change();
    return Key() != before;
  }

  tests::Tree tree_;
  probe::system::Environment environment_;
};

TEST_F(CacheKeys, AreTheSameForTheSameMachine) {
  EXPECT_EQ(Key(), Key());
  EXPECT_THAT(Key(), HasSubstr("pci 0000:01:00.0=0x1002 0x744c amdgpu"));
  EXPECT_THAT(Key(), ::testing::Not(HasSubstr("0000:02:00.0"))) << "a network card computes nothing";
}

TEST_F(CacheKeys, AreNotMadeWhereNoFileTellsOfTheMachine) {
  const auto is_made = [&](const char* folder) {
    const auto files = probe::system::FileSystem::Open(tree_.Path(folder));
    return CacheKey({}, Selected({}), "1", *files, environment_).has_value();
  };
  tree_.Write("/mac/usr/lib/dyld", "loader");
  EXPECT_FALSE(is_made("/mac"));
  tree_.Write("/masked/proc/version", "Linux");
  EXPECT_TRUE(is_made("/masked")) << "one of them may be masked";
}

TEST_F(CacheKeys, ChangeWithBootDriverCardsVersionAndOptions) {
  EXPECT_TRUE(Changes([&] { tree_.Write("/proc/sys/kernel/random/boot_id", "two\n"); }));
  EXPECT_TRUE(Changes([&] { tree_.Write("/sys/module/amdgpu/version", "6.2\n"); }));
  EXPECT_TRUE(Changes([&] { tree_.Write("/sys/bus/pci/devices/0000:03:00.0/class", "0x120000\n"); }));
  EXPECT_TRUE(Changes([&] { tree_.Write("/etc/ld.so.cache", "new"); }));
  EXPECT_TRUE(Changes([&] { tree_.Directory("/sys/class/drm"); })) << "/sys was masked";
  EXPECT_TRUE(Changes([&] { tree_.Write("/proc/version", "Linux"); })) << "/proc was not mounted";
  RunRequest only;
  only.only = {"cpu"};
  EXPECT_NE(Key(only), Key());
  EXPECT_NE(Key({}, "2"), Key());
}

// Those too that their makers file as no accelerator.
TEST_F(CacheKeys, ChangeWithAcceleratorsWhereverTheProbeSeesThem) {
  const auto add = [&](const std::string& place, const char* code, const char* vendor, const char* device) {
    const auto folder = "/sys/bus/pci/devices/" + place;
    tree_.Write(folder + "/vendor", std::string(vendor) + "\n");
    tree_.Write(folder + "/device", std::string(device) + "\n");
    tree_.Write(folder + "/class", std::string(code) + "\n");
  };
  EXPECT_TRUE(Changes([&] { add("0000:03:00.0", "0x088000", "0x1d0f", "0x7364"); }));
  EXPECT_TRUE(Changes([&] { add("0000:04:00.0", "0x118000", "0x1022", "0x17f0"); }));
  EXPECT_TRUE(Changes([&] { add("0000:05:00.0", "0xff0000", "0x1ae0", "0x0063"); }));
  EXPECT_TRUE(Changes([&] { add("0000:06:00.0", "0x0000ff", "0x1ac1", "0x089a"); }));
  EXPECT_TRUE(Changes([&] { add("0000:07:00.0", "0x010802", "0x1d82", "0x0401"); }));
  EXPECT_TRUE(Changes(
      [&] { tree_.Link("/sys/bus/pci/devices/0000:03:00.0/driver", "../../../bus/pci/drivers/neuron"); }));
  EXPECT_FALSE(Changes([&] { add("0000:08:00.0", "0x010802", "0x144d", "0xa808"); })) << "a disk";
  EXPECT_TRUE(Changes([&] {
    tree_.Write("/sys/bus/usb/devices/1-2/idVendor", "1a6e\n");
    tree_.Write("/sys/bus/usb/devices/1-2/idProduct", "089a\n");
  }));
  EXPECT_TRUE(Changes([&] { tree_.Directory("/sys/class/misc/fastrpc-cdsp"); }));
}

TEST_F(CacheKeys, ChangeWithTheVariablesThatHideDevices) {
  const auto before = Key();
  environment_.Set("LD_LIBRARY_PATH", "/opt/lib");
  EXPECT_NE(Key(), before);
  for (const char* variable : {"DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "DYLD_FALLBACK_LIBRARY_PATH",
                               "DYLD_FALLBACK_FRAMEWORK_PATH", "DYLD_VERSIONED_LIBRARY_PATH",
                               "DYLD_VERSIONED_FRAMEWORK_PATH", "DYLD_INSERT_LIBRARIES"}) {
    const auto unset = Key();
    environment_.Set(variable, "/opt/lib");
    EXPECT_NE(Key(), unset) << variable;
  }
  const auto after = Key();
  environment_.Set("EDITOR", "ed");
  EXPECT_EQ(Key(), after);
  RunRequest opencl;
  opencl.only = {"opencl"};
  const auto without = Key(opencl);
  environment_.Set("HWLOC_XMLFILE", "other.xml");
  EXPECT_NE(Key(), after);
  EXPECT_NE(Key(opencl), without) << "PoCL heeds it, too";
}

TEST_F(CacheKeys, ChangeWithALimitThatMayCostAnswers) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  if (before.rlim_max < 1U << 26U) GTEST_SKIP() << "files are limited already";
  const auto with = [&](rlim_t bytes) {
    const rlimit limit{bytes, before.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    return Key();
  };
  const auto ample = with(before.rlim_max);
  EXPECT_NE(with(1U << 25U), ample);
  EXPECT_EQ(with(before.rlim_max), ample);
  EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
}

TEST_F(CacheKeys, ChangeWithTheMemoryThatMayBeMappedHoweverMuch) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_DATA, &before), 0);
  if (before.rlim_cur != RLIM_INFINITY) GTEST_SKIP() << "data are limited already";
  const auto without = Key();
  const rlimit limit{rlim_t{1} << 60U, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &limit), 0);
  const auto with = Key();
  EXPECT_EQ(setrlimit(RLIMIT_DATA, &before), 0);
  EXPECT_NE(with, without);
}

class Cache : public ::testing::Test {
 protected:
  Cache() {
    environment_.Set("XDG_CACHE_HOME", tree_.Path(""));
    auto files = probe::system::FileSystem::Open("/");
    files_ = std::make_unique<probe::system::FileSystem>(*std::move(files));
  }

  [[nodiscard]] MeasurementCache Open() const { return {environment_, *files_}; }

  static Record Sample(const std::string& created) {
    Record record;
    record.tool_version = "1";
    record.created = created;
    record.calibrated = true;
    record.host.architecture = "x86_64";
    return record;
  }

  static Record Measured(const std::string& created, backends::Quality quality) {
    Record record = Sample(created);
    probe::ProbeReport probe;
    probe.module = "cpu";
    probe.outcome = probe::Outcome::kOk;
    probe.devices.resize(1);
    probe.devices[0].runtime = "cpu";
    record.probes.push_back(std::move(probe));
    backends::Measurement measurement;
    measurement.device_id = "cpu:0";
    measurement.runtime = "cpu";
    measurement.unit = "flop_per_s";
    measurement.shape = {.m = 4096, .n = 4096, .k = 4096};
    measurement.status = backends::MeasurementStatus::kOk;
    measurement.quality = quality;
    measurement.samples = 20;
    measurement.rate = 1e9;
    measurement.verified = true;
    measurement.max_relative_error = 0;
    record.measurements.push_back(std::move(measurement));
    return record;
  }

  // The one entry that is kept.
  [[nodiscard]] std::filesystem::path Entry() const {
    for (const auto& at : std::filesystem::directory_iterator(tree_.Path("") + "/whichgpu")) {
      if (at.path().extension() == ".json") return at.path();
    }
    return {};
  }

  tests::Tree tree_;
  probe::system::Environment environment_;
  std::unique_ptr<probe::system::FileSystem> files_;
};

TEST_F(Cache, AShorterRunDoesNotDisplaceALongerOne) {
  const auto cache = Open();
  const auto created = [&] { return cache.Find("a", Effort::kQuick).record->created; };
  const std::string first = "2026-01-01T00:00:00Z", second = "2026-01-02T00:00:00Z";
  EXPECT_EQ(cache.Keep("a", Effort::kNormal, Measured(first, backends::Quality::kGood)), "");
  EXPECT_EQ(cache.Keep("a", Effort::kQuick, Measured(second, backends::Quality::kGood)), "");
  EXPECT_EQ(created(), first);
  EXPECT_EQ(cache.Keep("a", Effort::kNormal, Measured(second, backends::Quality::kGood)), "");
  EXPECT_EQ(created(), second);
}

TEST_F(Cache, ARunThatLeftWaysUnmeasuredDoesNotDisplaceAWholeOne) {
  const auto cache = Open();
  const auto created = [&] { return cache.Find("a", Effort::kQuick).record->created; };
  const std::string first = "2026-01-01T00:00:00Z", second = "2026-01-02T00:00:00Z",
                    third = "2026-01-03T00:00:00Z";
  const auto part = [&](const std::string& at) {
    auto record = Measured(at, backends::Quality::kGood);
    record.settled_without = {{"cpu:0", "cpu", "native"}};
    return record;
  };
  EXPECT_EQ(cache.Keep("b", Effort::kThorough, part(first)), "");
  EXPECT_EQ(cache.Keep("b", Effort::kQuick, Measured(second, backends::Quality::kGood)), "");
  EXPECT_FALSE(cache.Find("b", Effort::kQuick).record->settled_without) << "or each such question measures";
  EXPECT_EQ(cache.Keep("a", Effort::kQuick, part(first)), "");
  EXPECT_EQ(created(), first);
  EXPECT_EQ(cache.Find("a", Effort::kQuick).record->settled_without, part(first).settled_without);
  EXPECT_EQ(cache.Keep("a", Effort::kQuick, Measured(second, backends::Quality::kGood)), "");
  EXPECT_EQ(cache.Keep("a", Effort::kQuick, part(third)), "");
  EXPECT_EQ(created(), second);
}

TEST_F(Cache, WhatNoWholeRunMeasuredIsNotUsed) {
  const auto cache = Open();
  auto record = Measured("2026-01-01T00:00:00Z", backends::Quality::kGood);
  record.measurements.clear();
  EXPECT_EQ(cache.Keep("a", Effort::kNormal, record), "");
  EXPECT_FALSE(cache.Find("a", Effort::kQuick).record);
  EXPECT_NE(cache.Find("a", Effort::kQuick).note.find("no whole run's figures"), std::string::npos);
  record = Measured("2026-01-01T00:00:00Z", backends::Quality::kGood);
  record.interrupted = true;
  EXPECT_EQ(cache.Keep("b", Effort::kNormal, record), "");
  EXPECT_FALSE(cache.Find("b", Effort::kQuick).record);
}

TEST_F(Cache, KeepsOneRecordAKey) {
  const auto cache = Open();
  EXPECT_FALSE(cache.Find("a", Effort::kQuick).record);
  EXPECT_EQ(cache.Keep("a", Effort::kNormal, Measured("2026-01-01T00:00:00Z", backends::Quality::kGood)), "");
  EXPECT_EQ(cache.Find("a", Effort::kQuick).record->created, "2026-01-01T00:00:00Z");
  EXPECT_EQ(cache.Find("a", Effort::kNormal).record->created, "2026-01-01T00:00:00Z");
  EXPECT_FALSE(cache.Find("a", Effort::kThorough).record) << "not measured that well";
  EXPECT_FALSE(cache.Find("b", Effort::kQuick).record);
  EXPECT_EQ(cache.Keep("a", Effort::kNormal, Measured("2026-01-02T00:00:00Z", backends::Quality::kGood)), "");
  EXPECT_EQ(cache.Find("a", Effort::kQuick).record->created, "2026-01-02T00:00:00Z");
  struct stat status{};
  ASSERT_EQ(stat(Entry().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(Cache, BelievesNothingThatIsNotItsOwn) {
  const auto cache = Open();
  struct Damage {
    const char* note;
    std::function<void(const std::filesystem::path&)> apply;
  };
  const auto write = [](const char* text) {
    return [text](const std::filesystem::path& path) { std::ofstream(path, std::ios::trunc) << text; };
  };
  const std::vector<Damage> damages = {
      {"damaged", [](const auto& path) { std::filesystem::resize_file(path, 100); }},
      {"damaged", [](const auto& path) { std::filesystem::resize_file(path, 0); }},
      {"damaged", write("[]")},
      {"another version", write("{}")},
      {"another machine", write(R"({"format": 1, "key": "b", "effort": 1, "record": {}})")},
      {"damaged", write(R"({"format": 1, "key": "a", "effort": "x", "record": {}})")},
      {"damaged", write(R"({"format": 1, "key": "a", "effort": 1, "record": {"format": 1}})")},
      {"touched by others", [](const auto& path) { chmod(path.c_str(), 0644); }},
      {"can not be read",
       [](const auto& path) {
         std::filesystem::rename(path, path.string() + ".moved");
         std::filesystem::create_symlink(path.string() + ".moved", path);
       }},
      {"is no file",
       [](const auto& path) {
         std::filesystem::remove(path);
         std::filesystem::create_directory(path);
       }},
  };
  for (const auto& damage : damages) {
    std::filesystem::remove_all(Entry());
    ASSERT_EQ(cache.Keep("a", Effort::kNormal, Measured("2026-01-01T00:00:00Z", backends::Quality::kGood)),
              "");
    damage.apply(Entry());
    const auto found = cache.Find("a", Effort::kQuick);
    EXPECT_FALSE(found.record) << damage.note;
    EXPECT_THAT(found.note, HasSubstr(damage.note));
  }
}

TEST_F(Cache, AnotherUsersEntryIsNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const auto cache = Open();
  ASSERT_EQ(cache.Keep("a", Effort::kNormal, Measured("2026-01-01T00:00:00Z", backends::Quality::kGood)), "");
  ASSERT_EQ(chown(Entry().c_str(), 65534, 65534), 0);
  EXPECT_THAT(cache.Find("a", Effort::kQuick).note, HasSubstr("belongs to user 65534"));
}

TEST_F(Cache, IsBounded) {
  const auto cache = Open();
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(cache.Keep(std::to_string(i), Effort::kNormal,
                         Measured("2026-01-01T00:00:00Z", backends::Quality::kGood)),
              "");
  EXPECT_EQ(cache.Find("39", Effort::kQuick).record->created, "2026-01-01T00:00:00Z");
  const auto all = std::filesystem::directory_iterator(tree_.Path("") + "/whichgpu");
  EXPECT_LE(std::distance(std::filesystem::begin(all), std::filesystem::end(all)), 18);
}

TEST_F(Cache, NoisyFiguresReplaceOnlyTheirLike) {
  const auto cache = Open();
  using backends::Quality;
  for (const auto& [created, quality, expected] : {std::tuple{"1", Quality::kNoisy, "1"},
                                                   {"2", Quality::kNoisy, "2"},
                                                   {"3", Quality::kFair, "3"},
                                                   {"4", Quality::kNoisy, "3"},
                                                   {"5", Quality::kGood, "5"}}) {
    const auto time = [](const std::string& day) { return "2026-01-0" + day + "T00:00:00Z"; };
    EXPECT_EQ(cache.Keep("a", Effort::kNormal, Measured(time(created), quality)), "");
    const auto kept = cache.Find("a", Effort::kQuick);
    ASSERT_TRUE(kept.record) << kept.note;
    EXPECT_EQ(kept.record->created, time(expected));
  }
}

TEST_F(Cache, NoisyFiguresLastTenMinutes) {
  const auto cache = Open();
  for (const auto quality : {backends::Quality::kNoisy, backends::Quality::kFair}) {
    EXPECT_EQ(cache.Keep("a", Effort::kNormal, Measured("2026-01-01T00:00:00Z", quality)), "");
    EXPECT_TRUE(cache.Find("a", Effort::kQuick).record);
    std::filesystem::last_write_time(
        Entry(), std::filesystem::file_time_type::clock::now() - std::chrono::minutes(11));
    EXPECT_EQ(cache.Find("a", Effort::kQuick).record.has_value(), quality == backends::Quality::kFair);
  }
}

TEST_F(Cache, WithoutADirectoryNothingIsKept) {
  environment_ = {};
  const auto cache = Open();
  EXPECT_EQ(cache.Keep("a", Effort::kNormal, Measured("2026-01-01T00:00:00Z", backends::Quality::kGood)), "");
  EXPECT_FALSE(cache.Find("a", Effort::kQuick).record);
}

}  // namespace
}  // namespace report
