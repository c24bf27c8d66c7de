// SPDX-License-Identifier: MIT
// A context that a kernel of ours ends, told from one that goes on after an error of the same code.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/backends/opencl/opencl_device.h"
#include "tests/backends/opencl/other_driver.h"

namespace {

using backends::Launch;
using kernels::Dtype;

class OpenClLost : public testing::Test {
 protected:
  void Open(std::string_view scenario) {
    std::filesystem::copy_file(FAKE_OPENCL_LIBRARY, "libfake.so");
    std::ofstream("libfake.so.scenario.json") << scenario;
    std::ofstream(driver_.manifest()) << (std::filesystem::current_path() / "libfake.so").string() << '\n';
    auto session = tests::OpenOpenCl(tests::FindOpenClDevice(driver_.manifest()));
    ASSERT_TRUE(session.ok()) << probe::Describe(session.error());
    session_ = *std::move(session);
    buffer_ = *session_->Allocate({4096, {}});
  }
  // Of a kernel of that name and entry.
  [[nodiscard]] bool Runs(const char* name) {
    const kernels::Step step{.entry = name, .source = "kernel", .bindings = {}};
    const auto kernel =
        session_->Load(kernels::Own(name, kernels::Kernel::kRead, Dtype::kU32, Dtype::kU32, step), step);
    if (!kernel) return false;
    const Launch launch{*kernel, {{buffer_}}, {{1, 1, 1}, {64, 1, 1}, {64}}};
    return session_->Run({&launch, 1}, 1).ok();
  }

  tests::OtherDriver driver_{"none yet"};
  std::unique_ptr<backends::Session> session_;
  backends::BufferId buffer_{};
};

TEST_F(OpenClLost, TheKernelThatEndedTheContextIsNamed) {
  Open(R"({"devices": [{"name": "Fake", "faulting_kernels": "culprit"}]})");
  EXPECT_TRUE(Runs("harmless"));
  EXPECT_EQ(session_->BroughtDownBy(), nullptr);
  EXPECT_FALSE(Runs("culprit"));
  ASSERT_NE(session_->BroughtDownBy(), nullptr);
  EXPECT_EQ(session_->BroughtDownBy()->name, "culprit");
  EXPECT_FALSE(Runs("victim"));
  EXPECT_EQ(session_->BroughtDownBy()->name, "culprit") << "the first one";
}

// CL_OUT_OF_RESOURCES of a kernel that asks for too much.
TEST_F(OpenClLost, AKernelThatIsRefusedEndsNothing) {
  Open(R"({"devices": [{"name": "Fake"}], "misbehave": [{"at": "launch", "do": "error", "code": -5}]})");
  EXPECT_FALSE(Runs("greedy"));
  EXPECT_EQ(session_->BroughtDownBy(), nullptr);
}

}  // namespace
