// SPDX-License-Identifier: MIT
#include "probe/system/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace probe::system {

ProcessId OwnProcessId() { return getpid(); }

Descriptor Raise(Descriptor descriptor) {
  if (!descriptor.ok() || descriptor.get() >= kFirstRaised) return descriptor;
  Descriptor raised(fcntl(descriptor.get(), F_DUPFD_CLOEXEC, kFirstRaised));
  if (!raised.ok() && errno == EINVAL) errno = EMFILE;  // the limit is lower than that
  return raised;
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const auto& text : texts) out.push_back(const_cast<char*>(text.c_str()));  // exec does not write them
  out.push_back(nullptr);
  return out;
}

std::string_view VariablesIn(std::string_view process_arguments) {
  int count = 0;
  if (process_arguments.size() < sizeof count) return {};
  std::memcpy(&count, process_arguments.data(), sizeof count);
  auto rest = process_arguments.substr(sizeof count);
  rest.remove_prefix(std::min(rest.find('\0'), rest.size()));
  rest.remove_prefix(std::min(rest.find_first_not_of('\0'), rest.size()));
  for (; count > 0 && !rest.empty(); --count) {
    const auto end = rest.find('\0');
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return rest;
}

std::optional<ProcessExit> PeekExit(pid_t pid) {
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    // Somebody else reaped it; that it is gone is all that can be known.
    if (errno == ECHILD) return ProcessExit{};
    return std::nullopt;
  }
  if (info.si_pid == 0) return std::nullopt;
  // A child that asked to be traced is reported when it stops, too.
  if (info.si_code != CLD_EXITED && info.si_code != CLD_KILLED && info.si_code != CLD_DUMPED)
    return std::nullopt;
  ProcessExit out;
  (info.si_code == CLD_EXITED ? out.code : out.signal) = info.si_status;
  return out;
}

bool Reap(pid_t pid) { return waitpid(pid, nullptr, WNOHANG) == pid; }

void KeepOwnersPermissions() {
  const mode_t before = umask(0);
  umask(before & ~static_cast<mode_t>(S_IRWXU));
}

std::string WorkingDirectory() {
  std::array<char, PATH_MAX> path{};
  return getcwd(path.data(), path.size()) != nullptr ? path.data() : "";
}

void KeepEndedChildren() {
  struct sigaction current{};
  if (sigaction(SIGCHLD, nullptr, &current) != 0 || current.sa_handler != SIG_IGN) return;
  current = {};
  current.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &current, nullptr);
}

}  // namespace probe::system
