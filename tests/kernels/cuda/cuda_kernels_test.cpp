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

// What a kernel of no operands but one buffer of 512 bytes, with 48 KiB of shared memory, is said to have
// done.
std::string Wrong(const std::function<void(std::uint8_t* buffer)>& kernel) {
  backends::Limits limits;
  EmulatedSession session(
      Order::kForward, limits,
      [&](std::string_view) -> tests::EmulatedKernel {
        return [&](std::span<void* const> buffers, std::span<const std::uint32_t>) {
          kernel(static_cast<std::uint8_t*>(buffers[0]));
        };
      },
      48U << 10U);
  const auto buffer = session.Allocate({512, {}});
  const auto loaded = session.Load({}, {.entry = "kernel"});
  if (!buffer || !loaded) return "no session";
  backends::Launch launch;
  launch.kernel = *loaded;
  launch.buffers.push_back({.buffer = *buffer});
  launch.shape.groups = {1, 1, 1};
  launch.shape.local = {1, 1, 1};
  const auto run = session.Run({&launch, 1}, 1);
  return run ? "" : run.error().text;
}

TEST(Emulation, AStoreBesideABufferIsNamedAndSpoilsNothing) {
  if (emulation::BandBytes() == 0) GTEST_SKIP() << "AddressSanitizer sees each access itself";
  EXPECT_EQ(Wrong([](std::uint8_t* buffer) { buffer[0] = buffer[511] = 1; }), "");
  EXPECT_EQ(Wrong([](std::uint8_t* buffer) { buffer[512] = 1; }),
            "a store 1 bytes behind the end of buffer 1 of 1");
  EXPECT_EQ(Wrong([](std::uint8_t* buffer) { buffer[100'000] = 1; }),
            "a store 99489 bytes behind the end of buffer 1 of 1");
  EXPECT_EQ(Wrong([](std::uint8_t* buffer) { *(buffer - 8) = 1; }),
            "a store 8 bytes before the beginning of buffer 1 of 1");
}

TEST(Emulation, AStoreBesideABlocksSharedMemoryIsNamedAndSpoilsNothing) {
  if (emulation::BandBytes() == 0) GTEST_SKIP() << "AddressSanitizer sees each access itself";
  EXPECT_EQ(Wrong([](std::uint8_t*) { emulation::Shared()[(48U << 10U) - 1] = 1; }), "");
  EXPECT_EQ(Wrong([](std::uint8_t*) { emulation::Shared()[(48U << 10U) + 3] = 1; }),
            "a store 4 bytes behind the end of a block's dynamic shared memory");
  EXPECT_EQ(Wrong([](std::uint8_t*) { *(emulation::Shared() - 2) = 1; }),
            "a store 2 bytes before a block's dynamic shared memory");
}

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
