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
  using OnTurn = std::function<void(const MeasureRequest& of)>;
  Peers(const MeasureRequest& request, PeerGroup& group, const MeasureSink& sink, const MonotonicClock& now,
        const OnTurn& on_turn)
      : request_(request), group_(group), sink_(sink), on_turn_(on_turn), budget_(request.budget_s, now) {}

  // False, and reported, where a device can not be opened.
  [[nodiscard]] bool Open();
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
  // An error names the device that it is of.
  [[nodiscard]] probe::Status On(std::size_t device, probe::Status status) const;
  void Enter(const MeasureRequest& of, Stage stage, const std::string& implementation, double allow_s) const;

  const MeasureRequest& request_;
  PeerGroup& group_;
  const MeasureSink& sink_;
  const OnTurn& on_turn_;
  Budget budget_;
  std::vector<std::byte> back_;
};

MeasureRequest Peers::Of(std::size_t device) const {
  MeasureRequest of = request_;
  of.device_id = request_.peers[device].device_id;
  of.device = request_.peers[device].device;
  return of;
}

probe::Status Peers::On(std::size_t device, probe::Status status) const {
  if (status) return status;
  probe::Error error = status.error();
  error.call.insert(0, request_.peers[device].device_id + ": ");
  return error;
}

void Peers::Enter(const MeasureRequest& of, Stage stage, const std::string& implementation,
                  double allow_s) const {
  if (on_turn_) on_turn_(of);
  Reporter(of, kNoLimits, sink_).Enter(stage, kTitle, {Kernel::kPeer}, implementation, allow_s);
}

bool Peers::Open() {
  std::size_t at = 0;
  const auto opened = budget_.Excused([&] {
    return OpenAll(group_, request_.peers.size(), [&](std::size_t device) {
      at = device;
      Enter(Of(device), Stage::kInit, "", InitAllowanceSeconds(request_));
    });
  });
  back_.resize(group_.bytes());
  if (opened) return true;
  kernels::Variant copy;
  copy.kernel = Kernel::kPeer;
  copy.in = copy.acc = Dtype::kU32;
  const MeasureRequest of = Of(at);
  Reporter(of, kNoLimits, sink_)
      .Fail(copy, {}, Failed(opened.error()).status, Stage::kInit, probe::Describe(opened.error()));
  return false;
}

std::vector<std::byte> Peers::Source(std::size_t device) const {
  std::vector<std::byte> words(group_.bytes());
  (void)WriteOperand(Dtype::kU32, kernels::Mix32(request_.seed + static_cast<std::uint32_t>(device)), 0,
                     words);
  return words;
}

probe::Status Peers::Poison(std::size_t device) {
  std::fill(back_.begin(), back_.end(), kPoison);
  return On(device, group_.Write(device, PeerGroup::Array::kTarget, back_));
}

Reporter::End Peers::Compare(std::size_t device, std::span<const std::byte> expected) {
  if (const auto status = On(device, group_.ReadTarget(device, back_)); !status)
    return Failed(status.error());
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
  Enter(of, Stage::kLaunch, figure.implementation,
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
  Enter(of, Stage::kTime, figure.implementation, slot_s + kStallAllowanceSeconds);
  std::vector<double> times_s;
  if (end.status == MeasurementStatus::kOk && slot_s > 0) times_s = Time(figure.run, first_s, slot_s, end);
  if (end.status == MeasurementStatus::kOk && times_s.empty()) {
    times_s = {std::max(first_s, 1e-9)};
    end.reason = "timed only while it was verified";
  }
  if (end.status == MeasurementStatus::kFailed && group_.IsLost())
    end.reason += "; this ended a device's context, and whatever was to come between the devices";
  reporter.Finish(Kernel::kPeer, figure.implementation, shape, figure.work, std::move(times_s), end);
}

void Peers::MeasureCopies() {
  const std::size_t count = request_.peers.size();
  int figures = static_cast<int>(count * (count - 1)) + 1;  // and the sum
  for (std::size_t from = 0; from < count; ++from) {
    std::vector<std::byte> source;
    for (std::size_t to = 0; to < count; ++to) {
      if (to == from) continue;
      if (group_.IsLost()) return;
      MeasureRequest of = Of(from);
      of.peer_id = request_.peers[to].device_id;
      Figure figure;
      figure.implementation = group_.IsDirect(from, to) ? "own:direct" : "own:staged";
      if (group_.IsDirect(from, to) && !group_.Copier().empty())
        figure.implementation.append("_").append(group_.Copier());
      figure.work = static_cast<double>(group_.bytes());
      figure.prepare = [&, from, to] {
        if (source.empty()) source = Source(from);
        auto written = On(from, group_.Write(from, PeerGroup::Array::kSource, source));
        return written ? Poison(to) : written;
      };
      figure.run = [&, from, to](std::uint32_t repeats) { return group_.Copy(from, to, repeats); };
      figure.check = [&, to] { return Compare(to, source); };
      Measure(of, figure, figures--);
    }
  }
}

void Peers::MeasureAllReduce() {
  if (group_.IsLost()) return;
  const std::size_t count = request_.peers.size();
  const MeasureRequest of = Of(0);
  const Reporter reporter(of, kNoLimits, sink_);
  // A cold library of a GiB is read for all devices, which then find each other: 3 s and 6 s for eight MI300X
  // (ROCm/rocm-systems, issue 5767 and pull request 6201), from a disk that is not slow.
  Enter(of, Stage::kCompile, "all_reduce", InitAllowanceSeconds(request_));
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
    auto status = On(device, group_.Write(device, PeerGroup::Array::kSource, source));
    if (status) status = Poison(device);
    if (!status) return status;
  }
  return probe::Ok();
}

}  // namespace

probe::Status OpenAll(PeerGroup& group, std::size_t count,
                      const std::function<void(std::size_t device)>& on_turn) {
  using Opening = PeerGroup::Opening;
  for (const Opening step : {Opening::kContext, Opening::kArrays, Opening::kWays}) {
    for (std::size_t device = 0; device < count; ++device) {
      if (on_turn) on_turn(device);
      if (auto opened = group.Open(device, step); !opened) return opened;
    }
  }
  return probe::Ok();
}

void MeasurePeers(const MeasureRequest& request, PeerGroup& group, const MeasureSink& sink,
                  const MonotonicClock& now, const std::function<void(const MeasureRequest& of)>& on_turn) {
  Peers peers(request, group, sink, now, on_turn);
  if (!peers.Open()) return;
  peers.MeasureCopies();
  peers.MeasureAllReduce();
}

}  // namespace backends
