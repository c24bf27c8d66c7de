// SPDX-License-Identifier: MIT
#include "backends/core/overheads.h"

#include <algorithm>
#include <utility>

#include "backends/core/samples.h"
#include "backends/core/stream_reference.h"

namespace backends {
namespace {

using kernels::Dtype;
using kernels::Kernel;
using probe::Stage;

constexpr std::uint32_t kSmallCount = 4096;
constexpr std::uint32_t kFillSeed = 0x6c61756e;
constexpr std::uint32_t kBackToBack = 1000;

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
    const auto timing = writer_.Fill(*buffer_, Dtype::kU32, kSmallCount, kFillSeed, repeats);
    return timing ? std::optional(timing->wall_s / repeats) : std::nullopt;
  }
  // Whether the buffer holds the operand.
  [[nodiscard]] Reporter::End Check() const {
    std::vector<std::byte> words(kSmallCount * sizeof(std::uint32_t));
    if (auto status = session_.Download(*buffer_, 0, words); !status) return Failed(status.error());
    Verdict verdict;
    CheckCopy(Dtype::kU32, kFillSeed, 0, words, verdict);
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
  if (kBackToBack * round_trip_s < kOverheadShare * budget.Remaining()) {
    many = Sample(budget, [&] { return fill.Run(kBackToBack); });
  }
  const Reporter::End end = fill.Check();
  reporter.Finish(Kernel::kLaunch, "own:round_trip", shape, 1.0, std::move(single), end);
  reporter.Finish(Kernel::kLaunch, "own:back_to_back", shape, 1.0, std::move(many), end);
  return round_trip_s;
}

}  // namespace backends
