// SPDX-License-Identifier: MIT
#include "backends/core/tasks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/backends/core/fake_session.h"

namespace backends {
namespace {

using kernels::Dtype;
using kernels::Kernel;
using kernels::Variant;

Variant Make(Kernel kernel, Dtype in) {
  Variant variant;
  variant.kernel = kernel;
  variant.in = in;
  variant.steps.emplace_back();
  return variant;
}

std::string Names(const std::vector<Task>& tasks) {
  std::string names;
  for (const Task& task : tasks) {
    names.append(names.empty() ? "" : ", ").append(kernels::Row(task.kernel).name).append(" ");
    names.append(kernels::Row(task.in).name);
  }
  return names;
}

std::vector<Variant> Everything() {
  return {Make(Kernel::kFill, Dtype::kU32),   Make(Kernel::kLaunch, Dtype::kU32),
          Make(Kernel::kChain, Dtype::kFp32), Make(Kernel::kCopy, Dtype::kU32),
          Make(Kernel::kGemm, Dtype::kInt8),  Make(Kernel::kGemm, Dtype::kFp32),
          Make(Kernel::kGemm, Dtype::kFp16),  Make(Kernel::kGemv, Dtype::kFp32),
          Make(Kernel::kGemv, Dtype::kFp16),  Make(Kernel::kGemv, Dtype::kQ4),
          Make(Kernel::kGemv, Dtype::kQ8),    Make(Kernel::kRead, Dtype::kU32)};
}

TEST(Tasks, WhatADecisionRestsOnComesFirst) {
  const auto all = Everything();
  EXPECT_EQ(Names(GroupVariants(all)),
            "gemm fp32, read u32, gemm fp16, gemv fp32, gemv fp16, gemv q4, gemv q8, copy u32, "
            "gemm int8, chain fp32");
}

TEST(Tasks, VariantsOfOneKernelAndTypesAreOneTask) {
  const std::vector<Variant> variants = {Make(Kernel::kGemm, Dtype::kFp32), Make(Kernel::kRead, Dtype::kU32),
                                         Make(Kernel::kGemm, Dtype::kFp32)};
  const auto tasks = GroupVariants(variants);
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[0].variants, (std::vector<const Variant*>{&variants[0], &variants[2]}));
  MeasureRequest request;
  EXPECT_EQ(FigureCount(tasks[0], request), 2) << "a square product and a prompt's";
  EXPECT_EQ(FigureCount(tasks[1], request), 1);
  request.scope = Scope::kLibraries;
  EXPECT_EQ(FigureCount(tasks[0], request), 1) << "the square one alone";
  request.scope = Scope::kAgain;
  request.figures = {{tasks[0].kernel, tasks[0].in, tasks[0].acc, "own:tile", {512, 4096, 4096, 0, 0}}};
  EXPECT_EQ(FigureCount(tasks[0], request), 1);
  EXPECT_EQ(FigureCount(tasks[1], request), 0);
}

TEST(Tasks, AnotherRuntimeOfADeviceRepeatsWhatDiffers) {
  const auto all = Everything();
  EXPECT_EQ(Names(Select(GroupVariants(all), Scope::kWhole)), Names(GroupVariants(all)));
  EXPECT_EQ(Names(Select(GroupVariants(all), Scope::kRepeat)),
            "gemm fp32, read u32, gemm fp16, gemv fp16, gemv q4, gemv q8");
  EXPECT_EQ(Names(Select(GroupVariants(all), Scope::kBrief)), "gemm fp16, read u32");
}

// Decisions for training rest on it, on triads and chains none.
TEST(Tasks, CopiesComeBeforeWhatOnlyExplains) {
  auto variants = FakeOthers();
  const auto copy = std::find_if(variants.begin(), variants.end(),
                                 [](const auto& variant) { return variant.name == "copy"; });
  std::rotate(copy, copy + 1, variants.end());
  FakeScript script;
  script.bytes_per_s = 3e7;
  script.transfer_bytes_per_s = 5e9;  // what transfers leave is for kernels
  FakeSession brief(script);
  const Outcome three = MeasureFake(brief, variants, Request(0.4));
  EXPECT_EQ(three.Of("copy").status, MeasurementStatus::kOk) << "beside two matrix-vector products";
  EXPECT_EQ(three.Of("triad").status, MeasurementStatus::kOverBudget);
  script.slowdown = [](double now_s) { return std::fmod(now_s * 7.3, 1.0) < 0.5 ? 1.0 : 1.4; };
  FakeSession whole(script);
  const Outcome all = MeasureFake(whole, variants, Request(4.0));
  EXPECT_GT(all.Of("copy").samples, all.Of("chain").samples) << "it does not wait for others";
}

}  // namespace
}  // namespace backends
