// SPDX-License-Identifier: MIT
#include "backends/core/plan.h"

#include <gtest/gtest.h>

#include <cmath>

namespace backends {
namespace {

using kernels::Dtype;
using kernels::Kernel;
using kernels::Problem;
using kernels::Role;
using kernels::Variant;
using kernels::View;

constexpr std::uint64_t kMiB = 1U << 20U;

Variant Gemm() {
  Variant variant;
  variant.kernel = Kernel::kGemm;
  kernels::Step step;
  step.bindings = {{Role::kA, View::kStorage}, {Role::kB, View::kStorage}, {Role::kC, View::kStorage}};
  variant.steps = {step};
  return variant;
}

Variant Read(View view = View::kStorage) {
  Variant variant;
  variant.kernel = Kernel::kRead;
  variant.in = Dtype::kU32;
  variant.acc = Dtype::kU32;
  kernels::Step step;
  step.bindings = {{Role::kIn, view}, {Role::kPartials, View::kStorage}};
  variant.steps = {step};
  variant.steps.front().geometry.partials_a_group = 1024;
  return variant;
}

Variant Copy() {
  Variant copy = Read();
  copy.kernel = Kernel::kCopy;
  copy.steps.front().bindings = {{Role::kIn, View::kStorage}, {Role::kOut, View::kStorage}};
  return copy;
}

Variant Triad() {
  Variant triad = Copy();
  triad.kernel = Kernel::kTriad;
  triad.in = Dtype::kFp32;
  triad.steps.front().bindings = {
      {Role::kA, View::kStorage}, {Role::kB, View::kStorage}, {Role::kOut, View::kStorage}};
  return triad;
}

Variant Gemv(Dtype in) {
  Variant variant;
  variant.kernel = Kernel::kGemv;
  variant.in = in;
  kernels::Step step;
  step.bindings = {{Role::kW, View::kStorage}, {Role::kX, View::kStorage}, {Role::kY, View::kStorage}};
  variant.steps = {step};
  variant.multiple_k = 32;
  return variant;
}

struct Machine {
  Limits limits;
  probe::RuntimeDevice device;
  std::optional<probe::Processor> processor;

