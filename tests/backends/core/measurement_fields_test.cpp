// SPDX-License-Identifier: MIT
#include "backends/core/measurement_fields.h"

#include <gtest/gtest.h>

namespace backends {
namespace {

using probe::Json;

Measurement Sample() {
  Measurement m;
  m.device_id = "pci:0000:c1:00.0";
  m.runtime = "vulkan";
  m.driver = "radv";
  m.manifest = "/usr/share/vulkan/icd.d/radeon_icd.json";
  m.implementation = "own:tile";
  m.shape = {512, 4096, 4096, 0, 0};
  m.status = MeasurementStatus::kOk;
  m.rate = 1.5e12;
  m.unit = "flop_per_s";
  m.time_s = 0.011;
  m.ci95 = {{0.99, 1.01}};
  m.samples = 11;
  m.batch_times_s = {0.011, 0.012};
  m.quality = Quality::kGood;
  m.verified = true;
  m.max_relative_error = 1e-7;
  return m;
}

TEST(MeasurementFields, SurviveTheRoundTrip) {
  const Json json = probe::Encode(Sample());
  EXPECT_EQ(json["kernel"], "gemm");
  EXPECT_EQ(json["in_dtype"], "fp32");
  EXPECT_EQ(json["status"], "ok");
  EXPECT_EQ(json["quality"], "good");
  EXPECT_EQ(json["ci95"], Json::array({0.99, 1.01}));
  EXPECT_EQ(json["shape"], (Json{{"m", 512}, {"n", 4096}, {"k", 4096}}));
  const auto decoded = probe::Decode<Measurement>(json);
  ASSERT_TRUE(decoded.ok()) << probe::Describe(decoded.error());
  EXPECT_EQ(decoded->shape, Sample().shape);
  EXPECT_EQ(probe::Encode(*decoded), json);
}

TEST(MeasurementFields, UnknownsAreAbsent) {
  const Json json = probe::Encode(Measurement());
  for (const char* key :
       {"manifest", "reason", "stage", "rate", "time_s", "ci95", "quality", "share_of_peak"}) {
    EXPECT_FALSE(json.contains(key)) << key;
  }
  EXPECT_EQ(json["shape"], Json::object());
}

TEST(MeasurementFields, EveryEnumValueHasItsName) {
  for (const auto& row : kernels::Kernels()) {
    EXPECT_EQ(probe::Encode(row.kernel), row.name);
    EXPECT_EQ(*probe::Decode<kernels::Kernel>(Json(row.name)), row.kernel);
  }
  for (const auto& row : kernels::Dtypes())
    EXPECT_EQ(*probe::Decode<kernels::Dtype>(Json(row.name)), row.dtype);
  for (const auto& [status, name] : probe::EnumNames<MeasurementStatus>::kNames) {
    EXPECT_EQ(probe::Encode(status), name);
  }
}

TEST(MeasurementFields, HostileValuesAreRefused) {
  const auto refused = [](const char* key, const Json& value) {
    Json json = probe::Encode(Sample());
    json[key] = value;
    return !probe::Decode<Measurement>(json).ok();
  };
  EXPECT_TRUE(refused("kernel", "gemmm"));
  EXPECT_TRUE(refused("in_dtype", 3));
  EXPECT_TRUE(refused("ci95", Json::array({1.0})));
  EXPECT_TRUE(refused("ci95", Json::array({1.0, 1.0, 1.0})));
  EXPECT_TRUE(refused("shape", Json{{"m", -1}}));
  EXPECT_TRUE(refused("shape", 7));
  EXPECT_TRUE(refused("samples", 1.5));
  EXPECT_TRUE(refused("rate", "fast"));
}

TEST(MeasurementFields, RequestSurvivesTheRoundTrip) {
  MeasureRequest request;
  request.device_id = "cpu:0";
  request.device.runtime = "cpu";
  request.processor.emplace().usable_threads = 2;
  request.budget_s = 0.5;
  const Json json = probe::Encode(request);
  const auto decoded = probe::Decode<MeasureRequest>(json);
  ASSERT_TRUE(decoded.ok()) << probe::Describe(decoded.error());
  EXPECT_EQ(probe::Encode(*decoded), json);
  EXPECT_EQ(decoded->processor->usable_threads, 2U);
}

TEST(MeasurementFields, EventsSurviveTheRoundTrip) {
  const FigureKind kind{kernels::Kernel::kGemm, kernels::Dtype::kInt8, kernels::Dtype::kInt32};
  const Json stage =
      EncodeEvent(MeasureStage{probe::Stage::kVerify, "gemm int8/int32", kind, "own:tile", 1.25});
  EXPECT_EQ(stage["event"], "stage");
  const auto decoded = DecodeEvent(stage);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(std::get<MeasureStage>(*decoded).stage, probe::Stage::kVerify);
  EXPECT_EQ(std::get<MeasureStage>(*decoded).kind, kind);
  EXPECT_EQ(std::get<MeasureStage>(*decoded).allow_s, 1.25);
  const auto measurement = DecodeEvent(EncodeEvent(Sample()));
  ASSERT_TRUE(measurement.ok());
  EXPECT_EQ(std::get<Measurement>(*measurement).driver, "radv");
  for (const char* text : {"[]", "{}", R"({"event":"stage"})", R"({"event":"other","value":{}})",
                           R"({"event":7,"value":{}})", R"({"event":"measurement","value":{}})"}) {
    EXPECT_FALSE(DecodeEvent(Json::parse(text)).ok()) << text;
  }
}

}  // namespace
}  // namespace backends
