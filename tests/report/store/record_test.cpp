// SPDX-License-Identifier: MIT
#include "report/store/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "probe/core/fields.h"

namespace report {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class RecordTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "whichgpu-record-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string Path(const std::string& name) const { return (root_ / name).string(); }

  static Record Sample() {
    Record record;
    record.tool_version = "1";
    record.created = "2026-01-01T00:00:00Z";
    probe::ProbeReport probe;
    probe.module = "r";
    probe.outcome = probe::Outcome::kOk;
    probe::RuntimeDevice device;
    device.runtime = "r";
    device.driver = "d";
    device.name = "thing";
    probe.devices.push_back(device);
    record.probes.push_back(probe);
    backends::Measurement measurement;
    measurement.device_id = "cpu:0";
    measurement.runtime = "r";
    measurement.driver = "d";
    measurement.status = backends::MeasurementStatus::kOk;
    measurement.rate = 1e9;
    measurement.verified = true;
    measurement.unit = "flop_per_s";
    measurement.shape = {.m = 4096, .n = 4096, .k = 4096};
    record.measurements.push_back(measurement);
    return record;
  }

  // Writes the sample and returns the text of its record file.
  std::string Written(const std::string& name) const {
    EXPECT_TRUE(WriteRecord(Path(name), Sample(), {}, names_));
    std::ifstream in(Path(name) + "/record.json");
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }

  // The error of reading a record whose file holds `content`.
  std::string ErrorOf(const std::string& content) const {
    fs::create_directories(Path("bad"));
    std::ofstream(Path("bad") + "/record.json") << content;
    const auto read = ReadRecord(Path("bad"));
    EXPECT_FALSE(read);
    return read ? "" : probe::Describe(read.error());
  }

  fs::path root_;
  Pseudonyms names_{probe::system::Environment(), "hostname", false};
};

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST_F(RecordTest, ComesBackAsItWasWritten) {
  (void)Written("a");
  const auto read = ReadRecord(Path("a"));
  ASSERT_TRUE(read) << probe::Describe(read.error());
  EXPECT_EQ(read->probes, Sample().probes);
  EXPECT_EQ(read->measurements.size(), 1U);
  EXPECT_EQ(read->created, Sample().created);
}

TEST_F(RecordTest, NothingIsLeftBesideIt) {
  (void)Written("a");
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(root_)) names.push_back(entry.path().filename());
  EXPECT_EQ(names, std::vector<std::string>{"a"});
}

TEST_F(RecordTest, OfSeveralRunsAtOnceTheLastStays) {
  const std::vector<FileRead> files = {{"/sys/a", "x"}};
  ASSERT_TRUE(WriteRecord(Path("a"), Sample(), files, names_));
  auto later = Sample();
  later.created = "2026-11-30T12:00:00Z";
  ASSERT_TRUE(WriteRecord(Path("a"), later, {}, names_));
  EXPECT_EQ(ReadRecord(Path("a"))->created, later.created);
  EXPECT_FALSE(fs::exists(Path("a") + "/files"));
  std::ofstream(Path("a") + "/precious") << "x";
  EXPECT_FALSE(WriteRecord(Path("a"), Sample(), {}, names_)) << "no record of ours alone";
  EXPECT_EQ(ReadRecord(Path("a"))->created, later.created);
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), fs::directory_iterator()), 1) << "nothing beside it";
}