  Machine() {
    limits.max_buffer_bytes = 4096 * kMiB;
    limits.memory_free_bytes = 16384 * kMiB;
    limits.cache_bytes = 32 * kMiB;
    device.kind = probe::DeviceKind::kDiscrete;
  }
  [[nodiscard]] Shape Plan(const Variant& variant, double rate) const {
    const Variant* const variants[] = {&variant};
    return PlanShapes(variants, rate, {limits, device, processor}).front();
  }
  // Of all the arrays of a kernel.
  [[nodiscard]] double PlannedMiB(const Variant& variant, double rate) const {
    return Work(variant, Plan(variant, rate)) / static_cast<double>(kMiB);
  }
};

std::vector<double> Rates(double first, double limit, double factor) {
  std::vector<double> rates;
  while (first < limit) {
    rates.push_back(first);
    first *= factor;
  }
  return rates;
}

TEST(Plan, ProblemsGrowAsFarAsTheirNumbersDo) {
  kernels::Variant read;
  read.kernel = kernels::Kernel::kRead;
  kernels::Problem problem{.count = 16384};
  for (int i = 0; i < 40; ++i) {
    const auto larger = LargerProblem(read, problem);
    EXPECT_GE(larger.count, problem.count) << "4 GiB of words once became none";
    problem = larger;
  }
  EXPECT_EQ(LargerProblem(read, problem), problem);
  kernels::Variant gemv;
  gemv.kernel = kernels::Kernel::kGemv;
  Limits limits;
  limits.max_buffer_bytes = UINT64_MAX;
  gemv.steps.push_back({.bindings = {{kernels::Role::kW}, {kernels::Role::kX}, {kernels::Role::kY}}});
  EXPECT_EQ(Misfit(gemv, {.problem = {.m = 65535, .k = 65536}}, limits), "");
  EXPECT_NE(Misfit(gemv, {.problem = {.m = 65536, .k = 65536}}, limits).find("4294967296 elements"),
            std::string::npos);
}

TEST(Plan, SquareSizesFollowTheFormula) {
  EXPECT_EQ(SquareGemmSize(1e3), 256U);
  EXPECT_EQ(SquareGemmSize(240e9), 1280U);  // cbrt(1.2e9) = 1063
  EXPECT_EQ(SquareGemmSize(20e12), 4864U);  // cbrt(1e11) = 4642
  EXPECT_EQ(SquareGemmSize(788e12), 8192U);
  for (const double rate : Rates(1e9, 1e15, 1.7)) {
    const double n = SquareGemmSize(rate);
    EXPECT_EQ(std::fmod(n, 256), 0);
    EXPECT_TRUE(n == 8192 || 2 * n * n * n / rate >= 0.0099) << rate;
  }
}

TEST(Plan, SlowDevicesGetProductsWithinTheLaunchLimit) {
  const Machine machine;
  const Variant gemm = Gemm();
  for (const double rate : Rates(1e6, 1e12, 3)) {
    const Shape shape = machine.Plan(gemm, rate);
    EXPECT_TRUE(shape.problem.m == 32 || Work(gemm, shape) <= rate * kMaxLaunchSeconds) << rate;
    EXPECT_EQ(shape.problem.m, shape.problem.n);
  }
  EXPECT_EQ(machine.Plan(gemm, 1e4).problem.m, 32U);
}

TEST(Plan, ProductsHonourBufferLimitsAndTiles) {
  Machine machine;
  machine.limits.max_buffer_bytes = 16 * kMiB;
  Variant gemm = Gemm();
  EXPECT_EQ(machine.Plan(gemm, 100e12).problem.m, 2048U) << "4 * 2048 * 2048 bytes";
  machine.limits.max_buffer_bytes = 4096 * kMiB;
  gemm.multiple_m = 96;
  const Problem problem = machine.Plan(gemm, 1e9).problem;
  EXPECT_EQ(problem.m % 96, 0U);
  EXPECT_EQ(problem.n, 256U);
}

TEST(Plan, ArraysExceedTheCacheFourTimes) {
  Machine machine;
  machine.device.kind = probe::DeviceKind::kIntegrated;
  EXPECT_NEAR(machine.PlannedMiB(Read(), 1e12), 136, 8);
  machine.device.kind = probe::DeviceKind::kDiscrete;
  EXPECT_NEAR(machine.PlannedMiB(Read(), 1e12), 1032, 8) << "a GiB on a discrete GPU";
  machine.limits.cache_bytes = 512 * kMiB;
  EXPECT_NEAR(machine.PlannedMiB(Read(), 1e12), 2056, 8);
  machine.limits.cache_bytes = 1 * kMiB;
  machine.device.kind = probe::DeviceKind::kIntegrated;
  EXPECT_EQ(machine.PlannedMiB(Read(), 1e12), 4);
}

TEST(Plan, LargeArraysOfAllMemoryKernelsAreOfOneSize) {
  Machine machine;
  machine.device.kind = probe::DeviceKind::kIntegrated;
  machine.limits.cache_bytes = 64 * kMiB;
  const Shape read = machine.Plan(Read(), 1e12);
  const Shape copy = machine.Plan(Copy(), 1e12);
  const Shape triad = machine.Plan(Triad(), 1e12);
  const Shape gemv = machine.Plan(Gemv(Dtype::kFp32), 1e12);
  EXPECT_EQ(read.copies, 3U);
  EXPECT_EQ(copy.copies, 2U);
  EXPECT_EQ(triad.copies, 1U);
  EXPECT_EQ(copy.problem.count, read.problem.count);
  EXPECT_EQ(triad.problem.count, read.problem.count);
  EXPECT_EQ(gemv.problem.m * gemv.problem.k, read.problem.count);
  EXPECT_TRUE(gemv.note.empty() && triad.note.empty()) << "each exceeds the caches";
}

// Of 4.4 TB/s 1 GiB are 0.24 ms.
TEST(Plan, FastMemoryIsReadForAMillisecondALaunch) {
  Machine machine;
  machine.limits.memory_free_bytes = 140000 * kMiB;
  machine.limits.max_buffer_bytes = 140000 * kMiB;
  const Shape read = machine.Plan(Read(), 4.4e12);
  EXPECT_EQ(read.copies, 1U);
  EXPECT_EQ(read.problem.count, 1024 * kMiB) << "4 GiB of words";
  EXPECT_EQ(machine.Plan(Read(), 4.1e12).problem.count, read.problem.count) << "whatever a run finds";
  EXPECT_TRUE(read.note.empty());
  for (const Variant& variant : {Copy(), Triad()}) {
    const Shape shape = machine.Plan(variant, 4.4e12);
    EXPECT_EQ(shape.copies, 1U);
    EXPECT_NEAR(shape.problem.count, 256.0 * kMiB, 2.0 * kMiB) << "a GiB, which is fetched and checked";
  }
  EXPECT_EQ(machine.Plan(Read(), 8e12).problem.count, 2048 * kMiB);
  machine.device.kind = probe::DeviceKind::kIntegrated;
  EXPECT_EQ(machine.Plan(Read(), 4.4e12).problem.count, 1024 * kMiB) << "memory of its own or not";
  machine.limits.memory_free_bytes = 12000 * kMiB;
  EXPECT_EQ(machine.Plan(Read(), 4.4e12).problem.count, 512 * kMiB) << "a quarter of the free memory";
  machine.device.kind = probe::DeviceKind::kSoftware;
  EXPECT_LE(machine.PlannedMiB(Read(), 4.4e12), 137) << "on the host memory is dear to touch";
}

TEST(Plan, LittleTimeKeepsTheArraysOfFastMemorySmall) {
  const Machine machine;
  const Variant read = Read();
  const Variant* const reads[] = {&read};
  PlanFacts facts{machine.limits, machine.device, machine.processor};
  EXPECT_EQ(Work(read, PlanShapes(reads, 4.4e12, facts).front()), 4096.0 * kMiB);
  facts.launch_s = 0.0002;
  EXPECT_NEAR(Work(read, PlanShapes(reads, 4.4e12, facts).front()), 1032.0 * kMiB, 8.0 * kMiB);
}

TEST(Plan, ALayersProductThatIsDoneAtOnceIsLaunchedForSeveral) {
  Machine machine;
  machine.limits.memory_free_bytes = 140000 * kMiB;
  machine.limits.max_buffer_bytes = 140000 * kMiB;
  const auto rows = [&](Dtype dtype, double rate) { return machine.Plan(Gemv(dtype), rate).problem.m; };
  EXPECT_EQ(rows(Dtype::kQ4, 1e12), 4096U) << "33 us";
  EXPECT_EQ(rows(Dtype::kQ4, 4.4e12), 65536U) << "7.5 us, 120 us";
  EXPECT_EQ(rows(Dtype::kFp16, 4.4e12), 4096U) << "27 us";
  EXPECT_EQ(rows(Dtype::kFp16, 8e12), 32768U) << "15 us, 117 us";
  EXPECT_EQ(rows(Dtype::kFp32, 8e12), 4096U) << "29 us";
  const Shape shape = machine.Plan(Gemv(Dtype::kQ4), 4.4e12);
  EXPECT_EQ(shape.copies, 3U) << "they exceed the caches together";
  EXPECT_TRUE(shape.note.empty());
  machine.limits.max_buffer_bytes = 256 * kMiB;
  EXPECT_EQ(rows(Dtype::kQ4, 4.4e12), 32768U) << "what a buffer holds";
}

TEST(Plan, TheProcessorsMemoryKernelsNeedNoMoreThanSixArrays) {
  Machine machine;
  machine.limits.cache_bytes = 64 * kMiB;
  machine.device.kind = probe::DeviceKind::kCpu;
  EXPECT_EQ(machine.Plan(Read(), 1e12).copies, 6U);
  EXPECT_EQ(machine.Plan(Copy(), 1e12).copies, 3U);
  EXPECT_EQ(machine.Plan(Triad(), 1e12).copies, 2U);
  EXPECT_EQ(machine.Plan(Gemv(Dtype::kQ4), 1e12).copies, 6U);
}

TEST(Plan, OnTheHostAWeightOfAnyTypeFillsASharedArray) {
  Machine machine;
  machine.limits.cache_bytes = 64 * kMiB;
  machine.device.kind = probe::DeviceKind::kSoftware;
  const Shape read = machine.Plan(Read(), 1e12);
  const std::uint64_t array = read.problem.count * sizeof(float);
  for (const Dtype dtype : {Dtype::kFp32, Dtype::kFp16, Dtype::kQ4}) {
    const Variant variant = Gemv(dtype);
    const Shape shape = machine.Plan(variant, 1e12);
    const std::uint64_t weight = BufferBytes(variant, Role::kW, shape.problem, {});
    EXPECT_LE(weight, array);
    EXPECT_GT(weight, array - array / 50);
    EXPECT_EQ(shape.copies, read.copies);
  }
  machine.device.kind = probe::DeviceKind::kDiscrete;
  EXPECT_EQ(machine.Plan(Gemv(Dtype::kQ4), 1e12).problem.m, 4096U) << "a layer's rows on a device of its own";
}

TEST(Plan, LittleTimeMakesProductsSmallerAndPassesToo) {
  const Machine machine;
  const Variant gemm = Gemm();
  const Variant read = Read();
  const Variant* const gemms[] = {&gemm};
  const Variant* const reads[] = {&read};
  const PlanFacts facts{.limits = machine.limits,
                        .device = machine.device,
                        .processor = machine.processor,
                        .target_s = 0.002,
                        .max_pass_s = 0.010,
                        .prompt_s = 0.002,
                        .max_prompt_s = 0.050};
  const auto products = PlanShapes(gemms, 250e9, facts);
  EXPECT_EQ(products[0].problem.m, 768U);  // cbrt(2.5e8) = 630
  EXPECT_EQ(products[1].problem.m, 32U);
  EXPECT_FALSE(products[1].too_long) << "4 ms, of 50 allowed with the fewest rows";
  EXPECT_LE(Work(read, PlanShapes(reads, 30e9, facts).front()), 0.3e9);
}

TEST(Plan, ArraysTakeAQuarterOfTheFreeMemoryAtMost) {
  Machine machine;
  machine.limits.memory_free_bytes = 1024 * kMiB;
  EXPECT_NEAR(machine.PlannedMiB(Read(), 1e12), 260, 8);
  machine.device.memory_free_bytes = 512 * kMiB;
  EXPECT_NEAR(machine.PlannedMiB(Read(), 1e12), 132, 8);
}

TEST(Plan, SmallBuffersAndTexelViewsBecomeSeveralLaunches) {
  Machine machine;
  machine.limits.max_buffer_bytes = 128 * kMiB;
  Shape shape = machine.Plan(Read(), 1e12);
  EXPECT_EQ(shape.copies, 9U) << "whole rows of a weight in less than 128 MiB";
  EXPECT_LE(BufferBytes(Read(), Role::kIn, shape.problem, {}), machine.limits.max_buffer_bytes);
  EXPECT_NEAR(Reported(shape).count * 4.0, 1080.0 * kMiB, 60.0 * kMiB);
  machine.limits.max_texel_elements = 1U << 20U;  // of 16 bytes
  shape = machine.Plan(Read(View::kTexelUint4), 1e12);
  EXPECT_TRUE(Misfit(Read(View::kTexelUint4), shape, machine.limits).empty());
  EXPECT_GE(shape.copies, 64U);
}

TEST(Plan, SlowReadsShrinkAndSaySo) {
  const Machine machine;
  const Shape shape = machine.Plan(Read(), 1e9);
  EXPECT_LE(Work(Read(), shape), 1e8);
  EXPECT_FALSE(shape.note.empty());
}

TEST(Plan, APassMayTakeLongerWhereItsArraysWouldElseBeInTheCaches) {
  Machine machine;
  machine.device.kind = probe::DeviceKind::kIntegrated;
  const Variant read = Read();
  const Variant gemv = Gemv(Dtype::kQ4);
  for (const Variant* variant : {&read, &gemv}) {
    const Variant* const variants[] = {variant};
    PlanFacts facts{machine.limits, machine.device, machine.processor};
    facts.max_pass_s = 0.001;
    const auto reason = [&](double rate) {
      return CachedReason(*variant, PlanShapes(variants, rate, facts).front(), rate, facts);
    };
    EXPECT_EQ(reason(1e9), "") << "64 MiB in 67 ms";
    EXPECT_NE(reason(0.5e9).find("0.1"), std::string::npos) << "134 ms";
    facts.most_pass_s = 0.3;
    EXPECT_EQ(reason(0.5e9), "");
  }
}

TEST(Plan, ArraysInTheCachesTellNothingOfMemory) {
  Machine machine;
  const auto told = [&](std::uint32_t mib) {
    return CachedReason(Read(), {.problem = {.count = mib << 18U}}, 1e12,
                        {machine.limits, machine.device, machine.processor});
  };
  EXPECT_NE(told(127 / 2), "") << "of a discrete GPU a larger cache than it tells is expected";
  EXPECT_EQ(told(128), "");
  machine.limits.cache_bytes.reset();
  EXPECT_NE(told(96), "") << "unknown";
  machine.device.kind = probe::DeviceKind::kIntegrated;
  EXPECT_NE(told(96), "");
  EXPECT_EQ(told(128), "");
  machine.limits.cache_bytes = 8 * kMiB;
  EXPECT_EQ(told(16), "");
  EXPECT_NE(told(8), "");
  EXPECT_EQ(CachedReason(Gemm(), {.problem = {.m = 256, .n = 256, .k = 256}}, 1e12,
                         {machine.limits, machine.device, machine.processor}),
            "")
      << "a product is not bound by memory";
}

TEST(Plan, WithLittleMemoryArraysTakeMoreOfItOrAllThatThereIs) {
  Machine machine;
  machine.device.kind = probe::DeviceKind::kCpu;
  const auto reason = [&] {
    return CachedReason(Read(), machine.Plan(Read(), 1e10), 1e10,
                        {machine.limits, machine.device, machine.processor});
  };
  machine.limits.memory_free_bytes = 100 * kMiB;
  EXPECT_NEAR(machine.PlannedMiB(Read(), 1e10), 67, 5) << "more than half of it, to exceed 32 MiB";
  EXPECT_EQ(reason(), "");
  machine.limits.memory_free_bytes = 40 * kMiB;
  EXPECT_NE(reason(), "") << "others have the rest";
  machine.device.memory_total_bytes = 100 * kMiB;
  EXPECT_EQ(reason(), "") << "there is no more than three times the cache";
  EXPECT_NE(machine.Plan(Read(), 1e10).note.find("hardly more memory"), std::string::npos);
}

// A limit on the process makes no device of little memory: the less it leaves the less is known.
TEST(Plan, ALimitOnTheProcessIsToldAndTellsNothingOfMemory) {
  Machine machine;
  machine.device.kind = probe::DeviceKind::kCpu;
  machine.device.memory_total_bytes = 64 * 1024 * kMiB;
  machine.processor.emplace();
  for (const std::uint64_t limit : {100 * kMiB, 60 * kMiB}) {
    machine.processor->memory_limit_bytes = limit;
    machine.limits.memory_free_bytes = limit / 6;
    const Shape shape = machine.Plan(Read(), 1e10);
    EXPECT_EQ(shape.note.find("hardly more memory"), std::string::npos);
    EXPECT_NE(CachedReason(Read(), shape, 1e10, {machine.limits, machine.device, machine.processor})
                  .find("the limit on address space"),
              std::string::npos);
  }
}

TEST(Plan, SenselessLimitsStillYieldAFinitePlan) {
  Machine machine;
  machine.limits.max_buffer_bytes = 0;
  machine.limits.memory_free_bytes = 0;
  const Shape shape = machine.Plan(Read(), 1e300);
  EXPECT_LE(shape.copies, 256U);
  EXPECT_FALSE(Misfit(Read(), shape, machine.limits).empty());
  EXPECT_FALSE(Misfit(Gemm(), machine.Plan(Gemm(), 1e300), machine.limits).empty());
}

TEST(Plan, PromptsProductLosesRowsUntilItFitsTheLaunchLimit) {
  const Machine machine;
  const Variant gemm = Gemm();
  const Variant* const variants[] = {&gemm};
  const auto rows = [&](double rate) {
    const Shape shape = PlanShapes(variants, rate, {machine.limits, machine.device, machine.processor}).at(1);
    EXPECT_EQ(shape.problem.n, 4096U);
    EXPECT_EQ(shape.problem.k, 4096U);
    return std::pair(shape.problem.m, shape.too_long);
  };
  EXPECT_EQ(rows(1e12), std::pair(512U, false));
  EXPECT_EQ(rows(26e9), std::pair(64U, false));  // 83 ms
  EXPECT_EQ(rows(1e9), std::pair(32U, true));
}

TEST(Plan, ArraysOfOneKernelTogetherExceedTheCache) {
  Machine machine;
  machine.device.kind = probe::DeviceKind::kIntegrated;
  machine.limits.cache_bytes = 8 * kMiB;
  EXPECT_EQ(machine.Plan(Copy(), 1e12).problem.count * 8ULL, 32 * kMiB);
  const Problem problem = machine.Plan(Triad(), 1e12).problem;
  EXPECT_NEAR(problem.count * 12.0, 32.0 * kMiB, 1.0 * kMiB);
  EXPECT_EQ(BufferBytes(Triad(), Role::kB, problem, {}), problem.count * 4ULL);
}

TEST(Plan, WeightsTogetherExceedTheCache) {
  Machine machine;
  machine.device.kind = probe::DeviceKind::kIntegrated;
  machine.limits.cache_bytes = 64 * kMiB;
  const Shape half = machine.Plan(Gemv(Dtype::kFp16), 1e12);
  EXPECT_EQ(half.problem, (Problem{4096, 0, 14336, 0, 0}));
  EXPECT_EQ(half.copies, 3U);                                  // of 117 MB, for 268 MB
  EXPECT_EQ(machine.Plan(Gemv(Dtype::kQ4), 1e12).copies, 9U);  // of 33 MB
  EXPECT_TRUE(half.note.empty());
}

TEST(Plan, WeightsLoseRowsWhereTheyAreTooLargeOrTooSlow) {
  Machine machine;
  machine.limits.max_buffer_bytes = 128 * kMiB;
  EXPECT_LE(BufferBytes(Gemv(Dtype::kFp32), Role::kW, machine.Plan(Gemv(Dtype::kFp32), 1e12).problem, {}),
            128 * kMiB);
  const Shape slow = machine.Plan(Gemv(Dtype::kFp32), 1e8);
  EXPECT_LE(Work(Gemv(Dtype::kFp32), slow), 1e7);
  EXPECT_FALSE(slow.note.empty());
}

TEST(Plan, ChainsLastTenMillisecondsAndStayExact) {
  Machine machine;
  machine.limits.shape.compute_units = 4;
  Variant chain;
  chain.kernel = Kernel::kChain;
  chain.multiple_count = 192;
  kernels::Step step;
  step.bindings = {{Role::kOut, View::kStorage}};
  chain.steps = {step};
  for (const double rate : Rates(1e6, 1e16, 10)) {
    const Shape shape = machine.Plan(chain, rate);
    EXPECT_EQ(shape.problem.count % 192, 0U);
    EXPECT_LT(static_cast<double>(shape.problem.n) * shape.problem.k, 0x1p24);
    EXPECT_GE(shape.problem.k, 64U);
    const double steps = shape.problem.k;
    EXPECT_TRUE(steps == 64 || steps > 8e6 || std::abs(Work(chain, shape) / rate - 0.010) < 0.005) << rate;
  }
}

probe::Processor Processor(std::uint64_t cache_bytes, std::uint32_t shared_by, std::uint32_t instances,
                           std::uint32_t usable_threads) {
  probe::Processor processor;
  processor.usable_threads = usable_threads;
  processor.caches = {{1, "data", 48U << 10U, 1, 64}, {3, "unified", cache_bytes, shared_by, instances}};
  return processor;
}

TEST(Plan, CacheCountsAsFarAsOurThreadsShareIt) {
  EXPECT_EQ(UsableCacheBytes(Processor(32 * kMiB, 16, 1, 16)), 32 * kMiB);
  EXPECT_EQ(UsableCacheBytes(Processor(32 * kMiB, 16, 8, 128)), 256 * kMiB) << "eight of them";
  EXPECT_EQ(UsableCacheBytes(Processor(32 * kMiB, 16, 8, 16)), 32 * kMiB) << "confined to one of eight";
  EXPECT_EQ(UsableCacheBytes(Processor(260 * kMiB, 2, 1, 2)), 64 * kMiB) << "two cores of a virtual machine";
  EXPECT_EQ(UsableCacheBytes(probe::Processor()), std::nullopt);
}

TEST(Plan, HostDevicesUseTheHostsCache) {
  Machine machine;
  machine.device.kind = probe::DeviceKind::kSoftware;
  machine.limits.cache_bytes = 260 * kMiB;
  machine.processor = Processor(8 * kMiB, 4, 1, 4);
  EXPECT_EQ(machine.PlannedMiB(Read(), 1e12), 32);
}

}  // namespace
}  // namespace backends
