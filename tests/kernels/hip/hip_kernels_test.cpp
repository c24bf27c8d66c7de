// SPDX-License-Identifier: MIT
// Every matrix kernel on every kind of AMD's matrix units, emulated, against the reference, in two orders of
// its threads; and planted defects, each of which must be found out. The other kernels are those of
// kernels/simt, which tests/kernels/cuda emulates.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "backends/core/shape.h"
#include "kernels/hip/variants.h"
#include "tests/backends/core/compute.h"
#include "tests/kernels/hip/targets.h"

tests::EmulatedKernel Find_fnuz_operands(std::string_view name);

namespace {

using emulation::Order;
using kernels::Variant;
using tests::EmulatedSession;
using tests::FindKernel;

backends::Limits LimitsOf(std::string_view architecture) {
  backends::Limits limits;
  limits.max_buffer_bytes = 1U << 30U;
  limits.shape = {1, 1024, 32};
  limits.features = kernels::hip::FeaturesOf(architecture);
  return limits;
}

// Several tiles of all but the largest kind, and more steps than there are buffers.
kernels::Problem ProblemOf(const Variant& variant) {
  if (variant.kernel == kernels::Kernel::kChain) return {0, variant.multiple_n, 5, variant.multiple_count, 0};
  const auto edge = [](std::uint32_t multiple) { return std::max(128U, multiple); };
  const std::uint32_t across = variant.multiple_n < variant.multiple_m ? 2 : 1;
  return {edge(variant.multiple_m), across * edge(variant.multiple_n), 3 * variant.multiple_k, 0, 0};
}

// "right", "wrong: ..." or the error, on a target; entries are sought in `finds`, then among CUDA's.
std::string ComputeOn(std::string_view architecture, const Variant& variant, Order order,
                      std::vector<FindKernel> finds) {
  finds.push_back(Find_fnuz_operands);
  finds.push_back(tests::FindEntry);
  const auto find = [&](std::string_view name) {
    for (const FindKernel known : finds) {
      if (auto kernel = known(name)) return kernel;
    }
    return tests::EmulatedKernel{};
  };
  EmulatedSession session(order, LimitsOf(architecture), find, 64U << 10U);
  return tests::Compute(session, kernels::hip::Variants(), variant, ProblemOf(variant));
}

struct Case {
  std::string_view architecture;
  FindKernel find;
  Variant variant;
};
void PrintTo(const Case& tested, std::ostream* out) {
  *out << tested.architecture << ' ' << tested.variant.steps[0].entry;
}

// Products and chains that a target has matrix instructions for.
std::vector<Case> MatrixCases() {
  std::vector<Case> cases;
  for (const auto& [architecture, find] : tests::HipTargets()) {
    for (const Variant& variant : kernels::hip::Variants()) {
      const bool computes = variant.kernel != kernels::Kernel::kFill && !variant.requires_features.empty();
      if (computes && backends::MissingFeature(variant, LimitsOf(architecture)).empty()) {
        cases.push_back({architecture, find, variant});
      }
    }
  }
  return cases;
}

class HipKernel : public testing::TestWithParam<Case> {};

// Both, but one for each of the two largest tiles, which share all of their code and take long.
std::vector<Order> OrdersFor(const Variant& variant) {
  if (variant.multiple_m < 256) return {Order::kForward, Order::kBackward};
  return {variant.multiple_n < 256 ? Order::kBackward : Order::kForward};
}

TEST_P(HipKernel, ComputesWhatTheReferenceSays) {
  const auto& [architecture, find, variant] = GetParam();
  for (const Order order : OrdersFor(variant)) {
    EXPECT_EQ(ComputeOn(architecture, variant, order, {find}), "right");
  }
}
INSTANTIATE_TEST_SUITE_P(, HipKernel, testing::ValuesIn(MatrixCases()), [](const auto& tested) {
  return std::string(tested.param.architecture) + "_" + std::string(tested.param.variant.steps[0].entry);
});

TEST(HipTargets, EveryKernelRunsOnOne) {
  const auto cases = MatrixCases();
  for (const Variant& variant : kernels::hip::Variants()) {
    if (variant.kernel == kernels::Kernel::kFill || variant.requires_features.empty()) continue;
    EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [&](const Case& known) {
      return known.variant.steps[0].entry == variant.steps[0].entry &&
             known.variant.requires_features == variant.requires_features;
    })) << variant.steps[0].entry;
  }
}

// A kernel that hangs takes its family along (report/run/exclusions.h).
TEST(HipVariants, OfOneFamilyAreFromOneModule) {
  std::map<std::string, std::string_view> sources;
  for (const Variant& variant : kernels::hip::Variants()) {
    if (variant.kernel != kernels::Kernel::kGemm || variant.requires_features.empty()) continue;
    EXPECT_TRUE(variant.name.starts_with(variant.family + "_")) << variant.name;
    const std::string family =
        variant.family + " " + std::string(kernels::Row(variant.in).name) + variant.requires_features[0];
    const auto known = sources.emplace(family, variant.steps[0].source).first->second;
    EXPECT_EQ(known.data(), variant.steps[0].source.data()) << variant.name;
  }
}

class HipDefect : public testing::TestWithParam<tests::HipDefect> {};

TEST_P(HipDefect, IsFoundOut) {
  const auto& defect = GetParam();
  const auto cases = MatrixCases();
  const auto tested = std::find_if(cases.begin(), cases.end(), [&](const Case& known) {
    return known.architecture == defect.architecture && known.variant.steps[0].entry == defect.entry;
  });
  ASSERT_NE(tested, cases.end());
  std::string found;
  for (const Order order : {Order::kForward, Order::kBackward}) {
    const std::string what =
        ComputeOn(defect.architecture, tested->variant, order, {defect.find, tested->find});
    if (what != "right") found = what;
  }
  EXPECT_THAT(found, testing::StartsWith("wrong: "));
}
INSTANTIATE_TEST_SUITE_P(, HipDefect, testing::ValuesIn(tests::HipDefects()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