TEST_F(RecordTest, ADirectoryOfAnothersIsNotTouched) {
  const auto change = [&] {
    struct stat status{};
    EXPECT_EQ(stat(Path("a").c_str(), &status), 0);
    return std::pair(status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
  };
  fs::create_directory(root_ / "a");
  std::ofstream(Path("a") + "/precious") << "x";
  const auto before = change();
  usleep(20000);  // more than a tick of the file system's clock
  const auto status = WriteRecord(Path("a"), Sample(), {}, names_);
  ASSERT_FALSE(status);
  EXPECT_THAT(probe::Describe(status.error()), HasSubstr("can not be created"));
  EXPECT_EQ(change(), before) << "it was renamed";
}

TEST_F(RecordTest, FilesStayInsideIt) {
  const std::vector<FileRead> files = {{"/sys/a/b", "x host-1 hostname"}, {"/../../escape", "y"}};
  ASSERT_TRUE(WriteRecord(Path("a"), Sample(), files, names_));
  std::ifstream in(Path("a") + "/files/sys/a/b");
  std::string content;
  std::getline(in, content);
  EXPECT_EQ(content, "x host-1 host");
  EXPECT_FALSE(fs::exists(root_ / "escape"));
  EXPECT_FALSE(fs::exists(root_.parent_path() / "escape"));
}

TEST_F(RecordTest, AnExistingFullDirectoryIsRefusedBeforehand) {
  (void)Written("a");
  EXPECT_FALSE(CheckRecordDirectory(Path("a")));
  EXPECT_FALSE(CheckRecordDirectory(Path("missing/b")));
  EXPECT_FALSE(CheckRecordDirectory(""));
  EXPECT_TRUE(CheckRecordDirectory(Path("new")));
}

TEST_F(RecordTest, WhatIsWrongIsNamed) {
  const auto good = Written("a");
  EXPECT_THAT(ErrorOf(good.substr(0, good.size() / 2)), HasSubstr("not one whole JSON document"));
  EXPECT_THAT(ErrorOf("[]"), HasSubstr("expected an object"));
  EXPECT_THAT(ErrorOf(std::string(100000, '[')), HasSubstr("record.json"));
  EXPECT_THAT(ErrorOf(Replaced(good, "\"format\": 1", "\"format\": 99")), HasSubstr("format 99"));
  EXPECT_THAT(ErrorOf(Replaced(good, "\"created\"", "\"made\"")), HasSubstr("created"));
  EXPECT_THAT(ErrorOf(Replaced(good, "\"outcome\": \"ok\"", "\"outcome\": \"fine\"")), HasSubstr("outcome"));
  EXPECT_THAT(ErrorOf(Replaced(good, "\"rate\": 1000000000.0", "\"rate\": -5")),
              HasSubstr("measurements[0]"));
  EXPECT_THAT(ErrorOf(Replaced(good, "\"runtime\": \"r\"", "\"runtime\": \"s\"")), HasSubstr("runtime 's'"));
  EXPECT_THAT(ErrorOf(Replaced(good, "\"ordinal\": 0", "\"ordinal\": -1")), HasSubstr("ordinal"));
}

TEST_F(RecordTest, AMissingDirectoryOrFileIsNamed) {
  EXPECT_THAT(probe::Describe(ReadRecord(Path("none")).error()), HasSubstr("none"));
  fs::create_directory(root_ / "empty");
  EXPECT_THAT(probe::Describe(ReadRecord(Path("empty")).error()), HasSubstr("record.json"));
}

TEST_F(RecordTest, HostileTextIsCleaned) {
  const auto read = [&] {
    fs::create_directories(Path("evil"));
    std::ofstream(Path("evil") + "/record.json") << Replaced(Written("a"), "\"thing\"", "\"\\u001b[31mred\"");
    return ReadRecord(Path("evil"));
  }();
  ASSERT_TRUE(read) << probe::Describe(read.error());
  EXPECT_THAT(read->probes[0].devices[0].name, Not(HasSubstr("\x1b")));
}

TEST(PseudonymsTest, NamesGoAndUuidsStayStable) {
  const Pseudonyms names(probe::system::Environment({{"HOME", "/home/alice"}, {"USER", "alice"}}),
                         "wonderland", false);
  EXPECT_EQ(names.Replace("/home/alice/x on wonderland by alice; malice"),
            "/home/user/x on host by user; malice");
  const std::string uuid = "01234567-89ab-cdef-0123-456789abcdef";
  const auto once = names.Replace("GPU-" + uuid);
  EXPECT_NE(once, "GPU-" + uuid);
  EXPECT_EQ(once, names.Replace("GPU-" + uuid));
  EXPECT_EQ(once.size(), 4 + uuid.size());
  const Pseudonyms keeping(probe::system::Environment(), "", true);
  EXPECT_EQ(keeping.Replace(uuid), uuid);
}

TEST(PseudonymsTest, NumbersOfAmdsChipsGoInEachForm) {
  const Pseudonyms names(probe::system::Environment(), "", false);
  const std::string seen =
      names.Replace("ROCR_VISIBLE_DEVICES=\"0,GPU-0123456789abcdef\" and GPU-0123456789abcdef");
  EXPECT_EQ(seen.find("0123456789abcdef"), std::string::npos) << seen;
  const std::string once = seen.substr(seen.find("GPU-"), 20);
  EXPECT_NE(seen.find(once, seen.find("GPU-") + 4), std::string::npos)
      << "the same number, the same pseudonym";
  const std::string file =
      names.Replace("num_xcc 1\nunique_id 598046273873802902\nhive_id 2095653680343411291\n");
  EXPECT_EQ(file.find("598046273873802902"), std::string::npos);
  EXPECT_EQ(file.find("2095653680343411291"), std::string::npos);
  for (const char* kept : {"unique_id 0\n", "GPU-0123", "unique_id x", "GPU-0123456789abcdef0"}) {
    EXPECT_EQ(names.Replace(kept), kept);
  }
  const Pseudonyms keeping(probe::system::Environment(), "", true);
  EXPECT_EQ(keeping.Replace("GPU-0123456789abcdef"), "GPU-0123456789abcdef");
}

TEST(PseudonymsTest, SerialNumbersGo) {
  const Pseudonyms names(probe::system::Environment(), "", false);
  probe::Json json = {{"facts", {{{"key", "serial_number"}, {"value", "123456789"}}}}};
  names.Replace(json);
  EXPECT_EQ(json.dump().find("123456789"), std::string::npos);
}

}  // namespace
}  // namespace report
