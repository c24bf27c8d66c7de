// SPDX-License-Identifier: MIT
#include "probe/system/limits.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "probe/system/cgroup.h"

namespace probe::system {
namespace {

using Resource = decltype(RLIMIT_NOFILE);  // an int, or the C library's own enumeration

constexpr rlim_t kKibibyte = rlim_t{1} << 10U, kMebibyte = rlim_t{1} << 20U, kGibibyte = rlim_t{1} << 30U;
constexpr rlim_t kProcessesNeeded = 64;
constexpr std::string_view kTooFewProcesses = "each thread counts, and drivers may not start";
// With less than the first the program itself ends in a segmentation fault.
constexpr rlim_t kLeastStack = 64 * kKibibyte, kAmpleStack = kMebibyte;

enum class Unit { kCount, kBytes, kSeconds };

struct LimitRow {
  Resource resource;
  std::string_view name;
  std::string_view option;  // of ulimit
  Unit unit;
  rlim_t ample;             // from here on nothing suffers
  std::string_view needed;  // where it is known
  std::string_view consequence;
};
constexpr std::array kRows = {
    LimitRow{RLIMIT_NOFILE, "open files", "-n", Unit::kCount, kOpenFilesNeeded,
             ", and whichgpu needs at least 64", "drivers may not be asked"},
    LimitRow{RLIMIT_NPROC, "processes", "-u", Unit::kCount, kProcessesNeeded, "", kTooFewProcesses},
    LimitRow{RLIMIT_AS, "address space", "-v", Unit::kBytes, 8 * kGibibyte, "",
             "drivers may fail to load and measurements are smaller"},
    LimitRow{RLIMIT_DATA, "data", "-d", Unit::kBytes, 8 * kGibibyte, "",
             "drivers may fail to load and measurements are smaller"},
    LimitRow{RLIMIT_STACK, "stacks", "-s", Unit::kBytes, kAmpleStack, "", "drivers may crash"},
    LimitRow{RLIMIT_FSIZE, "the size of files", "-f", Unit::kBytes, 64 * kMebibyte, "",
             "drivers may be killed, and nothing may be kept for later runs"},
    LimitRow{RLIMIT_CPU, "processor time", "-t", Unit::kSeconds, 60, "", "measurements may be cut short"},
};

// The limit where there is one that holds for this process.
std::optional<rlim_t> Of(const LimitRow& row) {
  rlimit limit{};
  if (getrlimit(row.resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  // setrlimit(2): not for the superuser.
  if (row.resource == RLIMIT_NPROC && getuid() == 0) return std::nullopt;
  return limit.rlim_cur;
}

std::string Amount(rlim_t value, Unit unit) {
  if (unit == Unit::kCount) return std::to_string(value);
  if (unit == Unit::kSeconds) return std::to_string(value) + " s";
  for (const auto& [size, name] : {std::pair(kGibibyte, " GiB"), {kMebibyte, " MiB"}, {kKibibyte, " KiB"}}) {
    if (value >= 10 * size || (value >= size && value % size == 0))
      return std::to_string(value / size) + name;
  }
  return std::to_string(value) + (value == 1 ? " byte" : " bytes");
}

std::string NameOf(const LimitRow& row) {
  return "the limit on " + std::string(row.name) + " (ulimit " + std::string(row.option) + ")";
}

std::string Sentence(const LimitRow& row, rlim_t value) {
  return NameOf(row) + " is " + Amount(value, row.unit) + std::string(row.needed);
}

std::string SentenceOf(Resource resource) {
  const auto row = std::find_if(kRows.begin(), kRows.end(),
                                [&](const LimitRow& known) { return known.resource == resource; });
  const auto value = Of(*row);
  return value ? Sentence(*row, *value) : "";
}

// Few processes are left to the control group.
bool IsScarce(const CgroupLimits& group) {
  return group.process_limit && group.processes_left.value_or(0) < kProcessesNeeded;
}

// Up to `wanted`, as far as this process may; what it is then.
rlim_t Raise(Resource resource, rlim_t wanted) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return RLIM_INFINITY;
  if (limit.rlim_cur >= wanted) return limit.rlim_cur;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  return setrlimit(resource, &limit) == 0 ? limit.rlim_cur : before;
}

}  // namespace

std::string ScarceLimitsKey(const CgroupLimits& group) {
  std::string key;
  for (const LimitRow& row : kRows) {
    if (const auto value = Of(row); value && *value < row.ample)
      key.append(row.option).append(" ").append(std::to_string(*value)).append(" ");
  }
  return IsScarce(group) ? key + "pids.max " + std::to_string(*group.process_limit) : key;
}

std::vector<ScarceLimit> ScarceLimits(const FileSystem& files) {
  std::vector<ScarceLimit> out;
  for (const LimitRow& row : kRows) {
    if (const auto value = Of(row); value && *value < row.ample)
      out.push_back({NameOf(row), Sentence(row, *value) + ": " + std::string(row.consequence)});
  }
  const CgroupLimits group = ReadCgroupLimits(files);
  if (IsScarce(group)) {
    std::string name = "the control group's limit on processes (pids.max)";
    auto sentence = name + " is " + std::to_string(*group.process_limit) + ", " +
                    std::to_string(*group.processes_left) +
                    " more may start: " + std::string(kTooFewProcesses);
    out.push_back({std::move(name), std::move(sentence)});
  }
  return out;
}

std::optional<std::uint64_t> MappingLimitBytes() {
  std::optional<std::uint64_t> least;
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit{};
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      least = std::min<std::uint64_t>(least.value_or(UINT64_MAX), limit.rlim_cur);
  }
  return least;
}

std::string LimitBehind(int number) {
  if (number == EMFILE) return SentenceOf(RLIMIT_NOFILE);
  if (number == EFBIG) return SentenceOf(RLIMIT_FSIZE);
  if (number != ENOMEM) return "";
  const auto space = SentenceOf(RLIMIT_AS);
  return space.empty() ? SentenceOf(RLIMIT_DATA) : space;
}

std::string WhyNoProcess(int number) {
  if (number == EPERM || number == EACCES || number == ENOSYS) return "a sandbox forbids to start processes";
  if (number != EAGAIN) return LimitBehind(number);
  auto processes = SentenceOf(RLIMIT_NPROC);
  return processes.empty() ? "no more processes may be started here (a container's limit, pids.max?)"
                           : processes;
}

std::string RaiseWhatIsNeeded() {
  Raise(RLIMIT_NOFILE, kOpenFilesNeeded);
  return Raise(RLIMIT_STACK, kAmpleStack) < kLeastStack
             ? SentenceOf(RLIMIT_STACK) + ", and whichgpu needs " + Amount(kLeastStack, Unit::kBytes)
             : "";
}

}  // namespace probe::system
