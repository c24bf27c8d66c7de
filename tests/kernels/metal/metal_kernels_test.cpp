// SPDX-License-Identifier: MIT
// Every kernel's source, emulated, against the reference, in two orders of its threads; and planted defects,
// each of which must be found out.
#include "tests/kernels/metal/metal_kernels.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "kernels/metal/modules.h"
#include "kernels/metal/variants.h"
#include "tests/backends/core/compute.h"

namespace kernels {
// For the tests' names.
void PrintTo(const Variant& variant, std::ostream* out);
void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.steps[0].entry; }
}  // namespace kernels

namespace {

using emulation::Order;
using kernels::Kernel;
using kernels::Variant;

const std::vector<Variant>& All() {
  static const auto all = kernels::metal::Variants();
  return all;
}
std::vector<Variant> Computing() {
  auto all = All();
  std::erase_if(all, [](const Variant& variant) { return variant.kernel == Kernel::kFill; });
  return all;
}

// More than one group, and parts that are left over.
kernels::Problem ProblemOf(const Variant& variant) {
  switch (variant.kernel) {
    case Kernel::kGemm:
      return {2 * variant.multiple_m, 3 * variant.multiple_n, 5 * variant.multiple_k, 0, 0};
    case Kernel::kGemv:
      return {2 * variant.multiple_m, 0, 4160, 0, 0};
    case Kernel::kChain:  // of one depth for all, as the plan has it
      return {0, 8, 3 * variant.multiple_k, 2 * variant.multiple_count, 0};
    default:
      return {0, 0, 0, 70004, 0};
  }
}

// "right", "wrong: ..." or the error; `replaced`, where there is one, stands for the entry of that name.
std::string ComputeIn(Order order, const Variant& variant, std::string_view name = {},
                      const tests::EmulatedKernel& replaced = {}) {
  backends::Limits limits;
  limits.max_buffer_bytes = 1U << 30U;
  limits.shape = {2, 1024, 32};
  const auto find = [&](std::string_view entry) {
    return entry == name ? replaced : tests::FindMetalEntry(entry);
  };
  tests::EmulatedSession session(order, limits, find, 0);
  return tests::Compute(session, All(), variant, ProblemOf(variant));
}

class MetalKernel : public testing::TestWithParam<Variant> {};

TEST_P(MetalKernel, ComputesWhatTheReferenceSays) {
  for (const Order order : {Order::kForward, Order::kBackward})
    EXPECT_EQ(ComputeIn(order, GetParam()), "right");
}
INSTANTIATE_TEST_SUITE_P(, MetalKernel, testing::ValuesIn(Computing()),
                         [](const auto& tested) { return std::string(tested.param.steps[0].entry); });

// The language asks for it: the memory of a group is handed out by 16 bytes.
TEST(MetalVariants, TakeAGroupsMemoryBySixteenBytes) {
  for (const Variant& variant : All()) EXPECT_EQ(variant.steps[0].shared_bytes % 16, 0) << variant.name;
}

// A kernel that hangs takes its family along (report/run/exclusions.h).
TEST(MetalVariants, OfOneFamilyAreFromOneModule) {
  std::map<std::string, const char*> sources;
  for (const Variant& variant : All()) {
    if (variant.kernel != Kernel::kGemm) continue;
    EXPECT_TRUE(variant.name.starts_with(variant.family + "_")) << variant.name;
    const char* source = variant.steps[0].source.data();
    EXPECT_EQ(sources.emplace(variant.family, source).first->second, source) << variant.name;
  }
}

TEST(MetalVariants, NoTwoHaveOneNameForOneKernelAndTypes) {
  std::set<std::tuple<Kernel, kernels::Dtype, kernels::Dtype, std::string>> seen;
  for (const Variant& variant : All()) {
    EXPECT_TRUE(seen.emplace(variant.kernel, variant.in, variant.acc, variant.name).second) << variant.name;
  }
}

class MetalDefect : public testing::TestWithParam<tests::MetalDefect> {};

TEST_P(MetalDefect, IsFoundOut) {
  const auto& defect = GetParam();
  const auto variant = std::find_if(
      All().begin(), All().end(), [&](const Variant& known) { return known.steps[0].entry == defect.entry; });
  ASSERT_NE(variant, All().end());
  ASSERT_TRUE(defect.kernel);
  // A fill has no result of its own: what reads its operands does.
  const auto computing = Computing();
  const auto tested = variant->kernel != Kernel::kFill
                          ? variant
                          : std::find_if(computing.begin(), computing.end(),
                                         [&](const Variant& known) { return known.in == variant->in; });
  std::string found;
  for (const Order order : {Order::kForward, Order::kBackward}) {
    const std::string what = ComputeIn(order, *tested, defect.entry, defect.kernel);
    if (what != "right") found = what;
  }
  EXPECT_THAT(found, testing::AnyOf(testing::StartsWith("wrong: "), testing::HasSubstr("undefined: ")));
}
INSTANTIATE_TEST_SUITE_P(, MetalDefect, testing::ValuesIn(tests::MetalDefects()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
