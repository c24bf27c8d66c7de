// SPDX-License-Identifier: MIT
#include "probe/system/process_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace probe::system {
namespace {

struct LimitName {
  __rlimit_resource resource;
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

rlim_t SoftLimit(__rlimit_resource resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

// How many files more can be opened; no more than a driver needs to begin with are tried. One that took every
// descriptor leaves a few: those that a loader's own search held meanwhile.
std::size_t CountOpenable() {
  std::array<Descriptor, 8> files;
  for (std::size_t i = 0; i < files.size(); ++i) {
    files.at(i) = Descriptor(open("/", O_PATH | O_CLOEXEC));
    if (!files.at(i).ok() && (errno == EMFILE || errno == ENFILE)) return i;
  }
  return files.size();
}

bool CanMap() {
  constexpr std::size_t kBytes =
      16U << 20U;  // what a driver's library and its first allocations take at least
  void* memory =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory != MAP_FAILED && munmap(memory, kBytes) == 0;
}

}  // namespace

ProcessState::Place ProcessState::PlaceAt(const char* path) {
  struct stat status{};
  return stat(path, &status) == 0 ? PlaceOf(status) : Place{};
}

ProcessState ProcessState::Take() {
  ProcessState out;
  for (const LimitName& limit : kLimitNames) out.limits_.at(limit.resource) = SoftLimit(limit.resource);
  out.users_ = {geteuid(), getegid()};
  out.filter_ = prctl(PR_GET_SECCOMP);
  out.root_ = PlaceAt("/");
  out.directory_ = PlaceAt(".");
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
    out.environment_.emplace_back(*variable);
  out.sentinel_ = Descriptor(open("/", O_PATH | O_CLOEXEC));
  out.sentinel_place_ = out.root_;
  out.openable_ = CountOpenable();
  return out;
}

std::optional<std::string> ProcessState::WorsenedLimit() const {
  for (const LimitName& limit : kLimitNames) {
    const rlim_t before = limits_.at(limit.resource), now = SoftLimit(limit.resource);
    if (now >= before) continue;
    return "the limit on " + std::string(limit.name) + " fell from " + Amount(before) + " to " + Amount(now);
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
  if (users_ != std::array<uid_t, 2>{geteuid(), getegid()}) return "it runs as another user";
  if (filter_ != prctl(PR_GET_SECCOMP)) return "its system calls are filtered";
  if (root_ != PlaceAt("/")) return "it has another root directory";
  if (directory_ != PlaceAt(".")) return "it has another working directory";
  struct stat status{};
  if (sentinel_.ok() && (fstat(sentinel_.get(), &status) != 0 || PlaceOf(status) != sentinel_place_))
    return "descriptors of others were closed";
  if (const auto openable = CountOpenable(); openable < openable_)
    return (openable == 0 ? "no" : "only " + std::to_string(openable)) +
           (openable == 1 ? " more file can be opened" : " more files can be opened");
  if (!CanMap()) return "no memory can be had any more";
  return WorsenedEnvironment();
}

}  // namespace probe::system
