// SPDX-License-Identifier: MIT
#include "report/run/load.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace report {
namespace {

class LoadTest : public ::testing::Test {
 protected:
  LoadTest() : root_(std::filesystem::temp_directory_path() / ("load_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(root_ / "proc");
  }
  ~LoadTest() override { std::filesystem::remove_all(root_); }
  std::filesystem::path root_;
};

TEST(Load, ASecondLoadIsNamedAndAQuietMachineIsNot) {
  EXPECT_FALSE(DescribeLoad(0.05, std::nullopt));
  EXPECT_FALSE(DescribeLoad(0.05, 0.9));
  EXPECT_NE(DescribeLoad(0.5, std::nullopt)->find("50 %"), std::string::npos);
  EXPECT_NE(DescribeLoad(0.0, 42.0)->find("42 %"), std::string::npos);
}

TEST_F(LoadTest, AQuotaBindsWhatHasMoreProcessors) {
  const auto files = probe::system::FileSystem::Open(root_.string());
  ASSERT_TRUE(files.ok());
  EXPECT_FALSE(LoadMeter(*files).IsUnderQuota());
  EXPECT_FALSE(LoadMeter(*files, 1e6).IsUnderQuota());
  EXPECT_TRUE(LoadMeter(*files, 0.5).IsUnderQuota());
}

TEST(Load, WhatOthersHaveWhileAQuotaStopsUsDisturbsNothing) {
  const Shares busy{10.0, 17.8, 2.0};
  EXPECT_NEAR(DisturbingShareOf(busy, 2, std::nullopt), 0.89, 1e-9);
  EXPECT_NEAR(DisturbingShareOf(busy, 2, 2.0), 0.89, 1e-9) << "a quota that binds nothing";
  EXPECT_EQ(DisturbingShareOf(busy, 2, 0.2), 0) << "we had all of it";
  EXPECT_EQ(DisturbingShareOf({10.0, 10.0, 0.5}, 2, 0.2), 0) << "we did not want more";
  EXPECT_NEAR(DisturbingShareOf({10.0, 19.0, 1.0}, 2, 0.2), 0.5, 1e-9) << "they had half of it";
  EXPECT_EQ(DisturbingShareOf({}, 2, 0.2), 0);
}

backends::Measurement Good(double rate, double p10) {
  backends::Measurement m;
  m.unit = "flop_per_s";
  m.status = backends::MeasurementStatus::kOk;
  m.quality = backends::Quality::kGood;
  m.rate = rate;
  m.p10_rate = p10;
  m.time_s = 1.0;
  return m;
}

TEST(Load, WhatOthersDisturbedIsNoisyInsteadOfGood) {
  std::vector<backends::Measurement> measurements = {Good(100, 125), backends::Measurement()};
  MarkDisturbed(measurements, 0.05);
  EXPECT_EQ(measurements[0].quality, backends::Quality::kGood);
  MarkDisturbed(measurements, 0.5);
  EXPECT_EQ(measurements[0].quality, backends::Quality::kNoisy);
  EXPECT_EQ(*measurements[0].rate, 125);
  EXPECT_DOUBLE_EQ(*measurements[0].time_s, 0.8);
  EXPECT_NE(measurements[0].reason->find("50 %"), std::string::npos);
  EXPECT_EQ(measurements[0].foreign_load, 0.5);
  EXPECT_FALSE(measurements[1].foreign_load);
  EXPECT_FALSE(measurements[1].quality) << "what was not timed stays as it was";
}

TEST(Load, WhatAnotherRunMeasuredAtTheSameTimeIsNoisy) {
  std::vector<backends::Measurement> measurements(2);
  measurements[0].quality = backends::Quality::kGood;
  MarkMeasuredBeside(measurements);
  EXPECT_EQ(measurements[0].quality, backends::Quality::kNoisy);
  EXPECT_NE(measurements[0].reason->find("another run"), std::string::npos);
  EXPECT_FALSE(measurements[1].quality) << "what was not timed stays as it was";
}

TEST(Load, AVirtualMachinesMemoryIsFairAtBest) {
  std::vector<backends::Measurement> measurements(5);
  measurements[0].kernel = kernels::Kernel::kRead;
  measurements[0].rate = 40e9;
  measurements[4].kernel = kernels::Kernel::kGemv;
  measurements[4].rate = 10e9;
  measurements[4].unit = "bytes_per_s";
  measurements[4].quality = backends::Quality::kGood;
  measurements[0].unit = measurements[1].unit = "bytes_per_s";
  measurements[2].unit = "flop_per_s";
  measurements[0].quality = measurements[2].quality = backends::Quality::kGood;
  measurements[1].quality = backends::Quality::kNoisy;
  MarkSharedMemory(measurements);
  EXPECT_EQ(measurements[0].quality, backends::Quality::kFair);
  EXPECT_NE(measurements[0].reason->find("shares its memory"), std::string::npos);
  EXPECT_EQ(measurements[1].quality, backends::Quality::kNoisy);
  EXPECT_EQ(measurements[2].quality, backends::Quality::kGood);
  EXPECT_FALSE(measurements[3].quality);
  EXPECT_EQ(measurements[4].quality, backends::Quality::kGood) << "it waits for arithmetic";
}

}  // namespace
}  // namespace report
