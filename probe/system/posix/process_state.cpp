// SPDX-License-Identifier: MIT
#include "probe/system/process_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "probe/system/this_process.h"

namespace probe::system {
namespace {

using Resource = decltype(RLIMIT_NOFILE);  // an int, or the C library's own enumeration

struct LimitName {
  Resource resource;
  std::string_view name;
};
constexpr std::array kLimitNames = {
    LimitName{RLIMIT_NOFILE, "open files"},
    LimitName{RLIMIT_AS, "address space"},
    LimitName{RLIMIT_DATA, "data"},
    LimitName{RLIMIT_STACK, "stacks"},
    LimitName{RLIMIT_NPROC, "processes"},
    LimitName{RLIMIT_MEMLOCK, "locked memory"},
    LimitName{RLIMIT_FSIZE, "the size of files"},
    LimitName{RLIMIT_CPU, "processor time"},
};

std::string Amount(rlim_t value) { return value == RLIM_INFINITY ? "none" : std::to_string(value); }

rlim_t SoftLimit(Resource resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

bool CanMap() {
  constexpr std::size_t kBytes =
      16U << 20U;  // what a driver's library and its first allocations take at least
  void* memory =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory != MAP_FAILED && munmap(memory, kBytes) == 0;
}

}  // namespace

ProcessState::Place ProcessState::PlaceOf(const std::optional<FileStatus>& status) {
  return status ? Place{status->device, status->inode} : Place{};
}

ProcessState::User ProcessState::EffectiveUser() { return {geteuid(), getegid()}; }

// No more than a driver needs to begin with are tried. One that took every descriptor leaves a few: those
// that a loader's own search held meanwhile.
std::size_t ProcessState::CountOpenable() {
  std::array<Descriptor, 8> files;
  for (std::size_t i = 0; i < files.size(); ++i) {
    files.at(i) = OpenRoot();
    if (!files.at(i).ok() && (errno == EMFILE || errno == ENFILE)) return i;
  }
  return files.size();
}

ProcessState ProcessState::Take() {
  ProcessState out;
  for (const LimitName& limit : kLimitNames) out.limits_.push_back(SoftLimit(limit.resource));
  out.user_ = EffectiveUser();
  out.filter_ = SystemCallFilter();
  out.root_ = PlaceOf(StatusAt(AT_FDCWD, "/"));
  out.directory_ = PlaceOf(StatusAt(AT_FDCWD, "."));
  for (char** variable = ProcessEnvironment(); variable != nullptr && *variable != nullptr; ++variable)
    out.environment_.emplace_back(*variable);
  out.sentinel_ = OpenRoot();
  out.sentinel_place_ = out.root_;
  out.openable_ = CountOpenable();
  return out;
}

std::optional<std::string> ProcessState::WorsenedLimit() const {
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    const rlim_t before = limits_[i], now = SoftLimit(kLimitNames.at(i).resource);
    if (now >= before) continue;
    return "the limit on " + std::string(kLimitNames.at(i).name) + " fell from " + Amount(before) + " to " +
           Amount(now);
  }
  return std::nullopt;
}

std::optional<std::string> ProcessState::WorsenedEnvironment() const {
  for (const std::string& assignment : environment_) {
    const auto equals = assignment.find('=');
    if (equals == std::string::npos) continue;
    const std::string name = assignment.substr(0, equals);
    const char* now = getenv(name.c_str());
    if (now == nullptr) return "the variable " + name + " is gone";
    if (std::string_view(now) != std::string_view(assignment).substr(equals + 1))
      return "the variable " + name + " was changed";
  }
  return std::nullopt;
}

std::optional<std::string> ProcessState::Worsened() const {
  if (auto limit = WorsenedLimit()) return limit;
  if (user_ != EffectiveUser()) return "it runs as another user";
  if (filter_ != SystemCallFilter()) return "its system calls are filtered";
  if (root_ != PlaceOf(StatusAt(AT_FDCWD, "/"))) return "it has another root directory";
  if (directory_ != PlaceOf(StatusAt(AT_FDCWD, "."))) return "it has another working directory";
  if (sentinel_.ok() && PlaceOf(StatusOf(sentinel_)) != sentinel_place_)
    return "descriptors of others were closed";
  if (const auto openable = CountOpenable(); openable < openable_)
    return (openable == 0 ? "no" : "only " + std::to_string(openable)) +
           (openable == 1 ? " more file can be opened" : " more files can be opened");
  if (!CanMap()) return "no memory can be had any more";
  return WorsenedEnvironment();
}

}  // namespace probe::system
