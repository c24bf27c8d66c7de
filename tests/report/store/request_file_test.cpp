// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "report/store/input.h"

namespace report {
namespace {

using ::testing::HasSubstr;

class RequestFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "request.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  probe::Result<ReferenceRequest> Read(const std::string& text) {
    const auto path = folder_ / "request.json";
    std::ofstream(path) << text;
    return ReadRequest(path.string());
  }
  std::string ErrorOf(const std::string& text) {
    const auto request = Read(text);
    return request ? "" : probe::Describe(request.error());
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(RequestFile, ReplacesWhatItHasAndNoMore) {
  const auto reference = Read("{}");
  ASSERT_TRUE(reference) << probe::Describe(reference.error());
  EXPECT_EQ(reference->inference.layers, 32);
  const auto request = Read(R"({"inference": {"model": "Mine; own", "format": "Q8_0",
                                              "weights": "q8", "layers": 28, "parameters": 3752462336, "weight_bytes": 4e9},
                                "training": {"step_tokens": 2048}})");
  ASSERT_TRUE(request) << probe::Describe(request.error());
  EXPECT_EQ(request->inference.model, "Mine, own");
  EXPECT_EQ(request->training.weight_bytes, reference->training.weight_bytes / 2)
      << "grows with the parameters";
  EXPECT_EQ(request->inference.weights, "q8");
  EXPECT_EQ(request->inference.layers, 28);
  EXPECT_EQ(request->inference.width, reference->inference.width);
  EXPECT_EQ(request->training.step_tokens, 2048);
}

TEST_F(RequestFile, NamesWhatIsWrong) {
  const std::pair<const char*, const char*> rows[] = {
      {R"({"inference": {"layer": 3}})", "inference: there is no key 'layer'; did you mean 'layers'?"},
      {R"({"inferense": {}})", "there is no key 'inferense'; did you mean 'inference'?"},
      {R"({"inference": 7})", "inference: it must be an object"},
      {R"([1])", "it must be an object with inference or training in it"},
      {R"({"inference": {"layers": "28"}})", "inference.layers: it must be a whole number from 1 to 1e+07"},
      {R"({"inference": {"model": 8}})", "inference.model: it must be a text"},
      {R"({"inference": {"layers": 0}})", "inference.layers: it must be a whole number from 1 to 1e+07"},
      {R"({"inference": {"layers": -1}})", "inference.layers: it must be a whole number from 1 to 1e+07"},
      {R"({"inference": {"weight_bytes": 1e300}})",
       "inference.weight_bytes: it must be a whole number from 1 to 1e+15"},
      {R"({"inference": {"format": "Q5", "weights": "q5", "weight_bytes": 5e9}})",
       "inference.weights: it must be one of q4, q8, fp16, bf16, fp32"},
      {R"({"inference": {"prompt_tokens": 0.5}})", "inference.prompt_tokens: it must be a whole number"},
      {R"({"inference": {"model": "405B"}})", "inference.model: it needs inference.parameters beside it"},
      {R"({"inference": {"format": "F16", "weights": "fp16"}})",
       "inference.format: it needs inference.weight_bytes"},
      {R"({"inference": {"parameters": 7e10}})", "inference.parameters: it needs inference.model beside it"},
      {R"({"inference": {"layers": 80}})", "inference.layers: it needs inference.model beside it"},
      {R"({"inference": {"width": 8192}})", "inference.width: it needs inference.model beside it"},
      {R"({"inference": {"weights": "q8"}})", "inference.weights: it needs inference.format beside it"},
      {R"({"inference": {"weight_bytes": 4e10}})",
       "inference.weight_bytes: it needs inference.model or inference.format beside it"},
      {R"({"inference": {"layers": 3, "layers": 4}})", "request.json: "},
      {"", "request.json: "},
  };
  for (const auto& [text, error] : rows) {
    EXPECT_THAT(ErrorOf(text), HasSubstr(error)) << text;
    EXPECT_THAT(ErrorOf(text), HasSubstr("request.json: ")) << text;
  }
  EXPECT_FALSE(ReadRequest("/nowhere/request.json"));
}

TEST_F(RequestFile, PrintsNothingThatATerminalObeys) {
  const auto request =
      Read(R"({"inference": {"model": "a\u001b[31mb", "parameters": 1, "weight_bytes": 1}})");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->inference.model.find('\x1b'), std::string::npos);
  EXPECT_EQ(ErrorOf(R"({"inference": {"a\u001b[31m": 1}})").find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace report
