// SPDX-License-Identifier: MIT
#include "probe/isolate/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "probe/core/fields.h"
#include "probe/isolate/channel.h"
#include "probe/isolate/reaper.h"
#include "probe/system/process.h"

namespace probe::isolate {
namespace {

// The exit code of one that was not started by a parent.
constexpr int kExitNoParent = 64;

// Default actions, nothing blocked: what a driver finds in any ordinary program.
void ResetSignals() {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Moves the result pipe out of the way of drivers that close or reuse low descriptors, and checks before
// every write that the number still means this pipe.
class ResultPipe {
 public:
  ResultPipe() {
    for (const int lowest : {1000, 500, 200, 50, 10}) {
      fd_ = fcntl(kResultDescriptor, F_DUPFD_CLOEXEC, lowest);
      if (fd_ >= 0) break;
    }
    close(kResultDescriptor);
    if (fd_ < 0 || fstat(fd_, &identity_) != 0) _exit(kExitNoParent);
  }

  void Send(Json record, const Json& seal) {
    record[kSealKey] = seal;
    std::string frame = Frame(record);
    if (frame.size() > kMaxRecordBytes) {
      frame =
          Frame(Json{{kErrorKey, Encode(Error{"send", std::nullopt, "too large", "a record was left out"})},
                     {kSealKey, seal}});
    }
    const std::lock_guard lock(mutex_);
    struct stat now{};
    if (fstat(fd_, &now) != 0 || now.st_dev != identity_.st_dev || now.st_ino != identity_.st_ino) {
      _exit(kExitLostChannel);
    }
    for (std::string_view rest = frame; !rest.empty();) {
      const ssize_t written = write(fd_, rest.data(), rest.size());
      if (written < 0 && errno != EINTR) _exit(kExitLostChannel);
      rest.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
    }
  }

 private:
  int fd_ = -1;
  struct stat identity_{};
  std::mutex mutex_;
};

std::string ReadRequest() {
  std::string out;
  std::array<char, 4096> buffer{};
  while (out.size() <= kMaxRequestBytes) {
    const ssize_t got = read(kRequestDescriptor, buffer.data(), buffer.size());
    if (got > 0) out.append(buffer.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) break;
  }
  close(kRequestDescriptor);
  return out;
}

// Null where the parent named none: then no record is believed.
Json SealOf(const Result<Json>& request) {
  if (!request || !request->is_object()) return nullptr;
  const auto seal = request->find(kSealKey);
  return seal == request->end() ? Json() : *seal;
}

Status RunTask(const Json& request, std::span<const Task> tasks, const RecordSink& send) {
  const auto task = request.find("task");
  const auto body = request.find("request");
  if (task == request.end() || !task->is_string() || body == request.end()) {
    return Error{"read request", std::nullopt, "malformed", "no task is named"};
  }
  const auto& name = task->get_ref<const std::string&>();
  const auto found =
      std::find_if(tasks.begin(), tasks.end(), [&](const Task& known) { return known.name == name; });
  if (found == tasks.end()) return Error{"read request", std::nullopt, "unknown task", name};
  return found->run(*body, send);
}

}  // namespace

bool IsChild(int argc, char** argv) { return argc > 1 && argv[1] != nullptr && argv[1] == kChildArgument; }

// noexcept: what a task throws ends this process here, and the parent reports the signal.
// NOLINTNEXTLINE(bugprone-exception-escape)
[[noreturn]] void RunChild(int argc, char** argv, std::span<const Task> tasks) noexcept {
  const bool has_reaper = LeaveReaperBehind(ToolOf({argv, static_cast<std::size_t>(argc)}));
  ResetSignals();
  system::AskForSlice(0);  // the supervisor's is not its children's
  ForbidCoreDumps();
  system::NameThisProcess("whichgpu-child");  // started by descriptor, it would be called after its number
  ResultPipe pipe;
  const auto request = ParseJson(ReadRequest(), kMaxRequestBytes);
  const Json seal = SealOf(request);
  const RecordSink send = [&pipe, &seal](const Json& record) { pipe.Send(record, seal); };
  if (!has_reaper) send(Json{{kAloneKey, true}});
  const Status status = request && request->is_object() ? RunTask(*request, tasks, send)
                        : request ? Status(Error{"read request", std::nullopt, "malformed", "not an object"})
                                  : Status(request.error());
  if (!status) send(Json{{kErrorKey, Encode(status.error())}});
  send(Json{{kDoneKey, true}});
  _exit(0);
}

}  // namespace probe::isolate
