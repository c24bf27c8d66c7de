// SPDX-License-Identifier: MIT
#include "backends/core/transfers.h"

#include <algorithm>
#include <string>
#include <utility>

#include "backends/core/operands.h"
#include "backends/core/reference.h"
#include "backends/core/samples.h"
#include "backends/core/timing.h"

namespace backends {
namespace {

using kernels::Dtype;
using kernels::Kernel;
using probe::Stage;

constexpr std::uint64_t kTransferBytes = 64U << 20U;
constexpr std::uint64_t kLeastBytes = 256U << 10U;
constexpr std::uint64_t kGranule = 4096;  // buffers of every runtime may be that long
constexpr std::uint32_t kSeed = 0x74726e73;

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
    if (buffer || bytes / 2 < kLeastBytes) return buffer;
  }
}

void MeasurePinned(Session& session, const Reporter& reporter, Budget& budget, BufferId buffer,
                   std::span<const std::byte> operand, const kernels::Problem& shape) {
  const auto pinned = session.AllocateHost(operand.size());
  if (!pinned && pinned.error().name == kNoSuchMemory) return;
  if (!pinned) {
    const Reporter::End end{MeasurementStatus::kFailed, probe::Describe(pinned.error())};
    for (const Kernel kernel : {Kernel::kHostToDevice, Kernel::kDeviceToHost})
      reporter.Finish(kernel, "own:pinned", shape, 1, {}, end);
    return;
  }
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
  std::uint64_t bytes = std::max(std::min(kTransferBytes, most), kLeastBytes) / kGranule * kGranule;
  const auto buffer = AllocateLargest(session, bytes);
  const kernels::Problem shape{0, 0, 0, static_cast<std::uint32_t>(bytes / sizeof(std::uint32_t)), 0};
  if (!buffer) {
    const Reporter::End end{MeasurementStatus::kFailed, probe::Describe(buffer.error())};
    for (const Kernel kernel : {Kernel::kHostToDevice, Kernel::kDeviceToHost})
      reporter.Finish(kernel, "own:pageable", shape, 1, {}, end);
    return;
  }
  reporter.Enter(Stage::kTime, "transfers", {kernels::Kernel::kHostToDevice}, "",
                 budget.Remaining() + kStallAllowanceSeconds);
  std::vector<std::byte> operand(bytes);
  std::vector<std::byte> back(bytes);
  (void)WriteOperand(Dtype::kU32, kSeed, 0, operand);
  Transfers pageable(session, budget, *buffer);
  pageable.Run(operand, operand, back);
  pageable.Report(reporter, "own:pageable", shape);
  MeasurePinned(session, reporter, budget, *buffer, operand, shape);
  session.Release(*buffer);
}

}  // namespace backends
