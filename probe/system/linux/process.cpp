// SPDX-License-Identifier: MIT
#include "probe/system/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "probe/system/filesystem.h"

namespace probe::system {
namespace {

constexpr pid_t kPidsAsked = 65536;
constexpr pid_t kMaxPid = 1 << 22;  // PID_MAX_LIMIT, proc(5)

template <class T>
std::optional<T> Number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

bool IsChild(pid_t pid) {
  siginfo_t ignored{};
  return waitid(P_PID, static_cast<id_t>(pid), &ignored, WEXITED | WNOHANG | WNOWAIT) == 0;
}

bool HasChildren() {
  siginfo_t ignored{};
  return waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT) == 0;
}

// The fields of /proc/<pid>/stat from the third (the state) on. The second is the name in parentheses and may
// hold anything, the ends of lines among it.
std::optional<std::string> StateAndLater(pid_t pid) {
  const auto files = FileSystem::Open("/");
  if (!files) return std::nullopt;
  const auto text = files->Read("/proc/" + std::to_string(pid) + "/stat");
  const auto name_end = text ? text->rfind(')') : std::string::npos;
  if (name_end == std::string::npos || name_end + 2 > text->size()) return std::nullopt;
  return text->substr(name_end + 2);
}

}  // namespace

Result<Descriptor> OpenOwnBinary() {
  Descriptor binary(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  if (binary.ok()) return Raise(std::move(binary));
  const int number = errno;
  const auto path = getauxval(AT_SECURE) == 0 ? getauxval(AT_EXECFN) : 0;
  if (path == 0) return ErrnoError("open /proc/self/exe", number);
  const char* name = reinterpret_cast<const char*>(path);  // NOLINT(performance-no-int-to-ptr): getauxval(3)
  binary = Descriptor(open(name, O_RDONLY | O_CLOEXEC));
  if (!binary.ok()) return ErrnoError(std::string("open ") + name, errno);
  return Raise(std::move(binary));
}

Result<Pipe> MakePipe() {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return ErrnoError("pipe", errno);
  Pipe out{Raise(Descriptor(ends[0])), Raise(Descriptor(ends[1]))};
  if (!out.read_end.ok() || !out.write_end.ok()) return ErrnoError("pipe", errno);
  return out;
}

// One list a thread; kernels without CONFIG_PROC_CHILDREN have none.
std::optional<std::vector<pid_t>> ChildrenOf(pid_t pid) {
  const auto files = FileSystem::Open("/");
  if (!files) return std::nullopt;
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  std::vector<pid_t> out;
  bool listed = false;
  for (const auto& task : files->List(tasks)) {
    std::string path = tasks;
    const auto text = files->Read(path.append("/").append(task).append("/children"));
    if (!text) continue;
    listed = true;
    for (std::string_view rest = *text; !rest.empty();) {
      const auto word = rest.substr(0, rest.find(' '));
      if (const auto child = Number<pid_t>(word)) out.push_back(*child);
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
  }
  if (!listed) return std::nullopt;
  return out;
}

std::vector<pid_t> OwnChildren(pid_t first) {
  if (!HasChildren()) return {};
  if (auto listed = ChildrenOf(getpid())) return *std::move(listed);
  std::vector<pid_t> out;
  for (pid_t asked = 0; asked < kPidsAsked && first <= kMaxPid - asked; ++asked) {
    if (IsChild(first + asked)) out.push_back(first + asked);
  }
  return out;
}

void AskForSlice(std::uint64_t nanoseconds) {
  // The first version of the kernel's struct sched_attr, sched_setattr(2).
  struct Attributes {
    std::uint32_t size;
    std::uint32_t policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime_ns;
    std::uint64_t deadline_ns;
    std::uint64_t period_ns;
  };
  static_assert(sizeof(Attributes) == 48);
  Attributes own{};
  if (syscall(SYS_sched_getattr, 0, &own, sizeof own, 0) != 0 || own.policy != SCHED_OTHER) return;
  own.size = sizeof own;
  own.runtime_ns = nanoseconds;
  syscall(SYS_sched_setattr, 0, &own, 0);
}

std::optional<std::uint64_t> StartTicks(pid_t pid) {
  const auto text = StateAndLater(pid);
  if (!text) return std::nullopt;
  std::string_view rest = *text;
  for (int skipped = 0; skipped < 19; ++skipped) {
    const auto space = rest.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(space + 1);
  }
  return Number<std::uint64_t>(rest.substr(0, rest.find(' ')));
}

bool IsStopped(pid_t pid) {
  const auto text = StateAndLater(pid);
  return text && (text->starts_with('T') || text->starts_with('t'));
}

bool HasEnded(pid_t pid) {
  const auto text = StateAndLater(pid);
  return !text || text->starts_with('Z') || text->starts_with('X');
}

void NameThisProcess(const char* name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

void AwaitAny(std::span<const int> descriptors, std::chrono::nanoseconds longest) {
  constexpr long kSecond = 1'000'000'000;
  std::vector<pollfd> polled;
  for (const int descriptor : descriptors) polled.push_back({descriptor, POLLIN, 0});
  const auto ns = std::max<std::chrono::nanoseconds::rep>(longest.count(), 0);
  const timespec timeout{ns / kSecond, ns % kSecond};
  ppoll(polled.data(), polled.size(), &timeout, nullptr);
}

bool FillRandom(void* bytes, std::size_t count) {
  return getrandom(bytes, count, GRND_NONBLOCK) == static_cast<ssize_t>(count);
}

void CloseDescriptorsFrom(int first) {
  if (syscall(SYS_close_range, static_cast<unsigned int>(first), ~0U, 0U) == 0) return;
  for (int number = first; number < kFirstRaised; ++number) close(number);
}

}  // namespace probe::system
