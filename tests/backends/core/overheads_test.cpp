// SPDX-License-Identifier: MIT
// What surrounds the kernels: launches, and transfers of pageable and of pinned memory.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#include "backends/core/statistics.h"
#include "tests/backends/core/fake_session.h"

namespace {
// A host that has no more than that for one array.
std::size_t g_most_bytes = SIZE_MAX;
}  // namespace

// Not inlined: g++ would see one of a pair without the other.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* memory = bytes > g_most_bytes ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace backends {
namespace {

using kernels::Kernel;

std::vector<double> Rates(const Outcome& outcome, Kernel kernel) {
  std::vector<double> rates;
  for (const Measurement& row : outcome.overheads) {
    if (row.kernel == kernel && row.status == MeasurementStatus::kOk && row.verified)
      rates.push_back(*row.rate);
  }
  return rates;
}

// The last row of that implementation; a skipped one where there is none.
Measurement Last(const Outcome& outcome, const std::string& implementation) {
  Measurement last;
  for (const Measurement& row : outcome.overheads) {
    if (row.implementation == implementation) last = row;
  }
  return last;
}

TEST(Overheads, LaunchesAndTransfersAreTimedAndChecked) {
  FakeScript script;
  script.launch_s = 42e-6;
  const Outcome outcome = MeasureBy(script);
  const std::vector<double> launches = Rates(outcome, Kernel::kLaunch);
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_GE(Last(outcome, "own:round_trip").samples, 2 * kMinBatches)
      << "taken between the batches of kernels";
  EXPECT_NEAR(launches[0], 42e-6 + 16384 / 1e9, 1e-7) << "seconds: one alone";
  EXPECT_NEAR(launches[1], 16384 / 1e9, 1e-6) << "each of a thousand";
  ASSERT_EQ(Rates(outcome, Kernel::kHostToDevice).size(), 1U);
  EXPECT_NEAR(Rates(outcome, Kernel::kHostToDevice).front(), 1e9, 2e6);
  EXPECT_NEAR(Rates(outcome, Kernel::kDeviceToHost).front(), 1e9, 2e6);
}

TEST(Overheads, LaunchesThatWakeADriversThreadsAreNoisyHoweverSteadyInOneRun) {
  MeasureRequest request = Request();
  for (const auto kind :
       {probe::DeviceKind::kSoftware, probe::DeviceKind::kCpu, probe::DeviceKind::kDiscrete}) {
    request.device.kind = kind;
    const Measurement launch = Last(MeasureBy({}, {"gemm"}, {}, request), "own:round_trip");
    const bool drawn = kind == probe::DeviceKind::kSoftware;
    EXPECT_EQ(launch.quality, drawn ? Quality::kNoisy : Quality::kGood) << static_cast<int>(kind);
    EXPECT_EQ(launch.reason.value_or("").find("another run") != std::string::npos, drawn);
    EXPECT_EQ(*launch.rate, drawn ? *launch.p10_rate : *launch.time_s);
  }
}

TEST(Overheads, TransfersOfPinnedMemoryAreFiguresOfTheirOwn) {
  FakeScript script;
  script.pinned_bytes_per_s = 9e9;
  const Outcome outcome = MeasureBy(script);
  const std::vector<double> up = Rates(outcome, Kernel::kHostToDevice);
  const std::vector<double> down = Rates(outcome, Kernel::kDeviceToHost);
  ASSERT_EQ(up.size(), 2U);
  ASSERT_EQ(down.size(), 2U);
  EXPECT_NEAR(up[1], 9e9, 1e7);
  EXPECT_NEAR(down[1], 9e9, 1e7);
  EXPECT_EQ(Last(outcome, "own:pinned").status, MeasurementStatus::kOk);
}

TEST(Overheads, TransfersTakeWhatRoomTheKernelsLeave) {
  FakeScript script;
  script.memory_bytes = 5U << 20U;  // of 64 MiB that it claims
  const Outcome outcome = MeasureBy(script);
  EXPECT_EQ(Rates(outcome, Kernel::kHostToDevice).size(), 1U);
  for (const Measurement& m : outcome.overheads)
    EXPECT_EQ(m.status, MeasurementStatus::kOk) << m.reason.value_or("");
}

TEST(Overheads, MemoryThatCanNotBePinnedSaysSo) {
  FakeScript script;
  script.pinned_bytes_per_s = 9e9;
  script.pinned_bytes = 1024;
  const Outcome outcome = MeasureBy(script);
  EXPECT_EQ(Rates(outcome, Kernel::kHostToDevice).size(), 1U) << "pageable";
  EXPECT_EQ(Last(outcome, "own:pinned").status, MeasurementStatus::kFailed);
  EXPECT_NE(Last(outcome, "own:pinned").reason->find("FAKE_OUT_OF_HOST_MEMORY"), std::string::npos);
}

TEST(Overheads, AHostWithoutMemoryForTransfersCostsThemAlone) {
  FakeSession session{FakeScript()};
  std::vector<Measurement> transfers;
  int products = 0;
  Measure(
      session, FakeVariants({"gemm"}, {}), Request(),
      [&](const MeasureEvent& event) {
        const auto* stage = std::get_if<MeasureStage>(&event);
        g_most_bytes = stage != nullptr && stage->title == "transfers" ? 128U << 10U : SIZE_MAX;
        const auto* m = std::get_if<Measurement>(&event);
        if (m == nullptr) return;
        if (m->kernel == Kernel::kHostToDevice || m->kernel == Kernel::kDeviceToHost) transfers.push_back(*m);
        products += m->kernel == Kernel::kGemm && m->status == MeasurementStatus::kOk ? 1 : 0;
      },
      [&] { return session.now_s(); });
  g_most_bytes = SIZE_MAX;
  ASSERT_EQ(transfers.size(), 2U);
  for (const Measurement& m : transfers) {
    EXPECT_EQ(m.status, MeasurementStatus::kFailed);
    EXPECT_EQ(m.reason, "no memory on the host for what is sent");
  }
  EXPECT_GT(products, 0);
  EXPECT_EQ(session.allocated_bytes(), 0U);
}

TEST(Overheads, CorruptedTransfersAreWrong) {
  FakeScript script;
  script.pinned_bytes_per_s = 9e9;
  script.corrupt_transfers = true;
  const Outcome outcome = MeasureBy(script);
  EXPECT_TRUE(Rates(outcome, Kernel::kHostToDevice).empty());
  EXPECT_TRUE(Rates(outcome, Kernel::kDeviceToHost).empty());
}

TEST(Overheads, DevicesOnTheHostHaveNoTransfers) {
  MeasureRequest request = Request();
  request.device.kind = probe::DeviceKind::kSoftware;
  const Outcome outcome = MeasureBy({}, {"gemm"}, {}, request);
  EXPECT_EQ(outcome.overheads.size(), 2U) << "launches only";
}

}  // namespace
}  // namespace backends
