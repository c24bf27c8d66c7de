// SPDX-License-Identifier: MIT
// The processor as a device: buffers, kernels, limits, and a whole measurement of the real one.
#include "backends/cpu/cpu_session.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "backends/core/runner.h"
#include "backends/cpu/library_variants.h"
#include "kernels/cpu/cpu_kernel.h"
#include "kernels/cpu/quirks.h"
#include "kernels/operand.h"
#include "probe/system/environment.h"

namespace backends::cpu {
Backend Describe();

namespace {

using kernels::Kernel;
using probe::system::Environment;
using probe::system::FileSystem;

class CpuSessionTest : public ::testing::Test {
 protected:
  [[nodiscard]] OpenRequest Request() const {
    OpenRequest request{{}, std::nullopt, *files_, environment_};
    request.device.runtime = "cpu";
    request.device.kind = probe::DeviceKind::kCpu;
    return request;
  }
  [[nodiscard]] std::unique_ptr<Session> OpenNow() const {
    auto session = Describe().open(Request());
    EXPECT_TRUE(session.ok());
    return *std::move(session);
  }
  [[nodiscard]] static kernels::Variant First(Kernel kernel, kernels::Dtype in) {
    for (const kernels::Variant& variant : Describe().variants({})) {
      if (variant.kernel == kernel && variant.in == in) return variant;
    }
    ADD_FAILURE() << "no such variant";
    return {};
  }

