// SPDX-License-Identifier: MIT
#include "report/run/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "probe/system/host.h"
#include "probe/system/processor.h"

namespace report {
namespace {

constexpr std::chrono::milliseconds kLook(100);
constexpr double kHighPressurePercent = 10;

std::string PercentOf(double share) { return fmt::format("{:.0f} %", 100 * share); }

}  // namespace

double DisturbingShareOf(const Shares& shares, double processors, std::optional<double> quota_cores) {
  if (shares.elapsed_s <= 0 || processors <= 0) return 0;
  const double all_s = shares.elapsed_s * processors;
  if (!quota_cores || *quota_cores >= processors) return std::clamp(shares.foreign_s / all_s, 0.0, 1.0);
  const double ours_s = shares.elapsed_s * *quota_cores;
  const double taken_s = shares.foreign_s - (all_s - ours_s);
  return std::clamp(std::min(taken_s, ours_s - shares.own_s) / ours_s, 0.0, 1.0);
}

LoadMeter::LoadMeter(const probe::system::FileSystem& files, std::optional<double> quota_cores)
    : files_(files),
      usable_(probe::system::UsableProcessors()),
      busy_s_(probe::system::BusySeconds(files, usable_)),
      own_s_(probe::system::ProcessorSecondsWithChildren()),
      quota_cores_(quota_cores),
      start_(probe::system::Now()) {}

double LoadMeter::ForeignShare() const {
  const auto busy_s = probe::system::BusySeconds(files_, usable_);
  // Where the system names no processors to a thread it may have all.
  const std::size_t processors =
      usable_.empty() ? probe::system::OnlineThreads().value_or(0) : usable_.size();
  if (!busy_s || !busy_s_ || processors == 0) return 0;
  const double own_s = probe::system::ProcessorSecondsWithChildren() - own_s_;
  return DisturbingShareOf({probe::system::SecondsSince(start_), *busy_s - *busy_s_ - own_s, own_s},
                           static_cast<double>(processors), quota_cores_);
}

bool LoadMeter::IsUnderQuota() const {
  return quota_cores_ && (usable_.empty() || *quota_cores_ < static_cast<double>(usable_.size()));
}

std::optional<std::string> DescribeLoad(double foreign_share, std::optional<double> pressure_percent) {
  std::string reasons;
  if (foreign_share > kDisturbingShare)
    reasons = fmt::format("other programs take {} of the processors", PercentOf(foreign_share));
  if (pressure_percent.value_or(0) > kHighPressurePercent) {
    reasons +=
        fmt::format("{}programs waited for a processor in {:.0f} % of the last 10 s (/proc/pressure/cpu)",
                    reasons.empty() ? "" : "; ", *pressure_percent);
  }
  if (reasons.empty()) return std::nullopt;
  return reasons + ": figures may be too low";
}

std::optional<std::string> LoadWarning(const probe::system::FileSystem& files,
                                       std::optional<double> quota_cores) {
  const LoadMeter meter(files, quota_cores);
  std::this_thread::sleep_for(kLook);
  return DescribeLoad(meter.ForeignShare(),
                      meter.IsUnderQuota() ? std::nullopt : probe::system::CpuPressurePercent(files));
}

void MarkDisturbed(std::vector<backends::Measurement>& measurements, double foreign_share) {
  if (foreign_share <= kDisturbingShare) return;
  for (backends::Measurement& m : measurements) {
    if (m.quality) m.foreign_load = std::min(foreign_share, 1.0);
    if (!m.quality || m.quality == backends::Quality::kNoisy || !m.rate || !m.p10_rate || !m.time_s) continue;
    m.quality = backends::Quality::kNoisy;
    // Of a time (launch) the rate is the time itself.
    *m.time_s = m.IsTime() ? *m.p10_rate : *m.time_s * *m.rate / *m.p10_rate;
    m.rate = m.p10_rate;
    AddReason(m, fmt::format("other programs took {} of the processors meanwhile", PercentOf(foreign_share)));
  }
}

void MarkMeasuredBeside(std::vector<backends::Measurement>& measurements) {
  for (backends::Measurement& m : measurements) {
    if (!m.quality || m.quality == backends::Quality::kNoisy) continue;
    m.quality = backends::Quality::kNoisy;
    AddReason(m, "another run of this tool measured the device at the same time");
  }
}

void MarkSharedMemory(std::vector<backends::Measurement>& measurements) {
  constexpr double kOfReads = 0.5;  // slower ones wait for arithmetic
  double read = 0;
  for (const backends::Measurement& m : measurements) {
    if (m.kernel == kernels::Kernel::kRead) read = std::max(read, m.rate.value_or(0));
  }
  for (backends::Measurement& m : measurements) {
    const bool of_memory = m.unit == kernels::Row(kernels::Kernel::kRead).unit;
    if (m.quality != backends::Quality::kGood || !of_memory || m.rate.value_or(0) < kOfReads * read) continue;
    m.quality = backends::Quality::kFair;
    AddReason(m, "a virtual machine shares its memory with others: another run may differ by a tenth");
  }
}

}  // namespace report
