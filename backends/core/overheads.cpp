// SPDX-License-Identifier: MIT
#include "backends/core/overheads.h"

#include <algorithm>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "backends/core/operands.h"
#include "backends/core/reference.h"
#include "backends/core/stream_reference.h"
#include "backends/core/timing.h"

namespace backends {
namespace {

using kernels::Dtype;
using kernels::Kernel;
using probe::Stage;

constexpr std::size_t kMaxOverheadSamples = 50;
// Of what is left of the budget, for each of these figures.
constexpr double kOverheadShare = 0.03;

// Repeats `run` (which returns its time in seconds, or nothing on an error) until there are enough samples or
// the time is up.
template <class F>
std::vector<double> Sample(Budget& budget, F&& run) {
  std::vector<double> times_s;
  const double end_s = budget.Now() + kOverheadShare * budget.Remaining();
  while (times_s.size() < kMaxOverheadSamples && (budget.Now() < end_s || times_s.empty())) {
    const std::optional<double> time_s = run();
    if (!time_s) break;
    times_s.push_back(std::max(*time_s, 1e-9));
  }
  return times_s;
}

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
  const kernels::Problem shape{.count = kSmallCount};
  reporter_.Finish(Kernel::kLaunch, "own:round_trip", shape, 1.0, std::move(alone_s_), end);
  reporter_.Finish(Kernel::kLaunch, "own:back_to_back", shape, 1.0, std::move(together_s_), end);
  fill_.reset();
}

namespace {

constexpr std::uint64_t kTransferBytes = 64U << 20U;
constexpr std::uint64_t kLeastTransferBytes = 256U << 10U;
constexpr std::uint64_t kGranule = 4096;  // buffers of every runtime may be that long
constexpr std::uint32_t kTransferSeed = 0x74726e73;

// One kind of host memory against one buffer of the device.
class Transfers {
 public:
  Transfers(Session& session, Budget& budget, BufferId buffer)
      : session_(session), budget_(budget), buffer_(buffer) {}

  // `out` holds the operand; `back` may be the same memory.
  void Run(std::span<const std::byte> operand, std::span<const std::byte> out, std::span<std::byte> back) {
    up_s_ = Time([&] { return session_.Upload(buffer_, 0, out); });
    std::fill(back.begin(), back.end(), kPoison);
    down_s_ = Time([&] { return session_.Download(buffer_, 0, back); });
    if (end_.status == MeasurementStatus::kOk && !std::equal(operand.begin(), operand.end(), back.begin())) {
      end_ = {MeasurementStatus::kWrongResult, "what was read back is not what was written"};
    }
  }
  void Report(const Reporter& reporter, const std::string& implementation, const kernels::Problem& shape) {
    const double bytes = shape.count * double{sizeof(std::uint32_t)};
    reporter.Finish(Kernel::kHostToDevice, implementation, shape, bytes, std::move(up_s_), end_);
    reporter.Finish(Kernel::kDeviceToHost, implementation, shape, bytes, std::move(down_s_), end_);
  }

 private:
  template <class F>
  std::vector<double> Time(F&& transfer) {
    std::uint32_t repeats = 1;
    return Sample(budget_, [&]() -> std::optional<double> {
      const double start_s = budget_.Now();
      for (std::uint32_t i = 0; i < repeats; ++i) {
        if (const auto status = transfer(); !status) {
          end_ = {MeasurementStatus::kFailed, probe::Describe(status.error())};
          return std::nullopt;
        }
      }
      const double time_s = (budget_.Now() - start_s) / repeats;
      repeats = BatchRepeats(time_s, 0);
      return time_s;
    });
  }

  Session& session_;
  Budget& budget_;
  BufferId buffer_;
  std::vector<double> up_s_;
  std::vector<double> down_s_;
  Reporter::End end_;
};

// As large as the device still has room for; the kernels' arrays are there too.
probe::Result<BufferId> AllocateLargest(Session& session, std::uint64_t& bytes) {
  for (;; bytes /= 2) {
    auto buffer = session.Allocate({bytes, {}});
    if (buffer || bytes / 2 < kLeastTransferBytes) return buffer;
  }
}

void FailTransfers(const Reporter& reporter, const std::string& implementation, const kernels::Problem& shape,
                   const Reporter::End& end) {
  for (const Kernel kernel : {Kernel::kHostToDevice, Kernel::kDeviceToHost})
    reporter.Finish(kernel, implementation, shape, 1, {}, end);
}

// What is sent, and where it is read back to.
struct HostArrays {
  std::vector<std::byte> operand;
  std::vector<std::byte> back;
};
std::optional<HostArrays> AllocateHostArrays(std::uint64_t bytes) try {
  return HostArrays{std::vector<std::byte>(bytes), std::vector<std::byte>(bytes)};
} catch (const std::bad_alloc&) {
  return std::nullopt;
}

void MeasurePinned(Session& session, const Reporter& reporter, Budget& budget, BufferId buffer,
                   std::span<const std::byte> operand, const kernels::Problem& shape) {
  const auto pinned = session.AllocateHost(operand.size());
  if (!pinned && pinned.error().Is(probe::OwnError::kNoSuchMemory)) return;
  if (!pinned) return FailTransfers(reporter, "own:pinned", shape, Failed(pinned.error()));
  std::copy(operand.begin(), operand.end(), pinned->bytes.begin());
  Transfers transfers(session, budget, buffer);
  transfers.Run(operand, pinned->bytes, pinned->bytes);
  transfers.Report(reporter, "own:pinned", shape);
}

}  // namespace

void MeasureTransfers(Session& session, const Reporter& reporter, Budget& budget) {
  const Limits& limits = session.limits();
  const std::uint64_t most =
      std::min(limits.max_buffer_bytes, limits.memory_free_bytes.value_or(UINT64_MAX) / 8);
  std::uint64_t bytes = std::max(std::min(kTransferBytes, most), kLeastTransferBytes) / kGranule * kGranule;
  const auto buffer = AllocateLargest(session, bytes);
  const kernels::Problem shape{.count = static_cast<std::uint32_t>(bytes / sizeof(std::uint32_t))};
  if (!buffer) {
    Reporter::End end = Failed(buffer.error());
    if (buffer.error().Is(probe::OwnError::kLeftToOthers))
      end = {MeasurementStatus::kOverBudget, buffer.error().text, bytes};
    return FailTransfers(reporter, "own:pageable", shape, end);
  }
  reporter.Enter(Stage::kTime, "transfers", {kernels::Kernel::kHostToDevice}, "",
                 budget.Remaining() + kStallAllowanceSeconds);
  if (auto host = AllocateHostArrays(bytes)) {
    (void)WriteOperand(Dtype::kU32, kTransferSeed, 0, host->operand);
    Transfers pageable(session, budget, *buffer);
    pageable.Run(host->operand, host->operand, host->back);
    pageable.Report(reporter, "own:pageable", shape);
    MeasurePinned(session, reporter, budget, *buffer, host->operand, shape);
  } else {
    FailTransfers(reporter, "own:pageable", shape,
                  {MeasurementStatus::kFailed, "no memory on the host for what is sent"});
  }
  session.Release(*buffer);
}

}  // namespace backends
