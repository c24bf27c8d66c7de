// SPDX-License-Identifier: MIT
// A reaper that starts this program once more to do the work, for macOS breaks what its libraries do in a
// process that was forked alone. It looks now and then whether its tool is still there.
#include <signal.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "probe/isolate/channel.h"
#include "probe/isolate/reaper.h"
#include "probe/system/place.h"
#include "probe/system/scratch.h"
#include "probe/system/this_process.h"

namespace probe::isolate {
namespace {

constexpr long kLookNanoseconds = 50'000'000;  // how late the tool's end may be noticed
constexpr int kSignalCode = 128;               // and the number of the signal that ended the work

volatile std::sig_atomic_t told_to_end = 0;

// The name of a variable, and the sign behind it.
std::string_view NameOf(std::string_view variable) { return variable.substr(0, variable.find('=') + 1); }

// The variables of this process, and in the place of those of the same names the mark and those of its place.
std::vector<std::string> EnvironmentOfWork(const std::string& mark, const system::ToldPlace& place) {
  std::vector<std::string> own = place.variables;
  own.push_back(std::string(kMarkVariable) + "=" + mark);
  std::vector<std::string> out;
  for (char** variable = system::ProcessEnvironment(); *variable != nullptr; ++variable) {
    const auto is_same = [&](const std::string& one) { return NameOf(one) == NameOf(*variable); };
    if (std::none_of(own.begin(), own.end(), is_same)) out.emplace_back(*variable);
  }
  out.insert(out.end(), own.begin(), own.end());
  return out;
}

Result<system::ProcessId> StartWork(const system::Descriptor& binary, OwnTool tool,
                                    const system::ToldPlace& place) {
  tool.part = Part::kWork;
  tool.run = {system::OwnProcessId(), std::nullopt};
  system::SpawnPlan plan;
  plan.binary = binary.get();
  plan.arguments = ArgumentsFor(tool);
  plan.environment = EnvironmentOfWork(tool.mark, place);
  for (int number = 0; number <= kResultDescriptor; ++number) plan.descriptors.push_back(number);
  const auto spawned = system::Spawn(plan);
  if (!spawned) return spawned.error();
  return spawned->pid;
}

// Leaves without having started anything, nor anything behind.
[[noreturn]] void Leave(const system::ToldPlace& place) {
  system::ScratchDirectory::Remove(place.path);
  _exit(kExitUnknown);
}

// Becomes the work itself, with the mark: what it starts would not be found without.
[[noreturn]] void WorkAlone(const system::Descriptor& binary, OwnTool tool, const system::ToldPlace& place) {
  tool.part = Part::kAlone;
  const std::string path = system::PathOf(binary.get());
  const auto texts = ArgumentsFor(tool);
  const auto variables = EnvironmentOfWork(tool.mark, place);
  const auto arguments = system::Pointers(texts);
  const auto environment = system::Pointers(variables);
  execve(path.c_str(), arguments.data(), environment.data());
  Leave(place);
}

// Ends this process and what it started when its parent is gone.
void EndWithParent(const OwnTool& tool) {
  while (getppid() == tool.run.pid) {
    const timespec pause{0, kLookNanoseconds};
    nanosleep(&pause, nullptr);
  }
  KillDescendants({getpid(), tool.mark});
  kill(getpid(), SIGKILL);
}

}  // namespace

void EndAs(const ProcessExit& work) {
  _exit(work.signal ? kSignalCode + *work.signal : work.code.value_or(kExitUnknown));
}

ProcessExit WorkOf(const ProcessExit& reaper) {
  const int number = reaper.code.value_or(0) - kSignalCode;
  ProcessExit work = reaper;
  if (number > 0 && number < NSIG) work = {std::nullopt, number};
  return work;
}

std::optional<ProcessExit> AwaitEnd(system::ProcessId work, const OwnTool& tool) {
  signal(SIGCHLD, [](int) {});
  signal(kEndSignal, [](int) { told_to_end = 1; });
  sigset_t while_waiting;
  sigfillset(&while_waiting);
  for (const int number : {SIGCHLD, kEndSignal}) sigdelset(&while_waiting, number);
  for (;;) {
    if (const auto exit = system::PeekExit(work)) return exit;
    if (told_to_end != 0 || getppid() != tool.run.pid) break;
    const timespec longest{0, kLookNanoseconds};
    pselect(0, nullptr, nullptr, nullptr, &longest, &while_waiting);
  }
  // While it lives: its children without a mark are told by their parent alone.
  KillDescendants({getpid(), tool.mark});
  return std::nullopt;
}

bool LeaveReaperBehind(const OwnTool& tool) {
  if (tool.part != Part::kReaper) {
    try {
      // It reads no variable and makes no file, and no signal is for it: all are blocked here.
      std::thread(EndWithParent, tool).detach();
    } catch (const std::system_error&) {
      // Where there can be no thread either the tool's end is noticed when nobody reads any more.
    }
    return tool.part == Part::kWork;
  }
  const auto place = system::ComeToPlace(system::Descriptor(kResultDescriptor + 1));
  if (!place) _exit(kExitUnknown);
  if (getppid() != tool.run.pid) Leave(*place);
  system::KeepEndedChildren();
  system::CloseDescriptorsFrom(kResultDescriptor + 1);
  const auto binary = system::OpenOwnBinary();
  if (!binary) Leave(*place);
  const auto work = StartWork(*binary, tool, *place);
  if (!work) WorkAlone(*binary, tool, *place);
  BeReaperOf(*work, place->path, tool);
}

}  // namespace probe::isolate