  probe::Result<FileSystem> files_ = FileSystem::Open("/");
  Environment environment_;
};

TEST_F(CpuSessionTest, BuffersHoldWhatIsWrittenAndRefuseWhatIsOutside) {
  const auto session = OpenNow();
  const auto buffer = session->Allocate({64, {}});
  ASSERT_TRUE(buffer.ok());
  const std::array<std::byte, 4> in = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  std::array<std::byte, 4> out{};
  EXPECT_TRUE(session->Upload(*buffer, 60, in).ok());
  EXPECT_TRUE(session->Download(*buffer, 60, out).ok());
  EXPECT_EQ(in, out);
  EXPECT_FALSE(session->Upload(*buffer, 61, in).ok());
  EXPECT_FALSE(session->Download(*buffer, UINT64_MAX, out).ok());
  EXPECT_FALSE(session->Upload(BufferId{99}, 0, in).ok());
  session->Release(*buffer);
  EXPECT_FALSE(session->Upload(*buffer, 0, in).ok());
  session->Release(*buffer);
}

TEST_F(CpuSessionTest, ReleasedMemoryServesTheNextBufferWithinItsOwnBounds) {
  const auto session = OpenNow();
  const auto large = session->Allocate({8U << 20U, {}});
  ASSERT_TRUE(large.ok());
  session->Release(*large);
  const auto small = session->Allocate({4U << 20U, {}});
  ASSERT_TRUE(small.ok());
  const std::array<std::byte, 1> byte{};
  EXPECT_TRUE(session->Upload(*small, (4U << 20U) - 1, byte).ok());
  EXPECT_FALSE(session->Upload(*small, 4U << 20U, byte).ok());
  EXPECT_FALSE(session->Upload(*large, 0, byte).ok()) << "released";
}

TEST_F(CpuSessionTest, MemoryThatTheMachineHasNotIsAnError) {
  const auto session = OpenNow();
  const auto buffer = session->Allocate({std::uint64_t{1} << 60U, {}});
  ASSERT_FALSE(buffer.ok());
  EXPECT_EQ(buffer.error().call, "mmap");
  EXPECT_TRUE(session->Allocate({4096, {}}).ok()) << "and the session goes on";
}

TEST_F(CpuSessionTest, FillWritesTheOperand) {
  const auto session = OpenNow();
  constexpr std::uint32_t kCount = 100001;
  const auto buffer = session->Allocate({std::uint64_t{kCount} * 4, {}});
  ASSERT_TRUE(buffer.ok());
  const kernels::Variant fill = First(Kernel::kFill, kernels::Dtype::kU32);
  const auto kernel = session->Load(fill, fill.steps.front());
  ASSERT_TRUE(kernel.ok());
  const Launch launch{*kernel,
                      {{*buffer, kernels::View::kStorage}},
                      kernels::ShapeOf(fill.steps.front(), {0, 0, 0, kCount, 9}, session->limits().shape)};
  const auto timing = session->Run({&launch, 1}, 1);
  ASSERT_TRUE(timing.ok());
  EXPECT_FALSE(timing->device_s);
  EXPECT_GT(timing->wall_s, 0);
  std::vector<std::uint32_t> words(kCount);
  ASSERT_TRUE(session->Download(*buffer, 0, std::as_writable_bytes(std::span(words))).ok());
  for (std::uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(words[i], kernels::OperandBits(9, i));
  session->Release(*buffer);
  EXPECT_FALSE(session->Run({&launch, 1}, 1).ok()) << "bound after its release";
}

TEST_F(CpuSessionTest, UnknownEntriesAndInstructionSetsDoNotLoad) {
  const auto session = OpenNow();
  kernels::Step step;
  step.entry = "gemm_fp32";
  step.options = "vax";
  EXPECT_FALSE(session->Load({}, step).ok());
}

TEST_F(CpuSessionTest, OnlyTheProcessorIsOpened) {
  OpenRequest request = Request();
  request.device.kind = probe::DeviceKind::kSoftware;
  EXPECT_FALSE(Describe().open(request).ok());
}

TEST_F(CpuSessionTest, LimitsFollowMemoryAndQuota) {
  OpenRequest request = Request();
  request.processor.emplace().memory_limit_bytes = 64U << 20U;
  request.processor->quota_cores = 1.2;
  request.processor->features = {"avx2"};
  const auto session = Describe().open(request);
  ASSERT_TRUE(session.ok());
  EXPECT_LE((*session)->limits().memory_free_bytes, 64U << 20U);
  EXPECT_EQ((*session)->limits().shape.compute_units, 1U);
  // What the processor was said to have, and what the kernels found out about its sums of int8.
  std::vector<std::string> features = request.processor->features;
  if (kernels::cpu::AddsInt8In32Bits()) features.emplace_back(kInt8Dot);
  EXPECT_EQ((*session)->limits().features, features);
}

TEST_F(CpuSessionTest, AllBuffersTogetherStayWithinAMemoryLimit) {
  constexpr std::uint64_t kMiB = 1U << 20U;
  OpenRequest request = Request();
  request.processor.emplace().memory_limit_bytes = 64 * kMiB;
  const auto session = Describe().open(request);
  ASSERT_TRUE(session.ok());
  EXPECT_LE((*session)->limits().memory_free_bytes, 48 * kMiB) << "with room for the process itself";
  std::vector<BufferId> held;
  for (int i = 0; i < 2; ++i) {
    const auto buffer = (*session)->Allocate({15 * kMiB, {}});
    ASSERT_TRUE(buffer.ok());
    held.push_back(*buffer);
  }
  const auto refused = (*session)->Allocate({15 * kMiB, {}});
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(refused.error().text.starts_with(kNoMemoryForBuffer)) << refused.error().text;
  (*session)->Release(held.back());
  EXPECT_TRUE((*session)->Allocate({25 * kMiB, {}}).ok()) << "what is kept for later gives way";
}

TEST_F(CpuSessionTest, AQuotaBelowOneProcessorBindsIt) {
  OpenRequest request = Request();
  EXPECT_FALSE((*Describe().open(request))->limits().quota_cores);
  request.processor.emplace().quota_cores = 0.2;
  const auto session = Describe().open(request);
  ASSERT_TRUE(session.ok());
  EXPECT_EQ((*session)->limits().quota_cores, 0.2);
}

TEST_F(CpuSessionTest, VariantsAreTheBestThatRunHereAndLoad) {
  const auto session = OpenNow();
  int gemms = 0;
  for (const kernels::Variant& variant : Describe().variants(session->limits())) {
    EXPECT_TRUE(variant.name.starts_with("own:")) << variant.name;
    for (const kernels::Step& step : variant.steps)
      EXPECT_TRUE(session->Load(variant, step).ok()) << variant.name;
    gemms += variant.kernel == Kernel::kGemm ? 1 : 0;
  }
  EXPECT_GE(gemms, 1);
  EXPECT_EQ(First(Kernel::kGemm, kernels::Dtype::kFp32).steps.front().options,
            kernels::cpu::Best("gemm_fp32")->isa);
}

// Which is faster differs between processors, so both are there to be measured.
TEST_F(CpuSessionTest, WeightsInBlocksMeetTheVectorAsItIsAndIn8Bits) {
  std::vector<std::string> plain, rounded;
  for (const kernels::Variant& variant : Describe().variants({})) {
    if (variant.kernel != Kernel::kGemv || variant.in != kernels::Dtype::kQ4) continue;
    (variant.x_in_8_bits ? rounded : plain).push_back(variant.name);
  }
  EXPECT_EQ(plain, std::vector{"own:" + std::string(kernels::cpu::Best("gemv_q4")->isa)});
  EXPECT_EQ(rounded, std::vector{"own:" + std::string(kernels::cpu::Best("gemv_q4_q8")->isa) + "_q8"});
  EXPECT_TRUE(First(Kernel::kGemv, kernels::Dtype::kQ8).x_in_8_bits);
}

// The real processor, in a short budget: what is asserted is that it is right, not how fast it is.
// Nothing here is about speed: what an idle machine does in little time has much on one that is busy with
// other things.
constexpr double kLittleBudgetSeconds = 0.5;
constexpr double kAmpleBudgetSeconds = 4.0;

std::vector<Measurement> MeasureHere(Session& session, Scope scope, double budget_s) {
  MeasureRequest request;
  request.scope = scope;
  request.device_id = "cpu:0";
  request.device.runtime = "cpu";
  request.device.kind = probe::DeviceKind::kCpu;
  request.budget_s = budget_s;
  std::vector<Measurement> measurements;
  const auto variants = Describe().variants(session.limits());
  Measure(session, variants, request, [&](const MeasureEvent& event) {
    if (const auto* measurement = std::get_if<Measurement>(&event)) measurements.push_back(*measurement);
  });
  return measurements;
}

bool HasVerified(const std::vector<Measurement>& measurements, Kernel kernel) {
  for (const Measurement& m : measurements) {
    const bool found =
        m.kernel == kernel && m.status == MeasurementStatus::kOk && m.verified && m.rate && *m.rate > 0;
    if (found) return true;
  }
  return false;
}

bool HasProductAndRead(const std::vector<Measurement>& measurements) {
  return HasVerified(measurements, Kernel::kGemm) && HasVerified(measurements, Kernel::kRead);
}

bool IsWrong(const Measurement& m) {
  return m.status == MeasurementStatus::kWrongResult || m.status == MeasurementStatus::kFailed;
}

// Beside other programs the little budget may end before both; what went wrong is not tried again.
std::vector<Measurement> MeasureBoth(Session& session, Scope scope) {
  auto measurements = MeasureHere(session, scope, kLittleBudgetSeconds);
  const bool is_wrong = std::any_of(measurements.begin(), measurements.end(), IsWrong);
  if (!is_wrong && !HasProductAndRead(measurements))
    measurements = MeasureHere(session, scope, kAmpleBudgetSeconds);
  return measurements;
}

TEST_F(CpuSessionTest, ProductAndReadOfThisProcessorVerify) {
  const auto session = OpenNow();
  const auto measurements = MeasureBoth(*session, Scope::kWhole);
  EXPECT_TRUE(HasVerified(measurements, Kernel::kGemm));
  EXPECT_TRUE(HasVerified(measurements, Kernel::kRead));
  for (const Measurement& m : measurements) {
    EXPECT_TRUE(m.status == MeasurementStatus::kOk || m.status == MeasurementStatus::kSkipped ||
                m.status == MeasurementStatus::kOverBudget)
        << m.implementation << ": " << m.reason.value_or("");
    EXPECT_EQ(m.threads, session->limits().shape.compute_units);
  }
}

TEST_F(CpuSessionTest, TheClockIsMeasured) {
  const DeviceState state = OpenNow()->State();
  ASSERT_TRUE(state.clock_hz);
  EXPECT_GT(*state.clock_hz, 1e7) << "emulated, perhaps, but a clock";
  EXPECT_LT(*state.clock_hz, 1e10) << "no processor adds so fast: the additions do not wait for each other";
}

// Sanitizers reserve terabytes of addresses: the limit is set above what is in use already. Of what is left
// the C library reserves more than half for two threads' allocations.
TEST_F(CpuSessionTest, ALimitedAddressSpaceIsPlannedFor) {
  const pid_t child = fork();
  if (child == 0) {
    const auto statm = files_->ReadLine("/proc/self/statm");
    const std::uint64_t used = statm ? std::strtoull(statm->c_str(), nullptr, 10) * 4096 : 0;
    const rlimit limit{used + (512U << 20U), used + (512U << 20U)};
    setrlimit(RLIMIT_AS, &limit);
    OpenRequest request = Request();
    request.processor.emplace().caches = {{3, "unified", 16U << 20U, 0, 0}};
    const auto session = Describe().open(request);
    if (!session) _exit(2);
    _exit(HasProductAndRead(MeasureBoth(**session, Scope::kBrief)) ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace backends::cpu
