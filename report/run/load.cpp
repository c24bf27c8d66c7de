// SPDX-License-Identifier: MIT
#include "report/run/load.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <sstream>
#include <thread>

namespace report {
namespace {

constexpr std::chrono::milliseconds kLook(100);
constexpr double kHighPressurePercent = 10;

// The affinity mask; empty where it can not be told: then all count.
std::vector<int> UsableProcessors() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  std::vector<int> usable;
  if (sched_getaffinity(0, sizeof(mask), &mask) != 0) return usable;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(static_cast<std::size_t>(i), &mask)) usable.push_back(i);
  }
  return usable;
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double OwnSeconds() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    if (getrusage(who, &usage) == 0) sum += Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  }
  return sum;
}

// "cpu3 user nice system idle iowait irq softirq steal guest guest_nice": the busy ones, in ticks. Guests are
// in user and nice already.
std::optional<double> BusyTicks(const std::string& line, const std::vector<int>& usable) {
  std::istringstream words(line);
  std::string name;
  words >> name;
  if (!name.starts_with("cpu") || name.size() < 4) return std::nullopt;
  int processor = -1;
  const auto [end, error] = std::from_chars(name.data() + 3, name.data() + name.size(), processor);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  if (!usable.empty() && std::find(usable.begin(), usable.end(), processor) == usable.end())
    return std::nullopt;
  double busy = 0;
  double ticks = 0;
  for (int column = 0; column < 8 && words >> ticks; ++column) {
    const bool idle = column == 3 || column == 4;
    if (!idle) busy += ticks;
  }
  return busy;
}

// avg10 of "some avg10=1.23 avg60=..." (Documentation/accounting/psi.rst).
std::optional<double> PressurePercent(const probe::system::FileSystem& files) {
  constexpr std::string_view kKey = "some avg10=";
  const auto text = files.Read("/proc/pressure/cpu", 4096);
  if (!text) return std::nullopt;
  const std::size_t at = text->find(kKey);
  if (at == std::string::npos) return std::nullopt;
  double percent = 0;
  const char* first = text->data() + at + kKey.size();
  if (std::from_chars(first, text->data() + text->size(), percent).ec != std::errc()) return std::nullopt;
  return percent;
}

std::string PercentOf(double share) { return fmt::format("{:.0f} %", 100 * share); }

}  // namespace

std::optional<double> BusySeconds(const probe::system::FileSystem& files, const std::vector<int>& usable) {
  const auto text = files.Read("/proc/stat", std::size_t{1} << 20U);
  if (!text) return std::nullopt;
  std::istringstream lines(*text);
  std::optional<double> sum;
  for (std::string line; std::getline(lines, line);) {
    if (const auto ticks = BusyTicks(line, usable)) sum = sum.value_or(0) + *ticks;
  }
  if (!sum) return std::nullopt;
  return *sum / static_cast<double>(std::max(sysconf(_SC_CLK_TCK), 1L));
}

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
      usable_(UsableProcessors()),
      busy_s_(BusySeconds(files, usable_)),
      own_s_(OwnSeconds()),
      quota_cores_(quota_cores),
      start_(probe::system::Now()) {}

double LoadMeter::ForeignShare() const {
  const auto busy_s = BusySeconds(files_, usable_);
  if (!busy_s || !busy_s_ || usable_.empty()) return 0;
  const double own_s = OwnSeconds() - own_s_;
  return DisturbingShareOf({probe::system::SecondsSince(start_), *busy_s - *busy_s_ - own_s, own_s},
                           static_cast<double>(usable_.size()), quota_cores_);
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
  return DescribeLoad(meter.ForeignShare(), meter.IsUnderQuota() ? std::nullopt : PressurePercent(files));
}

void MarkDisturbed(std::vector<backends::Measurement>& measurements, double foreign_share) {
  if (foreign_share <= kDisturbingShare) return;
  for (backends::Measurement& m : measurements) {
    if (m.quality) m.foreign_load = std::min(foreign_share, 1.0);
    if (!m.quality || m.quality == backends::Quality::kNoisy || !m.rate || !m.p10_rate || !m.time_s) continue;
    m.quality = backends::Quality::kNoisy;
    // Of a time (launch) the rate is the time itself.
    *m.time_s = m.unit == "s" ? *m.p10_rate : *m.time_s * *m.rate / *m.p10_rate;
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
