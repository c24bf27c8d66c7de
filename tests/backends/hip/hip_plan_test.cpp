// SPDX-License-Identifier: MIT
// What a device that also drives a display is given: a launch that lasts for seconds may take the display
// down with it.
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/core/plan.h"
#include "backends/core/reporter.h"
#include "backends/core/tasks.h"
#include "kernels/hip/variants.h"

namespace backends {
namespace {

constexpr double kMostSeconds = 0.5;

class HipPlan : public testing::TestWithParam<const char*> {};

// However fast or slow it is, from a hundredth of the slowest that is sold to the fastest.
TEST_P(HipPlan, EveryLaunchOnAnIntegratedDeviceIsShort) {
  Limits limits;
  limits.max_buffer_bytes = limits.memory_free_bytes.emplace(std::uint64_t{64} << 30U);
  limits.cache_bytes = 64U << 20U;
  limits.shape = {40, 1024, 32};
  limits.features = kernels::hip::FeaturesOf(GetParam());
  probe::RuntimeDevice device;
  device.kind = probe::DeviceKind::kIntegrated;
  const std::optional<probe::Processor> none;
  std::vector<kernels::Variant> usable = kernels::hip::Variants();
  std::erase_if(usable, [&](const auto& variant) { return !MissingFeature(variant, limits).empty(); });
  int planned = 0;
  for (const Task& task : GroupVariants(usable)) {
    const bool moves = kernels::Row(task.kernel).unit == "bytes_per_s";
    for (double rate = moves ? 1e8 : 1e9; rate < (moves ? 1e12 : 1e14); rate *= 3) {
      for (const Shape& shape : PlanShapes(task.variants, rate, {limits, device, none})) {
        if (shape.too_long) continue;  // and is not launched
        ++planned;
        const double launch_s = Work(*task.variants.front(), shape) / shape.copies / rate;
        EXPECT_LT(launch_s, kMostSeconds) << Title(*task.variants.front()) << " at " << rate;
      }
    }
  }
  EXPECT_GT(planned, 50);
}
INSTANTIATE_TEST_SUITE_P(, HipPlan, testing::Values("gfx90c", "gfx1036", "gfx1103", "gfx1151"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace backends
