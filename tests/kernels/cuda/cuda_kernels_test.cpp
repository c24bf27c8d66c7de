// SPDX-License-Identifier: MIT
// Every kernel's source, emulated, against the reference, in two orders of its threads; and planted defects,
// each of which must be found out.
#include <gmock/gmock.h>

#include <algorithm>
#include <ostream>

#include "kernels/cuda/variants.h"
#include "tests/backends/core/compute.h"
#include "tests/kernels/cuda/defects.h"

namespace kernels {
// For the tests' names.
void PrintTo(const Variant& variant, std::ostream* out);
void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.steps[0].entry; }
}  // namespace kernels

namespace {

using emulation::Order;
using kernels::Kernel;
using kernels::Problem;
using kernels::Variant;
using tests::EmulatedSession;

bool Stays(const Variant& variant) {
  const auto& geometry = variant.steps[0].geometry;
  return geometry.groups_a_unit != 0 && geometry.in_a_row;
}

// More than one block, and more steps than there are stages.
Problem SmallProblem(const Variant& variant) {
  const auto up = [](std::uint32_t least, std::uint32_t multiple) {
    return (least + multiple - 1) / multiple * multiple;
  };
  switch (variant.kernel) {
    case Kernel::kGemm:
      // Blocks that stay go from tile to tile, and so more than once through all stages.
      if (Stays(variant))
        return {2 * variant.multiple_m, 2 * variant.multiple_n, 2 * variant.multiple_k, 0, 0};
      return {up(65, variant.multiple_m), up(variant.multiple_n + 1, variant.multiple_n),
              7 * variant.multiple_k, 0, 0};
    case Kernel::kGemv:
      return {2 * variant.multiple_m, 0, up(4160, variant.multiple_k), 0, 0};
    case Kernel::kChain: {
      // Sums are added up every 128 steps; those of tensor memory have two places, and come to the first
      // again.
      const std::uint32_t steps = variant.name == "own:umma_chain" ? 258 : 130;
      return {0, variant.multiple_n, up(steps, variant.multiple_k), 2 * variant.multiple_count, 0};
    }
    default:
      return {0, 0, 0, up(70001, variant.multiple_count), 0};
  }
}

// "right", "wrong: ..." or the error.
std::string Compute(EmulatedSession& session, const Variant& variant) {
  return tests::Compute(session, kernels::cuda::Variants(), variant, SmallProblem(variant));
}

const std::vector<Variant>& Computing() {
  static const auto computing = [] {
    auto all = kernels::cuda::Variants();
    std::erase_if(all, [](const Variant& variant) { return variant.kernel == Kernel::kFill; });
    return all;
  }();
  return computing;
}

class CudaKernel : public testing::TestWithParam<Variant> {};

TEST_P(CudaKernel, ComputesWhatTheReferenceSays) {
  for (const Order order : {Order::kForward, Order::kBackward}) {
    EmulatedSession session(order);
    EXPECT_EQ(Compute(session, GetParam()), "right");
  }
}
INSTANTIATE_TEST_SUITE_P(, CudaKernel, testing::ValuesIn(Computing()),
                         [](const auto& tested) { return std::string(tested.param.steps[0].entry); });

class CudaDefect : public testing::TestWithParam<tests::Defect> {};

TEST_P(CudaDefect, IsFoundOut) {
  const auto& defect = GetParam();
  const auto variant = std::find_if(Computing().begin(), Computing().end(), [&](const Variant& known) {
    return known.steps[0].entry == defect.entry;
  });
  ASSERT_NE(variant, Computing().end());
  std::string found;
  for (const Order order : {Order::kForward, Order::kBackward}) {
    EmulatedSession session(order, defect.entry, defect.kernel);
    const std::string what = Compute(session, *variant);
    if (what != "right") found = what;
  }
  EXPECT_THAT(found, testing::AnyOf(testing::StartsWith("wrong: "), testing::HasSubstr("undefined: ")));
}
INSTANTIATE_TEST_SUITE_P(, CudaDefect, testing::ValuesIn(tests::Defects()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
