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
constexpr int kAloneAtOnce = 3;

}  // namespace

// The buffer of the small fills, for one measurement.
class Launches::SmallFill {
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

Launches::Launches(Session& session, OperandWriter& writer, const Reporter& reporter, Budget& budget)
    : reporter_(reporter), budget_(budget) {
  // The fill kernel is compiled where nothing else has needed it.
  fill_ = budget.Excused([&] { return std::make_unique<SmallFill>(session, writer); });
  reporter.Enter(Stage::kTime, "launch", {kernels::Kernel::kLaunch}, "",
                 budget.Remaining() + kStallAllowanceSeconds);
  // The first one may compile.
  if (!fill_->ready() || !budget.Excused([&] { return fill_->Run(1); })) fill_.reset();
  left_s_ = kOverheadShare * budget.Remaining();
  Continue();
}

Launches::~Launches() = default;

double Launches::round_trip_s() const {
  return alone_s_.empty() ? 0 : *std::min_element(alone_s_.begin(), alone_s_.end());
}

void Launches::Continue() {
  if (!fill_) return;
  const auto sample = [&](std::uint32_t repeats, std::vector<double>& times_s, double& spent_s) {
    if (times_s.size() >= kMaxOverheadSamples || (spent_s >= left_s_ && !times_s.empty())) return;
    const double start_s = budget_.Now();
    if (const auto time_s = fill_->Run(repeats)) times_s.push_back(std::max(*time_s, 1e-9));
    spent_s += budget_.Now() - start_s;
  };
  for (int i = 0; i < kAloneAtOnce; ++i) sample(1, alone_s_, spent_alone_s_);
  if (kBackToBack * round_trip_s() < left_s_) sample(kBackToBack, together_s_, spent_together_s_);
}

void Launches::Report() {
  if (!fill_) return;
  const Reporter::End end = fill_->Check();
  const kernels::Problem shape{0, 0, 0, kSmallCount, 0};
  reporter_.Finish(Kernel::kLaunch, "own:round_trip", shape, 1.0, std::move(alone_s_), end);
  reporter_.Finish(Kernel::kLaunch, "own:back_to_back", shape, 1.0, std::move(together_s_), end);
  fill_.reset();
}

}  // namespace backends
