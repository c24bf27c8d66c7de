// SPDX-License-Identifier: MIT
#include "backends/core/peers.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "backends/core/budget.h"
#include "backends/core/operands.h"
#include "backends/core/reference.h"
#include "backends/core/reporter.h"
#include "backends/core/runner.h"
#include "backends/core/timing.h"
#include "kernels/operand.h"

namespace backends {
namespace {

using kernels::Dtype;
using kernels::Kernel;
using probe::Stage;

constexpr std::size_t kMaxSamples = 50;
constexpr const char* kTitle = "p2p";
const Limits kNoLimits;

class Peers {
 public:
  Peers(const MeasureRequest& request, PeerGroup& group, const MeasureSink& sink, const MonotonicClock& now)
      : request_(request), group_(group), sink_(sink), budget_(request.budget_s, now), back_(group.bytes()) {}

  void MeasureCopies();
  void MeasureAllReduce();

 private:
  using Run = std::function<probe::Result<double>(std::uint32_t repeats)>;
  struct Figure {
    std::string implementation;
    double work = 0;  // in bytes
    std::function<probe::Status()> prepare;
    Run run;
    std::function<Reporter::End()> check;
  };

  // `figures`: how many share what is left of the budget.
  void Measure(const MeasureRequest& of, const Figure& figure, int figures);
  [[nodiscard]] probe::Status PrepareSums(std::span<std::byte> sums);
  [[nodiscard]] std::vector<double> Time(const Run& run, double first_s, double slot_s, Reporter::End& end);
  [[nodiscard]] std::vector<std::byte> Source(std::size_t device) const;
  [[nodiscard]] probe::Status Poison(std::size_t device);
  [[nodiscard]] Reporter::End Compare(std::size_t device, std::span<const std::byte> expected);
  [[nodiscard]] MeasureRequest Of(std::size_t device) const;

