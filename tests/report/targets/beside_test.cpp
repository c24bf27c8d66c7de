// SPDX-License-Identifier: MIT
// Builds that compute by a runtime beside the one that shows the device: what leaves them out, and what they
// ask for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/assume/assume.h"
#include "report/core/devices.h"
#include "report/core/tables.h"
#include "report/core/targets.h"
#include "report/decide/decide.h"

namespace report::targets {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// What a machine with an Arc B580 is answered; `driver`: of OpenCL, where that shows it.
Recommendation AnswerOf(const std::string& target, const std::string& runtimes, const Terms& terms = {},
                        std::string_view driver = kDescribed) {
  auto machine = assume::Imagine(*EmbeddedTables(),
                                 {"name=Arc B580,os=linux,arch=x86_64,glibc=2.36,runtime=" + runtimes});
  EXPECT_TRUE(machine);
  if (!machine) return {};
  for (auto& device : machine->devices) {
    for (auto& view : device.views) {
      if (view.device.runtime == "opencl") view.device.driver = driver;
    }
  }
  Record record;
  record.host = machine->host;
  record.probes = machine->probes;
  RunRequest request;
  request.command = "recommend";
  request.uses = {Use::kInference};
  request.terms = terms;
  request.terms.target = *EmbeddedTarget(target);
  const auto report = Decide(request, *EmbeddedTables(), record, {std::move(machine->devices), {}, {}});
  EXPECT_FALSE(report.recommendations.empty());
  return report.recommendations.empty() ? Recommendation{} : report.recommendations.front();
}

// OpenVINO reaches a GPU by OpenCL's driver, even where the GPU shows by Level Zero alone.
TEST(Beside, IsLeftOutByTheOptionThatNamesWhatItComputesBy) {
  for (const auto& [target, build] : {std::pair("openvino", "gpu"), std::pair("onnxruntime", "openvino")}) {
    Terms terms;
    terms.exclude = {"sycl"};
    const auto taken = AnswerOf(target, "level_zero", terms);
    EXPECT_EQ(taken.artefact ? taken.artefact->id : "", build);
    terms.exclude = {"opencl"};
    const auto answer = AnswerOf(target, "level_zero", terms);
    EXPECT_EQ(answer.backend, "cpu") << target;
    ASSERT_FALSE(answer.reasons.empty());
    EXPECT_EQ(answer.reasons.front().option, "--exclude") << answer.reasons.front().text;
    EXPECT_THAT(answer.reasons.front().text, HasSubstr("which --exclude leaves out"));
    const auto& rejected = answer.rejected;
    const auto way = std::find_if(rejected.begin(), rejected.end(),
                                  [](const Rejected& one) { return one.runtime == "level_zero"; });
    ASSERT_NE(way, rejected.end());
    EXPECT_EQ(way->option, "--exclude") << way->reason;
  }
}

// Of what the program computes by nothing is missing where it shows the GPU, too, by the driver that is
// meant.
TEST(Beside, AsksForNoRuntimeThatIsThere) {
  const auto missing = [](const Recommendation& answer) {
    EXPECT_EQ(answer.backend, "level_zero");
    return answer.artefact ? answer.artefact->missing : std::vector<std::string>{"no artefact"};
  };
  for (const std::string target : {"openvino", "onnxruntime"}) {
    EXPECT_THAT(missing(AnswerOf(target, "level_zero")), Contains(HasSubstr("Intel's OpenCL driver")));
    EXPECT_THAT(missing(AnswerOf(target, "level_zero:opencl")), IsEmpty()) << target;
    EXPECT_THAT(missing(AnswerOf(target, "level_zero:opencl", {}, "rusticl")),
                Contains(HasSubstr("Intel's OpenCL driver")));
  }
}

}  // namespace
}  // namespace report::targets
