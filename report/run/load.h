// SPDX-License-Identifier: MIT
// What other programs take of the processors that we may use: before measuring, to say so, and meanwhile, to
// call what they disturbed noisy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/core/measurement.h"
#include "probe/system/clock.h"
#include "probe/system/filesystem.h"

namespace report {

// Above this share of the processors others disturb.
inline constexpr double kDisturbingShare = 0.10;

// Processor time over a span of time, in seconds.
struct Shares {
  double elapsed_s = 0;
  double foreign_s = 0;
  double own_s = 0;
};
// The share of `processors` that others took. Where a quota leaves us less than those, only what others took
// of that, and we went without: while the quota stops us the processors are theirs, and nothing is disturbed.
[[nodiscard]] double DisturbingShareOf(const Shares& shares, double processors,
                                       std::optional<double> quota_cores);

// From its construction on. Children of ours count as ours once they have ended.
class LoadMeter {
 public:
  explicit LoadMeter(const probe::system::FileSystem& files, std::optional<double> quota_cores = {});
  // Of the usable processors, by DisturbingShareOf; 0 where it can not be told.
  [[nodiscard]] double ForeignShare() const;

  // A quota leaves us less than the usable processors; so too where nobody can tell how many those are.
  [[nodiscard]] bool IsUnderQuota() const;

 private:
  const probe::system::FileSystem& files_;
  std::vector<int> usable_;
  std::optional<double> busy_s_;
  double own_s_ = 0;
  std::optional<double> quota_cores_;
  probe::system::SteadyTime start_;
};

// A look of a tenth of a second, and what the kernel says of the last ten: a warning, or nothing. The kernel
// counts a program that its quota stops among those that wait: where one binds only the look counts.
[[nodiscard]] std::optional<std::string> LoadWarning(const probe::system::FileSystem& files,
                                                     std::optional<double> quota_cores);
[[nodiscard]] std::optional<std::string> DescribeLoad(double foreign_share,
                                                      std::optional<double> pressure_percent);

// Figures of the host's processors and memory that were measured beside such a load are noisy, whatever their
// interval: the headline is that of the undisturbed batches.
void MarkDisturbed(std::vector<backends::Measurement>& measurements, double foreign_share);
// So are those of any device that another run of this tool measured at the same time.
void MarkMeasuredBeside(std::vector<backends::Measurement>& measurements);
// Figures of a virtual machine's memory, those of the size of its reads, are fair at best, however well one
// run agrees with itself: others on its host use the same memory. Between runs a minute apart reads moved by
// 13 % (two processors of an EPYC), each with an interval of 1 %.
void MarkSharedMemory(std::vector<backends::Measurement>& measurements);

}  // namespace report