  const MeasureRequest& request_;
  PeerGroup& group_;
  const MeasureSink& sink_;
  Budget budget_;
  std::vector<std::byte> back_;
};

MeasureRequest Peers::Of(std::size_t device) const {
  MeasureRequest of = request_;
  of.device_id = request_.peers[device].device_id;
  of.device = request_.peers[device].device;
  return of;
}

std::vector<std::byte> Peers::Source(std::size_t device) const {
  std::vector<std::byte> words(group_.bytes());
  (void)WriteOperand(Dtype::kU32, kernels::Mix32(request_.seed + static_cast<std::uint32_t>(device)), 0,
                     words);
  return words;
}

probe::Status Peers::Poison(std::size_t device) {
  std::fill(back_.begin(), back_.end(), kPoison);
  return group_.Write(device, PeerGroup::Array::kTarget, back_);
}

Reporter::End Peers::Compare(std::size_t device, std::span<const std::byte> expected) {
  if (const auto status = group_.ReadTarget(device, back_); !status) return Failed(status.error());
  if (std::equal(expected.begin(), expected.end(), back_.begin())) return {};
  return {MeasurementStatus::kWrongResult,
          "what arrived on " + request_.peers[device].device_id + " is not what was sent"};
}

std::vector<double> Peers::Time(const Run& run, double first_s, double slot_s, Reporter::End& end) {
  std::vector<double> times_s;
  std::uint32_t repeats = BatchRepeats(first_s, 0);
  for (const double end_s = budget_.Now() + slot_s;
       times_s.size() < kMaxSamples && (budget_.Now() < end_s || times_s.empty());) {
    const auto time_s = run(repeats);
    if (!time_s) {
      end = Failed(time_s.error());
      break;
    }
    times_s.push_back(std::max(*time_s, 1e-9) / repeats);
    repeats = BatchRepeats(times_s.back(), 0);
  }
  return times_s;
}

void Peers::Measure(const MeasureRequest& of, const Figure& figure, int figures) {
  const Reporter reporter(of, kNoLimits, sink_);
  const kernels::Problem shape{.count = static_cast<std::uint32_t>(group_.bytes() / sizeof(std::uint32_t))};
  reporter.Enter(Stage::kLaunch, kTitle, {Kernel::kPeer}, figure.implementation,
                 LaunchAllowanceSeconds(request_, !kernels::IsOwn(figure.implementation)));
  double first_s = 0;
  Reporter::End end = budget_.Excused([&]() -> Reporter::End {
    if (const auto prepared = figure.prepare(); !prepared) return Failed(prepared.error());
    const auto first = figure.run(1);
    if (!first) return Failed(first.error());
    first_s = *first;
    return figure.check();
  });
  const double slot_s = std::max(budget_.Remaining(), 0.0) / figures;
  reporter.Enter(Stage::kTime, kTitle, {Kernel::kPeer}, figure.implementation,
                 slot_s + kStallAllowanceSeconds);
  std::vector<double> times_s;
  if (end.status == MeasurementStatus::kOk && slot_s > 0) times_s = Time(figure.run, first_s, slot_s, end);
  if (end.status == MeasurementStatus::kOk && times_s.empty()) {
    times_s = {std::max(first_s, 1e-9)};
    end.reason = "timed only while it was verified";
  }
  reporter.Finish(Kernel::kPeer, figure.implementation, shape, figure.work, std::move(times_s), end);
}

void Peers::MeasureCopies() {
  const std::size_t count = request_.peers.size();
  int figures = static_cast<int>(count * (count - 1)) + 1;  // and the sum
  for (std::size_t from = 0; from < count; ++from) {
    std::vector<std::byte> source;
    for (std::size_t to = 0; to < count; ++to) {
      if (to == from) continue;
      MeasureRequest of = Of(from);
      of.peer_id = request_.peers[to].device_id;
      Figure figure;
      figure.implementation = group_.IsDirect(from, to) ? "own:direct" : "own:staged";
      if (group_.IsDirect(from, to) && !group_.Copier().empty())
        figure.implementation.append("_").append(group_.Copier());
      figure.work = static_cast<double>(group_.bytes());
      figure.prepare = [&, from, to] {
        if (source.empty()) source = Source(from);
        const auto written = group_.Write(from, PeerGroup::Array::kSource, source);
        return written ? Poison(to) : written;
      };
      figure.run = [&, from, to](std::uint32_t repeats) { return group_.Copy(from, to, repeats); };
      figure.check = [&, to] { return Compare(to, source); };
      Measure(of, figure, figures--);
    }
  }
}

void Peers::MeasureAllReduce() {
  const std::size_t count = request_.peers.size();
  const MeasureRequest of = Of(0);
  const Reporter reporter(of, kNoLimits, sink_);
  // A cold library of a GiB is read for all devices, which then find each other: 3 s and 6 s for eight MI300X
  // (ROCm/rocm-systems, issue 5767 and pull request 6201), from a disk that is not slow.
  reporter.Enter(Stage::kCompile, kTitle, {Kernel::kPeer}, "all_reduce", InitAllowanceSeconds(request_));
  const auto library = budget_.Excused([&] { return group_.OpenAllReduce(); });
  if (!library) {
    if (library.error().Is(probe::OwnError::kAbsent)) return;
    return reporter.Finish(Kernel::kPeer, "all_reduce", {}, 1, {}, Failed(library.error()));
  }
  std::vector<std::byte> sums(group_.bytes());
  const auto n = static_cast<double>(count);
  Figure figure;
  figure.implementation = *library;
  figure.work = 2 * (n - 1) / n * static_cast<double>(group_.bytes());
  figure.prepare = [&] { return PrepareSums(sums); };
  figure.run = [&](std::uint32_t repeats) { return group_.AllReduce(repeats); };
  figure.check = [&] {
    Reporter::End end;
    for (std::size_t device = 0; device < count && end.status == MeasurementStatus::kOk; ++device)
      end = Compare(device, sums);
    return end;
  };
  Measure(of, figure, 1);
}

// Each device's source, and what they add up to.
probe::Status Peers::PrepareSums(std::span<std::byte> sums) {
  const auto add = [](std::byte* sum, const std::byte* term) {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::memcpy(&a, sum, sizeof a);
    std::memcpy(&b, term, sizeof b);
    a += b;
    std::memcpy(sum, &a, sizeof a);
  };
  for (std::size_t device = 0; device < request_.peers.size(); ++device) {
    const auto source = Source(device);
    for (std::size_t at = 0; at < source.size(); at += sizeof(std::uint32_t)) add(&sums[at], &source[at]);
    auto status = group_.Write(device, PeerGroup::Array::kSource, source);
    if (status) status = Poison(device);
    if (!status) return status;
  }
  return probe::Ok();
}

}  // namespace

void MeasurePeers(const MeasureRequest& request, PeerGroup& group, const MeasureSink& sink,
                  const MonotonicClock& now) {
  Peers peers(request, group, sink, now);
  peers.MeasureCopies();
  peers.MeasureAllReduce();
}

}  // namespace backends
