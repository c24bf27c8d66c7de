// SPDX-License-Identifier: MIT
#include "backends/core/overheads.h"

#include <algorithm>
#include <utility>

#include "backends/core/operands.h"
#include "backends/core/stream_reference.h"

namespace backends {
namespace {

using kernels::Dtype;
using kernels::Kernel;
using probe::Stage;

constexpr std::uint32_t kSmallCount = 4096;
constexpr std::uint32_t kSeed = 0x6c61756e;
constexpr std::uint32_t kBackToBack = 1000;
constexpr std::uint64_t kTransferBytes = 64U << 20U;
constexpr std::size_t kMaxSamples = 50;
// Of what is left of the budget, for each of these figures.
constexpr double kShare = 0.03;

Reporter::End Failed(const probe::Error& error) {
  return {MeasurementStatus::kFailed, probe::Describe(error)};
}

// Repeats `run` (which returns its time, or nothing on an error) until there are enough samples or the time
// is up.
template <class F>
std::vector<double> Sample(Budget& budget, F&& run) {
  std::vector<double> times_s;
  const double end_s = budget.Now() + kShare * budget.Remaining();
  while (times_s.size() < kMaxSamples && (budget.Now() < end_s || times_s.empty())) {
    const std::optional<double> time_s = run();
    if (!time_s) break;
    times_s.push_back(std::max(*time_s, 1e-9));
  }
  return times_s;
}

// The buffer of the small fills, for one measurement.
class SmallFill {
 public:
  SmallFill(Session& session, OperandWriter& writer) : session_(session), writer_(writer) {
    BufferRequest request{kSmallCount * sizeof(std::uint32_t), {}};
    writer.AddViews(Dtype::kU32, request.views);
    if (request.views.empty()) return;
    if (auto buffer = session.Allocate(request)) buffer_ = *buffer;
  }
  SmallFill(const SmallFill&) = delete;
  SmallFill& operator=(const SmallFill&) = delete;
  ~SmallFill() {
    if (buffer_) session_.Release(*buffer_);
  }

  [[nodiscard]] bool ready() const { return buffer_.has_value(); }
  [[nodiscard]] std::optional<double> Run(std::uint32_t repeats) {
    const auto timing = writer_.Fill(*buffer_, Dtype::kU32, kSmallCount, kSeed, repeats);
    return timing ? std::optional(timing->wall_s / repeats) : std::nullopt;
  }
  // Whether the buffer holds the operand.
  [[nodiscard]] Reporter::End Check() const {
    std::vector<std::byte> words(kSmallCount * sizeof(std::uint32_t));
    if (auto status = session_.Download(*buffer_, 0, words); !status) return Failed(status.error());
    Verdict verdict;
    CheckCopy(Dtype::kU32, kSeed, 0, words, verdict);
    if (!verdict.right) return {MeasurementStatus::kWrongResult, verdict.reason};
    return {};
  }

 private:
  Session& session_;
  OperandWriter& writer_;
  std::optional<BufferId> buffer_;
};

}  // namespace

double MeasureLaunches(Session& session, OperandWriter& writer, const Reporter& reporter, Budget& budget) {
  SmallFill fill(session, writer);
  if (!fill.ready()) return 0;
  const kernels::Problem shape{0, 0, 0, kSmallCount, 0};
  reporter.Enter(Stage::kTime, "launch", "", budget.Remaining() + kStallAllowanceSeconds);
  // The first one may compile.
  if (!budget.Excused([&] { return fill.Run(1); })) return 0;
  auto single = Sample(budget, [&] { return fill.Run(1); });
  const double round_trip_s = single.empty() ? 0 : *std::min_element(single.begin(), single.end());
  std::vector<double> many;
  if (kBackToBack * round_trip_s < kShare * budget.Remaining()) {
    many = Sample(budget, [&] { return fill.Run(kBackToBack); });
  }
  const Reporter::End end = fill.Check();
  reporter.Finish(Kernel::kLaunch, "own:round_trip", shape, 1.0, std::move(single), end);
  reporter.Finish(Kernel::kLaunch, "own:back_to_back", shape, 1.0, std::move(many), end);
  return round_trip_s;
}

void MeasureTransfers(Session& session, const Reporter& reporter, Budget& budget) {
  const Limits& limits = session.limits();
  const std::uint64_t most =
      std::min(limits.max_buffer_bytes, limits.memory_free_bytes.value_or(UINT64_MAX) / 8);
  const std::uint64_t bytes = std::min(kTransferBytes, most) / sizeof(std::uint32_t) * sizeof(std::uint32_t);
  const kernels::Problem shape{0, 0, 0, static_cast<std::uint32_t>(bytes / sizeof(std::uint32_t)), 0};
  const auto buffer = bytes == 0 ? probe::Result<BufferId>(probe::Error{}) : session.Allocate({bytes, {}});
  if (!buffer) return;
  reporter.Enter(Stage::kTime, "transfers", "", budget.Remaining() + kStallAllowanceSeconds);
  std::vector<std::byte> out(bytes);
  std::vector<std::byte> back(bytes);
  (void)WriteOperand(Dtype::kU32, kSeed, 0, out);
  Reporter::End end;
  const auto timed = [&](auto&& transfer) {
    const double start_s = budget.Now();
    const auto status = transfer();
    if (!status) end = Failed(status.error());
    return status ? std::optional(budget.Now() - start_s) : std::nullopt;
  };
  auto up = Sample(budget, [&] { return timed([&] { return session.Upload(*buffer, 0, out); }); });
  auto down = Sample(budget, [&] { return timed([&] { return session.Download(*buffer, 0, back); }); });
  if (end.status == MeasurementStatus::kOk && out != back) {
    end = {MeasurementStatus::kWrongResult, "what was read back is not what was written"};
  }
  session.Release(*buffer);
  const auto work = static_cast<double>(bytes);
  reporter.Finish(Kernel::kHostToDevice, "own:pageable", shape, work, std::move(up), end);
  reporter.Finish(Kernel::kDeviceToHost, "own:pageable", shape, work, std::move(down), end);
}

}  // namespace backends
